#ifndef TESTS_SIM_FIBER_H
#define TESTS_SIM_FIBER_H

#include "base/clock.h"
#include "base/random.h"

#include <stdbool.h>
#include <stdint.h>

/* One thread plays them all. What the program calls a thread is a fiber here: fiber.c stands in for
 * base/thread.c, and for poll(), when the simulator is linked. A fiber runs until it waits, for a
 * time, a mutex, a condition or a message; then the dice decide who goes on. When nobody can, the
 * simulated time moves to the next deadline. So one seed is one history, and an hour passes in
 * milliseconds.
 *
 * Invariants: (1) nothing here asks the machine for time or randomness; (2) who runs next depends
 * on the seed and on what the fibers did alone; (3) a fiber never runs before its deadline, but for
 * one of a killed process, whose waits end at once. */

struct fiber;
typedef void fiber_fn(void *argument);

/* A simulated operating system process: its fibers share a clock and a fate. */
struct process {
    const char *name;
    struct clock clock;      /* for the program: what this process believes */
    int64_t utc_offset_ms;   /* its wall clock against the true time */
    int64_t rate_permille;   /* how fast its monotonic clock runs */
    int64_t mono_base_ms;    /* its monotonic clock at `mono_since_ms` */
    int64_t mono_since_ms;   /* of the true time */
    int64_t paused_until_ms; /* SIGSTOP: no fiber runs before */
    bool dying;              /* killed: what it still does is unwinding, which nobody sees */
    int fibers;              /* that have not ended */
};

void process_init(struct process *process, const char *name);
/* From now on, at this rate. The monotonic clock never jumps. */
void process_set_rate(struct process *process, int64_t rate_permille);

/* ---- the scheduler ---- */

struct sched_options {
    struct random *random;     /* the dice */
    int64_t start_ms;          /* UTC, of the true time */
    int64_t steps_max;         /* switches, against endless loops */
    int64_t lateness_permille; /* how much longer a sleep takes at most */
};

/* Runs `main` and every fiber it begets, until `main` has ended and the others too, or until the
 * history is over steps_max (returns false). */
bool sched_run(const struct sched_options *options, fiber_fn *main, void *argument);
int64_t sched_now_ms(void);
/* Time that passes while nobody else runs: inside a transaction. */
void sched_pass_ms(int64_t ms);
/* A number that two equal histories have in common. */
uint64_t sched_fingerprint(void);
void sched_note(uint64_t fact); /* into the fingerprint */
int64_t sched_steps(void);

/* ---- fibers ---- */

struct fiber *fiber_start(struct process *process, const char *name, fiber_fn *main,
                          void *argument);
/* Into another process: a request that has reached a server. */
void fiber_enter(struct process *process);
struct process *fiber_process(void);
const char *fiber_name(void);
/* Lets others run. */
void fiber_yield(void);
void fiber_sleep_ms(int64_t ms); /* of the true time */
/* Until somebody wakes `key`, or `ms` pass (-1: for ever). False when they did. */
bool fiber_wait(const void *key, int64_t ms);
void fiber_wake(const void *key);
/* Nobody else runs between the two: a transaction that has the database's lock. */
void fiber_hold(void);
void fiber_release(void);
bool fiber_is_held(void);

/* poll() of these descriptors: readable when *flag is set. */
int fiber_stop_fd(const bool *flag);
void fiber_stop_fd_free(int fd);

#endif
