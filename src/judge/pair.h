#ifndef JUDGE_PAIR_H
#define JUDGE_PAIR_H

#include "judge/work.h"

/* Two runs of one slot that talk with each other by pipes. Private to the judge module. */

enum { PAIR_PROGRAM, PAIR_INTERACTOR, PAIR_COUNT };

struct pair {
    struct box_run_spec specs[PAIR_COUNT]; /* fd 0 and 1 are set by pair_join */
    /* The interactor has ended and the program has not: is the program still of interest? */
    bool (*is_settled)(const void *context, const struct box_result *interactor);
    const void *context;
};

/* What the program may write to the interactor, and the other way round; more ends the writer by
 * BOX_END_OUTPUT. */
void pair_join(struct pair *pair, int64_t program_bytes_max, int64_t interactor_bytes_max);

/* Runs both to their end; the results say who ended first. The caller initialises the results and
 * owns what is in them, also after an error.
 * Errors: ERR_CANCELLED; ERR_SYSTEM with FAULT_NODE. Nothing runs any more then. */
checked bool pair_run(struct work *work, const struct pair *pair,
                      struct box_result results[PAIR_COUNT], struct err *err);

#endif
