/* Looking at jobs as operators do: by what is known of them, and all judgings of one submission. */
#include "app/app_internal.h"
#include "app/job.h"
#include "app/judgement_text.h"
#include "app/queues_internal.h"
#include "app/waiting_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/audit_store.h"
#include "store/hold_store.h"
#include "store/rejudging_store.h"
#include "store/result_store.h"
#include "store/user_store.h"

struct looker {
    struct app *app;
    struct db *db;
    struct arena *arena;
    int64_t now_ms;
};

/* clang-format off */
static const char *const state_names[JOB_STATE_COUNT] = {
    [JOB_QUEUED]    = "QUEUED",
    [JOB_RUNNING]   = "RUNNING",
    [JOB_COMPLETED] = "COMPLETED",
    [JOB_FAILED]    = "FAILED",
    [JOB_CANCELLED] = "CANCELLED",
};
/* clang-format on */

const char *job_state_name(enum job_state state) {
    CHECK(state > JOB_NONE && state < JOB_STATE_COUNT);
    return state_names[state];
}

static bool fill(const struct looker *looker, const struct job_row *row, bool with_place,
                 struct job_view *ret_view, struct err *err) {
    const struct queue_info *queue = queues_find(looker->app, row->job.queue);
    *ret_view = (struct job_view){.row = *row};
    if (queue != NULL) {
        ret_view->pool = queue->pool;
        ret_view->runtime_spec = queue->runtime_spec;
    }
    if (!job_is_open(&row->job)) {
        return true;
    }
    struct waiting_query query = {.job = &row->job,
                                  .pool = ret_view->pool,
                                  .with_place = with_place,
                                  .now_ms = looker->now_ms};
    return waiting_reason_of(looker->app, looker->db, &query, looker->arena, &ret_view->waiting,
                             err);
}

static bool look(struct app *app, struct db_reader *reader, struct arena *arena,
                 struct looker *ret_looker, struct err *err) {
    *ret_looker = (struct looker){.app = app, .db = reader->db, .arena = arena};
    return db_begin(reader->db, err) && db_now(reader->db, &ret_looker->now_ms, err);
}

bool job_list(struct app *app, const struct actor *actor, const struct job_filter *filter,
              struct arena *arena, struct job_page *ret_page, struct err *err) {
    int limit =
        filter->limit > 0 && filter->limit < LIST_LIMIT_MAX ? filter->limit : LIST_LIMIT_MAX;
    struct selection_query query = {.selection = &filter->selection,
                                    .until = filter->cursor > 0 ? filter->cursor - 1 : INT64_MAX,
                                    .newest_first = true,
                                    .limit = limit + 1};
    own(db_reader) reader = NULL;
    struct looker looker = {0};
    struct job_row *rows = NULL;
    int count = 0;
    if (!actor_need_role(actor, ROLE_ADMIN, err) || !db_pool_take(app->readers, &reader, err) ||
        !look(app, reader, arena, &looker, err) ||
        !selection_page(reader->db, &query, arena, &rows, &count, err)) {
        return false;
    }
    bool more = count > limit;
    count = more ? limit : count;
    ret_page->items = arena_array(arena, (size_t)count + 1, sizeof ret_page->items[0]);
    ret_page->count = count;
    ret_page->next = more ? rows[count - 1].submission.value : 0;
    for (int i = 0; i < count; i++) {
        if (!fill(&looker, &rows[i], false, &ret_page->items[i], err)) {
            return false;
        }
    }
    return true;
}

bool job_count(struct app *app, const struct actor *actor, const struct selection *selection,
               int64_t max, int64_t *ret_count, struct err *err) {
    struct selection_query query = {.selection = selection, .until = INT64_MAX};
    own(db_reader) reader = NULL;
    return actor_need_role(actor, ROLE_ADMIN, err) && db_pool_take(app->readers, &reader, err) &&
           selection_count(reader->db, &query, max, ret_count, err);
}

/* ---- one submission ---- */

static bool read_verdict(const struct looker *looker, struct generation_view *view,
                         struct err *err) {
    struct str stored = {0};
    struct judgement judgement = {0};
    bool found = false;
    if (view->row.job.state == JOB_FAILED) {
        view->verdict = VERDICT_SYSTEM_ERROR;
    }
    if (view->row.job.state == JOB_CANCELLED) {
        view->verdict = VERDICT_CANCELLED;
    }
    if (view->row.job.state != JOB_COMPLETED) {
        return true;
    }
    if (!result_store_get(looker->db, view->row.job.id, looker->arena, &stored, &found, err)) {
        return false;
    }
    if (found && !judgement_read(stored, looker->arena, &judgement, err)) {
        return false;
    }
    view->verdict = judgement.verdict;
    view->score_micro = judgement.score_micro;
    return true;
}

