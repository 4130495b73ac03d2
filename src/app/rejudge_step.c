#include "app/news_internal.h"
#include "app/refusal_internal.h"
#include "app/rejudge_step_internal.h"
#include "base/check.h"
#include "base/limits.h"

#define ARENA_BYTES_MAX (16 * MIB)
#define ACTIVE_MAX 16
#define STEPS_MAX 50 /* of one pass and rejudging: others want the writer, too */

/* ---- the transaction ---- */

/* As it was read: nobody has gone on meanwhile. */
static bool stands(struct db *db, const struct rejudge_step *step, bool *ret_stands,
                   struct err *err) {
    struct rejudging_row now = {0};
    bool found = false;
    if (!db_lock(db, LOCK_REJUDGING, LOCK_EXCLUSIVE, step->row.id.value, err) ||
        !rejudging_find(db, step->row.id, step->arena, &now, &found, err)) {
        return false;
    }
    *ret_stands = found && now.state == step->row.state && now.cursor == step->row.cursor &&
                  now.revision == step->row.revision;
    return true;
}

static void finish(struct rejudge_step *step, enum rejudging_event event, int64_t now_ms) {
    struct err unused = {0};
    CHECK(rejudging_apply_event(&step->row.state, event, &unused)); /* its own state allows it */
    step->row.cursor = 0;
    step->row.finished_ms = now_ms;
}

static bool run_create(struct app *app, struct db *db, struct rejudge_step *step, struct err *err) {
    int64_t now_ms = 0;
    if (!rejudge_create_run(app, db, step, &now_ms, err)) {
        return false;
    }
    if (step->moved && step->count < REJUDGE_STEP_MAX) {
        finish(step, REJUDGING_CREATED, now_ms);
    }
    return true;
}

static bool run_items(struct app *app, struct db *db, struct rejudge_step *step, struct err *err) {
    int64_t now_ms = 0;
    if (!rejudge_items_run(app, db, step, &now_ms, err)) {
        return false;
    }
    if (step->count < REJUDGE_STEP_MAX) {
        finish(step, REJUDGING_DONE, now_ms);
    }
    return true;
}

static bool run_judged(struct db *db, struct rejudge_step *step, struct err *err) {
    struct err unused = {0};
    int64_t now_ms = 0;
    if (!db_now(db, &now_ms, err)) {
        return false;
    }
    finish(step, REJUDGING_JUDGED, now_ms);
    if ((step->row.options & REJUDGING_AUTO_APPLY) != 0) {
        CHECK(rejudging_apply_event(&step->row.state, REJUDGING_APPLY, &unused));
    }
    step->moved = true;
    return true;
}

static bool run_one(struct app *app, struct db *db, struct rejudge_step *step, struct err *err) {
    switch (step->row.state) {
    case REJUDGING_CREATING: return run_create(app, db, step, err);
    case REJUDGING_JUDGING: return run_judged(db, step, err);
    case REJUDGING_APPLYING:
    case REJUDGING_UNDOING:
    case REJUDGING_CANCELLING: return run_items(app, db, step, err);
    case REJUDGING_NONE:
    case REJUDGING_READY:
    case REJUDGING_APPLIED:
    case REJUDGING_UNDONE:
    case REJUDGING_CANCELLED:
    case REJUDGING_STATE_COUNT: break;
    }
    CHECK(false);
    return false;
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    CHECK(count == 1);
    struct rejudge_step *step = (struct rejudge_step *)items[0];
    struct rejudge_step work = *step; /* what was read stays: a batch may be run again */
    bool still = false;
    news_reset(app);
    work.moved = false;
    if (!stands(db, step, &still, err)) {
        return false;
    }
    if (still &&
        (!run_one(app, db, &work, err) || (work.moved && !rejudging_update(db, &work.row, err)))) {
        return false;
    }
    step->moved = work.moved;
    step->item.ok = true;
    return true;
}

static void committed(struct app *app, struct write_item **items, int count) {
    news_tell(app, items, count);
    events_start(app);
}

static const struct write_kind step_kind = {
    .name = "rejudging.step", .batch_max = 1, .run = run, .committed = committed};

/* ---- what to do next ---- */

static bool is_judging(struct db *db, struct rejudge_step *step, bool *ret_judging,
                       struct err *err) {
    struct item_row one;
    struct item_rows page = {.states = 1U << ITEM_JUDGING, .rows = &one, .max = 1};
    if (!item_page(db, step->row.id, &page, err)) {
        return false;
    }
    *ret_judging = page.count > 0;
    return true;
}

static bool read_step(struct app *app, struct rejudge_step *step, bool *ret_due, struct err *err) {
    own(db_reader) reader = NULL;
    bool found = false;
    bool judging = false;
    *ret_due = false;
    if (!db_pool_take(app->readers, &reader, err) || !db_begin(reader->db, err) ||
        !rejudging_find(reader->db, step->row.id, step->arena, &step->row, &found, err)) {
        return false;
    }
    if (!found || step->row.state == REJUDGING_READY || rejudging_is_over(step->row.state)) {
        return true;
    }
    *ret_due = true;
    if (step->row.state == REJUDGING_CREATING) {
        return rejudge_plan_page(app, reader->db, step, err);
    }
    if (step->row.state == REJUDGING_JUDGING) {
        bool ok = is_judging(reader->db, step, &judging, err);
        *ret_due = ok && !judging;
        return ok;
    }
    return rejudge_items_page(reader->db, step, err);
}

bool rejudge_step(struct app *app, struct rejudging_id id) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct rejudge_step step = {.item = {.kind = &step_kind}, .row = {.id = id}, .arena = arena};
    struct err ignored = {0}; /* the next pass tries again */
    bool due = false;
    return read_step(app, &step, &due, &ignored) && due &&
           app_write_wait(app, &step.item, &ignored) && step.moved;
}

bool rejudge_pass(struct app *app) {
    struct rejudging_id ids[ACTIVE_MAX];
    int count = 0;
    bool some = false;
    struct err ignored = {0};
    {
        own(db_reader) reader = NULL;
        if (!db_pool_take(app->readers, &reader, &ignored) ||
            !rejudging_active(reader->db, ids, ACTIVE_MAX, &count, &ignored)) {
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        for (int s = 0; s < STEPS_MAX && rejudge_step(app, ids[i]); s++) {
            some = true;
        }
    }
    return some;
}
