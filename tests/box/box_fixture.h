#ifndef BOX_FIXTURE_H
#define BOX_FIXTURE_H

#include "box/box.h"
#include <stdbool.h>
#include <stddef.h>

/* What the tests of the box share: a box with open slots, a run's usual spec, and the look at the
 * machine afterwards. */

#define FIXTURE_SLOTS 2

struct fixture {
    struct box *box;
    pid_t box_pid;
    int attack; /* the static program of attacks */
    size_t fds_before;
    size_t mounts_before;
};

/* How many times slower than usual this machine is: ASSIZE_BOX_TEST_SLOW, in the emulated one. */
int64_t fixture_slow(void);

/* Whether tests/box/rootless.py has started this: as an ordinary user, in mounts of our own. */
bool fixture_is_rootless(void);

/* Skips (exit 77, with the reason) where the box cannot be tested. First of all in main. */
void fixture_require(void);
/* The parent group of this program's boxes, which no other program has. */
const char *fixture_cgroup(void);
void fixture_open(struct fixture *fixture);
/* With further options; program, cgroup and slots are the usual ones. */
void fixture_open_with(struct fixture *fixture, const struct box_options *more);
void fixture_close(struct fixture *fixture);

/* The usual spec of one attack: no roots, both outputs captured. `argv` begins with the attack's
 * name and is kept by the caller's storage `full`, of room for 16. */
struct box_run_spec fixture_spec(const struct fixture *fixture, const char *const *argv,
                                 const char **full, struct box_file *file);
/* Runs one attack by the usual spec; the result is the caller's. */
void fixture_run(const struct fixture *fixture, const char *name, struct box_result *ret_result);
/* The first bytes of a descriptor from its start, as a C string of at most `size`. */
void fixture_text(int fd, char *out, size_t size);
/* Fails unless the machine is as it was: no process, mount or descriptor more, the memory back, and
 * the next run as if there had been none. It looks at what belongs to this program alone. */
void fixture_check_clean(const struct fixture *fixture);

/* How many descriptors the box holds once it has come to rest. */
size_t fixture_settled_fds(const struct fixture *fixture);
size_t count_fds(pid_t pid);
size_t count_cgroups(void);                         /* below our parent group, in every tree */
size_t count_processes(const char *name);           /* in our parent group */
pid_t child_called(pid_t parent, const char *name); /* 0: none */

#endif
