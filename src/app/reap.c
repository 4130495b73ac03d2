#include "app/held_internal.h"
#include "app/lease_end_internal.h"
#include "app/news_internal.h"
#include "app/reap_internal.h"
#include "app/refusal_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/guard_store.h"
#include "store/job_store.h"
#include "store/lease_store.h"
#include "store/place_store.h"

#define PAGE_MAX 200
#define PASSES_MAX 50 /* of one call: a flood is not worked off in one go */
#define ARENA_BYTES_MAX (4 * MIB)

/* Candidates are found by a read of their own; what counts is what is read under the locks. */
struct pass {
    struct write_item item;
    struct job_id jobs[PAGE_MAX];
    int count;
    int changed;
};

static bool run_pass(struct app *app, const struct write_kind *kind, struct pass *pass) {
    struct err ignored = {0};
    pass->item = (struct write_item){.kind = kind};
    pass->changed = 0;
    return app_write_wait(app, &pass->item, &ignored) && pass->changed > 0;
}

/* ---- leases that ran out ---- */

/* What a batch of ends is judged by. */
struct reaping {
    int64_t now_ms;
    struct outage_rule rule;
    struct outage outage; /* also one that nobody has written down yet */
};

static bool read_reaping(struct app *app, struct db *db, struct reaping *reaping, struct err *err) {
    struct guard_row row = {0};
    reaping->rule = clock_guard_rule(app);
    if (!db_now(db, &reaping->now_ms, err) || !guard_store_get(db, &row, err)) {
        return false;
    }
    reaping->outage = outage_note(&row.outage, &reaping->rule, row.highest_ms, reaping->now_ms);
    return true;
}

static enum lease_end end_of(const struct lease *lease, const struct reaping *reaping) {
    if (outage_covers(&reaping->outage, &reaping->rule, lease->until_ms)) {
        return END_OUTAGE; /* S15 */
    }
    return reaping->now_ms >= lease->stop_at_ms ? END_STOPPED : END_EXPIRED;
}

static bool reap_one(struct app *app, struct db *db, struct held_job *held,
                     const struct reaping *reaping, bool *ret_reaped, struct err *err) {
    bool failed = false;
    *ret_reaped =
        held->found && held->has_lease && reaping->now_ms >= held->lease.until_ms; /* S3 */
    if (!*ret_reaped) {
        return true; /* renewed, settled or reaped by another meanwhile */
    }
    struct ending ending = {.end = end_of(&held->lease, reaping), .now_ms = reaping->now_ms};
    return lease_end(app, db, held, &ending, &failed, err);
}

static bool run_reap(struct app *app, struct db *db, struct write_item **items, int count,
                     struct err *err) {
    (void)count; /* one: batch_max */
    struct pass *pass = (struct pass *)items[0];
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct held_jobs held = {0};
    struct reaping reaping = {0};
    news_reset(app);
    pass->changed = 0;
    if (!hold_jobs(db, (struct job_list){pass->jobs, pass->count}, HOLD_SUBMISSIONS, arena, &held,
                   err) ||
        !read_reaping(app, db, &reaping, err)) {
        return false;
    }
    for (int i = 0; i < held.count; i++) {
        bool reaped = false;
        if (!reap_one(app, db, &held.rows[i], &reaping, &reaped, err)) {
            return false;
        }
        pass->changed += reaped ? 1 : 0;
    }
    pass->item.ok = true;
    return true;
}

static void reap_committed(struct app *app, struct write_item **items, int count) {
    const struct pass *pass = (struct pass *)items[0];
    news_tell(app, items, count);
    for (int i = 0; i < pass->count; i++) {
        progress_forget(app, pass->jobs[i]); /* what was reported for a lease that is over */
    }
    events_start(app);
}

static const struct write_kind reap_kind = {
    .name = "reap", .batch_max = 1, .run = run_reap, .committed = reap_committed};

static bool find_expired(struct app *app, struct pass *pass, struct err *err) {
    own(db_reader) reader = NULL;
    int64_t now_ms = 0;
    struct lease_page page = {.jobs = pass->jobs, .max = PAGE_MAX};
    if (!db_pool_take(app->readers, &reader, err) || !db_now(reader->db, &now_ms, err) ||
        !lease_store_expired(reader->db, now_ms, &page, err)) {
        return false;
    }
    pass->count = page.count;
    return page.count > 0;
}

bool reap_pass(struct app *app) {
    bool some = false;
    struct pass pass = {0};
    struct err ignored = {0};
    for (int i = 0; i < PASSES_MAX && find_expired(app, &pass, &ignored); i++) {
        if (!run_pass(app, &reap_kind, &pass)) {
            break;
        }
        some = true;
    }
    return some;
}

/* ---- delayed jobs that are due ---- */

static bool promote_one(struct app *app, struct db *db, struct job *job, int64_t now_ms,
                        bool *ret_promoted, struct err *err) {
    int64_t due_ms = job->due_ms;
    *ret_promoted = false;
    if (due_ms == 0 || due_ms > now_ms || due_ms == DELAYED_HELD_MS) {
        return true;
    }
    if (!place_delete_delayed(db, due_ms, job->id, err)) {
        return false;
    }
    if (job->state != JOB_QUEUED) {
        return true; /* closed meanwhile: whoever closed it left the row to us */
    }
    job->due_ms = 0;
    *ret_promoted = true;
    news_ready(app, job->queue);
    news_submission(app, job->submission);
    return job_store_update(db, job, err) && place_insert_ready(db, job, err);
}

static bool run_promote(struct app *app, struct db *db, struct write_item **items, int count,
                        struct err *err) {
    (void)count; /* one: batch_max */
    struct pass *pass = (struct pass *)items[0];
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct held_jobs held = {0};
    int64_t now_ms = 0;
    news_reset(app);
    pass->changed = 0;
    if (!hold_jobs(db, (struct job_list){pass->jobs, pass->count}, HOLD_JOBS, arena, &held, err) ||
        !db_now(db, &now_ms, err)) {
        return false;
    }
    for (int i = 0; i < held.count; i++) {
        bool promoted = false;
        if (held.rows[i].found &&
            !promote_one(app, db, &held.rows[i].job, now_ms, &promoted, err)) {
            return false;
        }
        pass->changed += promoted ? 1 : 0;
    }
    pass->item.ok = true;
    return true;
}

static const struct write_kind promote_kind = {
    .name = "promote", .batch_max = 1, .run = run_promote, .committed = news_tell};

static bool find_due(struct app *app, struct pass *pass, struct err *err) {
    own(db_reader) reader = NULL;
    int64_t now_ms = 0;
    struct due_job due[PAGE_MAX];
    if (!db_pool_take(app->readers, &reader, err) || !db_now(reader->db, &now_ms, err) ||
        !place_due(reader->db, now_ms, due, PAGE_MAX, &pass->count, err)) {
        return false;
    }
    for (int i = 0; i < pass->count; i++) {
        pass->jobs[i] = due[i].job;
    }
    return pass->count > 0;
}

bool promote_pass(struct app *app) {
    bool some = false;
    struct pass pass = {0};
    struct err ignored = {0};
    for (int i = 0; i < PASSES_MAX && find_due(app, &pass, &ignored); i++) {
        if (!run_pass(app, &promote_kind, &pass)) {
            break;
        }
        some = true;
    }
    return some;
}
