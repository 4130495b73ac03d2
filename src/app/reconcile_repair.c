/* Repairs by rule. None invents a verdict or forgets one: a job without a place gets one, a place
 * without a use goes, what is derived is derived again. */
#include "app/actor_now_internal.h"
#include "app/generation_internal.h"
#include "app/news_internal.h"
#include "app/reconcile_internal.h"
#include "app/runners_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/audit_store.h"
#include "store/lease_store.h"
#include "store/place_store.h"

#include <string.h>

#define ARENA_BYTES_MAX (4 * MIB)

struct repair {
    struct write_item item;
    const struct actor *actor;
    const struct broken_rule *broken;
    int64_t changed; /* out */
};

struct place {
    bool ready;
    bool delayed;
};

static bool drop_places(struct db *db, struct held_job *held, struct place *was, struct err *err) {
    return place_drop_all(db, held->id, &was->ready, &was->delayed, err) &&
           job_hold_delete(db, held->id, err);
}

/* An open job that is in no place, or in two: ready once, unless it is leased. */
static bool place_again(struct app *app, struct db *db, struct held_job *held, bool *ret_changed,
                        struct err *err) {
    struct place was = {0};
    struct job *job = &held->job;
    if (!job_is_open(job) || !drop_places(db, held, &was, err)) {
        return !job_is_open(job);
    }
    *ret_changed = true;
    if (held->has_lease && job->state == JOB_RUNNING) {
        return true;
    }
    if (held->has_lease && !lease_store_delete(db, job->id, err)) {
        return false;
    }
    if (job->state == JOB_RUNNING && !job_apply(job, JOB_RELEASE, err)) {
        return false;
    }
    job->due_ms = 0;
    news_ready(app, job->queue);
    return job_store_update(db, job, err) && place_insert_ready(db, job, err);
}

static bool leave_places(struct app *app, struct db *db, struct held_job *held, bool *ret_changed,
                         struct err *err) {
    struct place was = {0};
    (void)app;
    if (job_is_open(&held->job)) {
        return true;
    }
    if (!drop_places(db, held, &was, err)) {
        return false;
    }
    *ret_changed = was.ready || was.delayed;
    return true;
}

static bool revoke_lease(struct app *app, struct db *db, struct held_job *held, bool *ret_changed,
                         struct err *err) {
    (void)app;
    *ret_changed = !job_is_open(&held->job) && held->has_lease && !held->lease.revoked;
    return !*ret_changed || lease_store_revoke(db, held->id, err);
}

typedef bool job_fn(struct app *app, struct db *db, struct held_job *held, bool *ret_changed,
                    struct err *err);

/* clang-format off */
static const struct row {
    const char *rule;
    const char *object;
    job_fn *job;  /* mends one job under its lock */
    bool derived; /* recomputes what a user has reached */
} table[] = {
    {"I01", "job",        place_again,  false},
    {"I02", "job",        place_again,  false},
    {"I03", "job",        leave_places, false},
    {"I04", "job",        revoke_lease, false},
    {"I05", "job",        NULL,         false},
    {"I06", "job",        place_again,  false},
    {"I07", "job",        place_again,  false},
    {"I08", "job",        NULL,         false},
    {"I09", "job",        NULL,         false},
    {"I10", "job",        NULL,         false},
    {"I11", "job",        NULL,         false},
    {"I13", "job",        NULL,         false},
    {"I14", "job",        NULL,         false},
    {"I16", "job",        NULL,         false},
    {"I19", "job",        NULL,         false},
    {"I20", "job",        NULL,         false},
    {"I21", "node",       NULL,         false},
    {"I22", "problem",    NULL,         true},
    {"I23", "problem",    NULL,         true},
};
/* clang-format on */

static const struct row *find(const char *rule) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].rule, rule) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

const char *reconcile_object(const char *rule) {
    const struct row *row = find(rule);
    return row != NULL ? row->object : "submission";
}

bool reconcile_can_repair(const char *rule) {
    const struct row *row = find(rule);
    return row != NULL && (row->job != NULL || row->derived);
}

static bool mend_jobs(struct app *app, struct db *db, struct repair *repair, job_fn *mend,
                      struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    const struct broken_rule *broken = repair->broken;
    struct job_id *ids = arena_array(arena, (size_t)broken->id_count, sizeof ids[0]);
    struct held_jobs held = {0};
    int64_t now_ms = 0;
    for (int i = 0; i < broken->id_count; i++) {
        ids[i].value = broken->ids[i];
    }
    if (!hold_jobs(db, (struct job_list){ids, broken->id_count}, HOLD_SUBMISSIONS, arena, &held,
                   err) ||
        !db_now(db, &now_ms, err)) {
        return false;
    }
    for (int i = 0; i < held.count; i++) {
        bool changed = false;
        if (held.rows[i].found && !mend(app, db, &held.rows[i], &changed, err)) {
            return false;
        }
        repair->changed += changed ? 1 : 0;
    }
    return true;
}

static bool derive_again(struct db *db, struct repair *repair, struct err *err) {
    const struct broken_rule *broken = repair->broken;
    if (!db_lock(db, LOCK_DERIVED, LOCK_EXCLUSIVE, BEST_RESULTS_LOCK, err)) {
        return false;
    }
    for (int i = 0; i < broken->id_count; i++) {
        if (!user_problem_recompute(db, (struct user_id){broken->users[i]},
                                    (struct problem_id){broken->ids[i]}, err)) {
            return false;
        }
        repair->changed++;
    }
    return true;
}

static bool audit(struct app *app, struct db *db, const struct repair *repair, struct err *err) {
    int64_t now_ms = 0;
    if (!db_now(db, &now_ms, err)) {
        return false;
    }
    struct audit_row row = {
        .id = runner_take_id(app, ID_AUDIT),
        .at_ms = now_ms,
        .actor = repair->actor,
        .action = "reconcile.repair",
        .object_kind = reconcile_object(repair->broken->code),
        .object_id = repair->broken->id_count == 1 ? repair->broken->ids[0] : 0,
        .detail = str_from(repair->broken->name),
    };
    return audit_store_add(db, &row, err);
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    CHECK(count == 1);
    struct repair *repair = (struct repair *)items[0];
    const struct row *row = find(repair->broken->code);
    news_reset(app);
    repair->changed = 0;
    if (!actor_need_role_now(db, repair->actor, ROLE_ADMIN, err) ||
        !(row->job != NULL ? mend_jobs(app, db, repair, row->job, err)
                           : derive_again(db, repair, err))) {
        return false;
    }
    repair->item.ok = true;
    return repair->changed == 0 || audit(app, db, repair, err);
}

static const struct write_kind repair_kind = {
    .name = "reconcile.repair", .batch_max = 1, .run = run, .committed = news_tell};

bool reconcile_repair(struct app *app, const struct actor *actor, const struct broken_rule *broken,
                      int64_t *repaired, struct err *err) {
    struct repair repair = {.item = {.kind = &repair_kind}, .actor = actor, .broken = broken};
    if (!reconcile_can_repair(broken->code)) {
        return true;
    }
    if (!app_write_wait(app, &repair.item, err)) {
        return false;
    }
    *repaired += repair.changed;
    return true;
}
