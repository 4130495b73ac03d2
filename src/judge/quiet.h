#ifndef JUDGE_QUIET_H
#define JUDGE_QUIET_H

#include "base/clock.h"
#include "base/thread.h"

/* Room for a run that has to be measured alone. While one slot holds the quiet, the others of this
 * process start no further run; those that run already are waited for. Both waits are bounded, so
 * that nobody's judging stands still for another's: when they are over, the run goes ahead with
 * company. Private to the judge module. */

#define QUIET_IDLE_MS_MAX 5000   /* the holder's, for runs that others have begun */
#define QUIET_PAUSE_MS_MAX 30000 /* of everybody else, each time */

struct quiet {
    const struct clock *clock;
    struct mutex mutex;
    struct cond changed;
    int running; /* runs that are not the holder's */
    bool held;
};

struct work;

void quiet_init(struct quiet *quiet, const struct clock *clock);
void quiet_done(struct quiet *quiet);

/* Around each ordinary run. Errors: ERR_CANCELLED when the judging is no longer wanted; then
 * quiet_leave is not called. */
checked bool quiet_enter(struct work *work, struct err *err);
void quiet_leave(struct work *work);

/* Around a run to be measured alone; work->quiet tells whether it has the quiet. Errors as
 * quiet_enter. */
checked bool quiet_begin(struct work *work, struct err *err);
void quiet_end(struct work *work);

#endif