/* A rejudging says who made it; a job that was put back stands in the audit log. */
static bool read_requeue(const struct looker *looker, struct generation_view *view,
                         struct err *err) {
    struct audit_row wanted = {.at_ms = view->row.created_ms,
                               .action = job_action_name(ACTION_REQUEUE),
                               .object_kind = "submission",
                               .object_id = view->row.job.submission.value};
    struct audit_found audit = {0};
    struct user_row user = {0};
    bool found = false;
    if (!audit_store_find(looker->db, &wanted, looker->arena, &audit, &found, err)) {
        return false;
    }
    if (!found) {
        return true;
    }
    view->reason = audit.detail;
    if (audit.actor_kind != ACTOR_USER) {
        return true;
    }
    if (!user_store_find(looker->db, (struct user_id){audit.actor}, looker->arena, &user, err)) {
        return err->kind == ERR_MISSING;
    }
    view->by = user.username;
    return true;
}

static bool read_who(const struct looker *looker, struct generation_view *view, struct err *err) {
    struct item_row item = {0};
    struct rejudging_row rejudging = {0};
    bool found = false;
    if (view->row.job.generation == 1) {
        return true; /* its user handed it in */
    }
    if (!item_of_job(looker->db, view->row.job.id, &item, &found, err)) {
        return false;
    }
    if (!found) {
        return read_requeue(looker, view, err);
    }
    view->rejudging = item.rejudging.value;
    if (!rejudging_find(looker->db, item.rejudging, looker->arena, &rejudging, &found, err)) {
        return false;
    }
    view->by = rejudging.username;
    view->reason = rejudging.reason;
    return true;
}

static bool read_generation(const struct looker *looker, const struct generation_row *row,
                            const struct job_row *current, struct generation_view *ret_view,
                            struct err *err) {
    const struct queue_info *queue = queues_find(looker->app, row->job.queue);
    *ret_view = (struct generation_view){
        .row = *row,
        .effective = row->job.id.value == current->effective_job.value,
        .current = row->job.id.value == current->job.id.value,
    };
    if (queue != NULL) {
        ret_view->pool = queue->pool;
        ret_view->runtime_spec = queue->runtime_spec;
    }
    return read_verdict(looker, ret_view, err) && read_who(looker, ret_view, err);
}

static bool read_generations(const struct looker *looker, const struct job_row *current,
                             struct job_detail *detail, struct err *err) {
    struct generation_rows all = {
        .rows = arena_array(looker->arena, GENERATIONS_MAX, sizeof all.rows[0]),
        .max = GENERATIONS_MAX};
    if (!selection_generations(looker->db, current->submission, looker->arena, &all, err)) {
        return false;
    }
    detail->generations =
        arena_array(looker->arena, (size_t)all.count + 1, sizeof detail->generations[0]);
    detail->generation_count = all.count;
    for (int i = 0; i < all.count; i++) {
        if (!read_generation(looker, &all.rows[i], current, &detail->generations[i], err)) {
            return false;
        }
    }
    return true;
}

static bool read_hold(const struct looker *looker, struct job_detail *detail, struct err *err) {
    struct job_hold hold = {0};
    struct user_row user = {0};
    bool found = false;
    if (!job_hold_get(looker->db, detail->current.row.job.id, looker->arena, &hold, &found, err)) {
        return false;
    }
    detail->held_ms = found ? hold.at_ms : 0;
    if (found && hold.actor.value != 0) {
        if (!user_store_find(looker->db, hold.actor, looker->arena, &user, err)) {
            return err->kind == ERR_MISSING;
        }
        detail->hold_actor = user.username;
    }
    return true;
}

bool job_detail_get(struct app *app, const struct actor *actor, struct submission_id id,
                    struct arena *arena, struct job_detail *ret_detail, struct err *err) {
    own(db_reader) reader = NULL;
    struct looker looker = {0};
    struct job_row row = {0};
    bool found = false;
    *ret_detail = (struct job_detail){0};
    if (!actor_need_role(actor, ROLE_TEACHER, err) || !db_pool_take(app->readers, &reader, err) ||
        !look(app, reader, arena, &looker, err) ||
        !selection_one(reader->db, id, arena, &row, &found, err)) {
        return false;
    }
    if (!found) {
        return err_set(err, ERR_MISSING, "no_submission", "there is no submission %lld",
                       (long long)id.value);
    }
    return fill(&looker, &row, true, &ret_detail->current, err) &&
           read_generations(&looker, &row, ret_detail, err) && read_hold(&looker, ret_detail, err);
}
