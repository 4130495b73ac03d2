#ifndef BENCH_BOX_SESSION_H
#define BENCH_BOX_SESSION_H

#include "box/box.h"

/* A sandbox to measure: opened with the rights that the caller has, which are given up behind it,
 * and a folder with the two programs of program.h. */

struct box_session {
    struct box *box;
    char folder[64];
    char empty[96]; /* paths of the programs, the same inside and outside */
    char known[96];
    const char *roots[2]; /* a run sees the folder and nothing else */
    int32_t processors;
    int32_t slots;
    bool busy;
};

/* Opens slots 0 and 1; the others are for making the machine busy. */
checked bool box_session_open(struct box_session *session, struct err *err);
void box_session_close(struct box_session *session); /* accepts NULL and a zeroed one */
#define own_box_session __attribute__((cleanup(box_session_close))) struct box_session

/* A run of argv with limits that a small program cannot reach. Everything is borrowed. */
struct box_run_spec box_session_spec(const struct box_session *session, const char *const *argv);
/* One run that must end by itself with status 0; the time is the caller's, from request to result.
 */
checked bool box_session_run(struct box_session *session, int slot, const struct box_run_spec *spec,
                             int64_t *ret_ns, struct box_result *ret_result, struct err *err);
/* A spinning submission for every processor, each in a slot of its own; or none. */
checked bool box_session_set_busy(struct box_session *session, bool busy, struct err *err);

#endif
