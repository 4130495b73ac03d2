/* See fiber.h. Contexts are switched by _setjmp and _longjmp, which make no system call;
 * makecontext only gives each stack its first one. Built without _FORTIFY_SOURCE, whose longjmp
 * refuses to change stacks. */
#include "fiber.h"
#include "base/check.h"
#include "base/thread.h"

#include <poll.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define FIBERS_MAX 1024
#define STACK_BYTES ((size_t)512 * 1024)
#define GUARD_BYTES ((size_t)4096)
#define STOP_FD_BASE 100000
#define STOP_FDS_MAX 64
#define FOREVER INT64_MAX

enum fiber_state { FIBER_DONE, FIBER_READY, FIBER_WAITING };

struct fiber {
    enum fiber_state state;
    const char *name;
    struct process *process;
    fiber_fn *main;
    void *argument;
    int64_t wake_ms; /* of a waiting one; FOREVER: none */
    const void *key; /* what it waits for; NULL: only the time */
    bool woken;
    bool mutex; /* waits for a mutex: its deadline is none, also of a killed process */
    jmp_buf context;
    ucontext_t first;
    void *stack;
    bool started;
};

static struct sched {
    struct sched_options options;
    struct fiber *fibers[FIBERS_MAX]; /* kept with their stacks from one history to the next */
    int count;
    struct fiber *current;
    jmp_buf context;
    int64_t now_ms;
    int64_t steps;
    uint64_t fingerprint;
    int held;
    const bool *stop_flags[STOP_FDS_MAX];
    struct process world; /* of who is nowhere: messages on their way, the director */
} sched;

/* ---- clocks ---- */

static int64_t process_utc_ms(void *context) {
    const struct process *process = context;
    return sched.now_ms + process->utc_offset_ms;
}

static int64_t process_mono_ms(void *context) {
    const struct process *process = context;
    return process->mono_base_ms +
           (sched.now_ms - process->mono_since_ms) * process->rate_permille / 1000;
}

static void process_sleep_ms(void *context, int64_t ms) {
    const struct process *process = context;
    fiber_sleep_ms(ms * 1000 / process->rate_permille);
}

void process_init(struct process *process, const char *name) {
    *process = (struct process){.name = name,
                                .clock = {.context = process,
                                          .utc_ms = process_utc_ms,
                                          .mono_ms = process_mono_ms,
                                          .sleep_ms = process_sleep_ms},
                                .rate_permille = 1000,
                                .mono_base_ms = 1000,
                                .mono_since_ms = sched.now_ms};
}

void process_set_rate(struct process *process, int64_t rate_permille) {
    process->mono_base_ms = process_mono_ms(process);
    process->mono_since_ms = sched.now_ms;
    process->rate_permille = rate_permille;
}

/* ---- switching ---- */

static void fiber_main(void) {
    for (;;) {
        struct fiber *self = sched.current;
        self->main(self->argument);
        self->state = FIBER_DONE;
        self->process->fibers--;
        if (_setjmp(self->context) == 0) {
            _longjmp(sched.context, 1);
        }
    }
}

