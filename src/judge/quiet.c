#include "judge/quiet.h"
#include "base/check.h"
#include "judge/work.h"

void quiet_init(struct quiet *quiet, const struct clock *clock) {
    *quiet = (struct quiet){.clock = clock};
    mutex_init(&quiet->mutex);
    cond_init(&quiet->changed);
}

void quiet_done(struct quiet *quiet) {
    CHECK(quiet->running == 0 && !quiet->held);
    cond_done(&quiet->changed);
    mutex_done(&quiet->mutex);
}

/* Lets go of the mutex. Asks now and then whether the judging is still wanted. */
static bool pause_for_others(struct work *work, struct err *err) {
    struct quiet *quiet = &work->judge->quiet;
    if (cond_wait_ms(&quiet->changed, &quiet->mutex, JUDGE_WAIT_MS)) {
        return true;
    }
    mutex_unlock(&quiet->mutex);
    bool wanted = work_report(work, err);
    mutex_lock(&quiet->mutex);
    return wanted;
}

/* Under the mutex: until nobody holds the quiet, or for as long as may be. */
static bool wait_for_holder(struct work *work, struct err *err) {
    struct quiet *quiet = &work->judge->quiet;
    int64_t until_ms = clock_mono_ms(quiet->clock) + QUIET_PAUSE_MS_MAX;
    while (quiet->held && clock_mono_ms(quiet->clock) < until_ms) {
        if (!pause_for_others(work, err)) {
            return false;
        }
    }
    return true;
}

static bool wait_for_runs(struct work *work, struct err *err) {
    struct quiet *quiet = &work->judge->quiet;
    int64_t until_ms = clock_mono_ms(quiet->clock) + QUIET_IDLE_MS_MAX;
    while (quiet->running > 0 && clock_mono_ms(quiet->clock) < until_ms) {
        if (!pause_for_others(work, err)) {
            return false;
        }
    }
    return true;
}

bool quiet_enter(struct work *work, struct err *err) {
    struct quiet *quiet = &work->judge->quiet;
    mutex_lock(&quiet->mutex);
    bool good = work->quiet || wait_for_holder(work, err);
    quiet->running += good && !work->quiet ? 1 : 0;
    mutex_unlock(&quiet->mutex);
    return good;
}

void quiet_leave(struct work *work) {
    struct quiet *quiet = &work->judge->quiet;
    mutex_lock(&quiet->mutex);
    quiet->running -= work->quiet ? 0 : 1;
    CHECK(quiet->running >= 0);
    cond_broadcast(&quiet->changed);
    mutex_unlock(&quiet->mutex);
}

bool quiet_begin(struct work *work, struct err *err) {
    struct quiet *quiet = &work->judge->quiet;
    CHECK(!work->quiet);
    mutex_lock(&quiet->mutex);
    bool good = wait_for_holder(work, err);
    if (good && !quiet->held) {
        quiet->held = true;
        work->quiet = true;
        good = wait_for_runs(work, err);
    }
    mutex_unlock(&quiet->mutex);
    if (!good) {
        quiet_end(work);
    }
    return good;
}

void quiet_end(struct work *work) {
    struct quiet *quiet = &work->judge->quiet;
    if (!work->quiet) {
        return;
    }
    mutex_lock(&quiet->mutex);
    quiet->held = false;
    work->quiet = false;
    cond_broadcast(&quiet->changed);
    mutex_unlock(&quiet->mutex);
}