static void make_stack(struct fiber *fiber) {
    fiber->stack = mmap(NULL, STACK_BYTES + GUARD_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    CHECK(fiber->stack != MAP_FAILED);
    CHECK(mprotect(fiber->stack, GUARD_BYTES, PROT_NONE) == 0);
    CHECK(getcontext(&fiber->first) == 0);
    fiber->first.uc_stack.ss_sp = (char *)fiber->stack + GUARD_BYTES;
    fiber->first.uc_stack.ss_size = STACK_BYTES;
    fiber->first.uc_link = NULL;
    makecontext(&fiber->first, fiber_main, 0);
}

static void switch_to(struct fiber *fiber) {
    sched.current = fiber;
    sched.steps++;
    sched_note((uint64_t)sched.now_ms);
    if (_setjmp(sched.context) == 0) {
        if (fiber->started) {
            _longjmp(fiber->context, 1);
        }
        fiber->started = true;
        (void)setcontext(&fiber->first);
    }
    sched.current = NULL;
}

static void switch_away(void) {
    struct fiber *self = sched.current;
    CHECK(sched.held == 0 || self->process->dying);
    if (_setjmp(self->context) == 0) {
        _longjmp(sched.context, 1);
    }
}

/* ---- who runs next ---- */

static int64_t runnable_at(const struct fiber *fiber) {
    int64_t at_ms = fiber->wake_ms;
    if (fiber->state == FIBER_READY || fiber->woken) {
        at_ms = 0;
    } else if (fiber->process->dying && fiber->wake_ms != FOREVER) {
        at_ms = 0;
    }
    if (at_ms != FOREVER && !fiber->process->dying && at_ms < fiber->process->paused_until_ms) {
        at_ms = fiber->process->paused_until_ms;
    }
    return at_ms;
}

static struct fiber *pick(void) {
    for (;;) {
        struct fiber *ready[FIBERS_MAX];
        int count = 0;
        int64_t next_ms = FOREVER;
        for (int i = 0; i < sched.count; i++) {
            struct fiber *fiber = sched.fibers[i];
            int64_t at_ms = fiber->state == FIBER_DONE ? FOREVER : runnable_at(fiber);
            if (at_ms <= sched.now_ms) {
                ready[count++] = fiber;
            } else if (at_ms < next_ms) {
                next_ms = at_ms;
            }
        }
        if (count > 0) {
            return ready[random_below(sched.options.random, count)];
        }
        if (next_ms == FOREVER) {
            return NULL;
        }
        sched.now_ms = next_ms;
    }
}

static bool all_done(void) {
    for (int i = 0; i < sched.count; i++) {
        if (sched.fibers[i]->state != FIBER_DONE) {
            return false;
        }
    }
    return true;
}

bool sched_run(const struct sched_options *options, fiber_fn *main, void *argument) {
    CHECK(sched.current == NULL && all_done());
    sched.options = *options;
    sched.now_ms = options->start_ms;
    sched.steps = 0;
    sched.held = 0;
    sched.fingerprint = UINT64_C(14695981039346656037);
    process_init(&sched.world, "world");
    (void)fiber_start(&sched.world, "director", main, argument);
    while (sched.steps < options->steps_max) {
        struct fiber *next = pick();
        if (next == NULL) {
            return all_done();
        }
        switch_to(next);
    }
    return false;
}

int64_t sched_now_ms(void) {
    return sched.now_ms;
}

void sched_pass_ms(int64_t ms) {
    sched.now_ms += ms;
}

uint64_t sched_fingerprint(void) {
    return sched.fingerprint;
}

void sched_note(uint64_t fact) {
    sched.fingerprint = (sched.fingerprint ^ fact) * UINT64_C(1099511628211);
}

int64_t sched_steps(void) {
    return sched.steps;
}

/* ---- fibers ---- */

static struct fiber *free_fiber(void) {
    for (int i = 0; i < sched.count; i++) {
        if (sched.fibers[i]->state == FIBER_DONE) {
            return sched.fibers[i];
        }
    }
    CHECK(sched.count < FIBERS_MAX);
    struct fiber *fiber = calloc(1, sizeof *fiber);
    CHECK(fiber != NULL);
    make_stack(fiber);
    sched.fibers[sched.count++] = fiber;
    return fiber;
}

struct fiber *fiber_start(struct process *process, const char *name, fiber_fn *main,
                          void *argument) {
    struct fiber *fiber = free_fiber();
    fiber->state = FIBER_READY;
    fiber->name = name;
    fiber->process = process != NULL ? process : &sched.world;
    fiber->main = main;
    fiber->argument = argument;
    fiber->woken = false;
    fiber->mutex = false;
    fiber->process->fibers++;
    return fiber;
}

void fiber_enter(struct process *process) {
    struct fiber *self = sched.current;
    self->process->fibers--;
    self->process = process != NULL ? process : &sched.world;
    self->process->fibers++;
}

struct process *fiber_process(void) {
    return sched.current->process;
}

const char *fiber_name(void) {
    return sched.current != NULL ? sched.current->name : "outside";
}

void fiber_yield(void) {
    sched.current->state = FIBER_READY;
    switch_away();
}

static bool wait_until(const void *key, int64_t wake_ms) {
    struct fiber *self = sched.current;
    self->key = key;
    self->wake_ms = wake_ms;
    self->woken = false;
    self->state = FIBER_WAITING;
    switch_away();
    self->state = FIBER_READY;
    self->key = NULL;
    return self->woken;
}

/* A sleep ends when it may, or somewhat later, as on a busy machine. */
static int64_t deadline(int64_t ms) {
    int64_t late_ms = ms * sched.options.lateness_permille / 1000;
    return sched.now_ms + (ms > 0 ? ms : 0) +
           (late_ms > 0 ? random_below(sched.options.random, late_ms + 1) : 0);
}

void fiber_sleep_ms(int64_t ms) {
    (void)wait_until(NULL, deadline(ms));
}

bool fiber_wait(const void *key, int64_t ms) {
    return wait_until(key, ms < 0 ? FOREVER : deadline(ms));
}

void fiber_wake(const void *key) {
    for (int i = 0; i < sched.count; i++) {
        struct fiber *fiber = sched.fibers[i];
        if (fiber->state == FIBER_WAITING && fiber->key == key) {
            fiber->woken = true;
        }
    }
}

static void wake_one(const void *key) {
    struct fiber *waiting[FIBERS_MAX];
    int count = 0;
    for (int i = 0; i < sched.count; i++) {
        struct fiber *fiber = sched.fibers[i];
        if (fiber->state == FIBER_WAITING && fiber->key == key && !fiber->woken) {
            waiting[count++] = fiber;
        }
    }
    if (count > 0) {
        waiting[random_below(sched.options.random, count)]->woken = true;
    }
}

void fiber_hold(void) {
    sched.held++;
}

void fiber_release(void) {
    CHECK(sched.held > 0);
    sched.held--;
}

bool fiber_is_held(void) {
    return sched.held > 0;
}

/* ---- base/thread.h ---- */

/* A mutex is its owner, kept in the bytes of the real one. */
static struct fiber **owner_of(struct mutex *mutex) {
    static_assert(sizeof *mutex >= sizeof(struct fiber *), "room for the owner");
    return (struct fiber **)(void *)mutex;
}

void mutex_init(struct mutex *mutex) {
    *owner_of(mutex) = NULL;
}

void mutex_done(struct mutex *mutex) {
    CHECK(*owner_of(mutex) == NULL);
}

void mutex_lock(struct mutex *mutex) {
    CHECK(sched.current != NULL && *owner_of(mutex) != sched.current);
    while (*owner_of(mutex) != NULL) {
        (void)wait_until(mutex, FOREVER);
    }
    *owner_of(mutex) = sched.current;
}

void mutex_unlock(struct mutex *mutex) {
    CHECK(*owner_of(mutex) == sched.current);
    *owner_of(mutex) = NULL;
    fiber_wake(mutex);
}

void cond_init(struct cond *cond) {
    memset(cond, 0, sizeof *cond);
}

void cond_done(struct cond *cond) {
    (void)cond;
}

void cond_signal(struct cond *cond) {
    wake_one(cond);
}

void cond_broadcast(struct cond *cond) {
    fiber_wake(cond);
}

void cond_wait(struct cond *cond, struct mutex *mutex) {
    mutex_unlock(mutex);
    (void)wait_until(cond, FOREVER);
    mutex_lock(mutex);
}

bool cond_wait_ms(struct cond *cond, struct mutex *mutex, int64_t ms) {
    mutex_unlock(mutex);
    bool woken = wait_until(cond, deadline(ms));
    mutex_lock(mutex);
    return woken;
}

struct thread {
    void *(*main)(void *);
    void *argument;
    bool ended;
};

static void thread_main(void *argument) {
    struct thread *thread = argument;
    (void)thread->main(thread->argument);
    thread->ended = true;
    fiber_wake(thread);
}

pthread_t thread_start(const char *name, void *(*main)(void *), void *argument) {
    struct thread *thread = calloc(1, sizeof *thread);
    CHECK(thread != NULL);
    *thread = (struct thread){.main = main, .argument = argument};
    (void)fiber_start(sched.current->process, name, thread_main, thread);
    return (pthread_t)(uintptr_t)thread;
}

void thread_join(pthread_t id) {
    struct thread *thread = (void *)(uintptr_t)id; /* as thread_start made it */
    while (!thread->ended) {
        (void)wait_until(thread, FOREVER);
    }
    free(thread);
}

/* ---- poll ---- */

int fiber_stop_fd(const bool *flag) {
    for (int i = 0; i < STOP_FDS_MAX; i++) {
        if (sched.stop_flags[i] == NULL) {
            sched.stop_flags[i] = flag;
            return STOP_FD_BASE + i;
        }
    }
    CHECK(false);
    return -1;
}

void fiber_stop_fd_free(int fd) {
    sched.stop_flags[fd - STOP_FD_BASE] = NULL;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms);

/* The node waits for its stop descriptor alone. */
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms) {
    CHECK(count == 1 && fds[0].fd >= STOP_FD_BASE && timeout_ms >= 0);
    const bool *flag = sched.stop_flags[fds[0].fd - STOP_FD_BASE];
    if (*flag) {
        fiber_yield(); /* whoever asks again and again must not keep the others from noticing */
    } else {
        (void)fiber_wait(flag, timeout_ms);
    }
    fds[0].revents = (short)(*flag ? POLLIN : 0);
    return *flag ? 1 : 0;
}
