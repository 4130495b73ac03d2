/* Changing the current jobs of some submissions. What each action may do is decided under the locks
 * of submission and job; what it leaves alone is listed with its reason. */
#include "app/actor_now_internal.h"
#include "app/generation_internal.h"
#include "app/job.h"
#include "app/lease_end_internal.h"
#include "app/news_internal.h"
#include "app/refusal_internal.h"
#include "app/rejudge_note_internal.h"
#include "app/runners_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/audit_store.h"
#include "store/queue_store.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BYTES_MAX (4 * MIB)
static_assert(JOB_RUNTIME_SPEC_BYTES_MAX == RUNTIME_SPEC_BYTES_MAX, "the same name");

struct batch {
    struct app *app;
    struct db *db;
    struct arena *arena;
    struct job_change_request *request;
    struct held_jobs jobs;
    int64_t now_ms;
};

/* NULL: done; else the code why not. */
typedef bool action_fn(struct batch *batch, struct held_job *held, const char **ret_skip,
                       struct err *err);

/* ---- the actions ---- */

/* By the judging that has counted, if one has: the current one may be a rejudging's, which counts
 * only when it is applied. */
static bool count_as_cancelled(struct batch *batch, struct held_job *held, struct err *err) {
    struct job_id counted = held->submission.effective_job;
    struct submission_outcome outcome = {
        .verdict = VERDICT_CANCELLED,
        .cases_total = held->submission.cases_total,
        .effective_job = counted.value != 0 ? counted : held->id,
        .now_ms = batch->now_ms,
    };
    return effective_set(batch->app, batch->db, &held->submission, &outcome, err);
}

static bool cancel(struct batch *batch, struct held_job *held, const char **ret_skip,
                   struct err *err) {
    bool staff =
        batch->request->actor.kind == ACTOR_SYSTEM || batch->request->actor.role == ROLE_ADMIN;
    bool counted = !verdict_is_none(held->submission.verdict);
    if (!job_is_open(&held->job) || (counted && !staff)) {
        *ret_skip = "job_closed";
        return true;
    }
    return job_withdraw(batch->app, batch->db, held, batch->now_ms, err) &&
           rejudge_note_closed(batch->db, held, REASON_CANCELLED, err) &&
           (counted || count_as_cancelled(batch, held, err));
}

static bool delete (struct batch *batch, struct held_job *held, const char **ret_skip,
                    struct err *err) {
    (void)ret_skip;
    if (job_is_open(&held->job) &&
        !(job_withdraw(batch->app, batch->db, held, batch->now_ms, err) &&
          rejudge_note_closed(batch->db, held, REASON_WITHDRAWN, err))) {
        return false;
    }
    return count_as_cancelled(batch, held, err) &&
           submission_store_set_deleted(batch->db, held->submission.id, batch->now_ms, err);
}

/* A job whose result nobody waits for, since another judging counts and its rejudging is over, is
 * left alone: it would replace a verdict unasked. */
static bool may_requeue(struct batch *batch, const struct held_job *held, const char **ret_skip,
                        struct err *err) {
    struct item_row item = {0};
    bool found = false;
    if (held->job.state != JOB_FAILED) {
        *ret_skip = "job_not_failed";
        return true;
    }
    if (verdict_is_none(held->submission.verdict)) {
        return true;
    }
    if (!item_of_job(batch->db, held->id, &item, &found, err)) {
        return false;
    }
    *ret_skip = found && item.state == ITEM_FAILED ? NULL : "job_superseded";
    return true;
}

static bool requeue(struct batch *batch, struct held_job *held, const char **ret_skip,
                    struct err *err) {
    struct job_body body = {0};
    struct generation generation = {
        .body = &body,
        .queue = held->job.queue,
        .priority = held->job.priority,
        .order_key = held->job.order_key, /* it has waited before */
        .now_ms = batch->now_ms,
    };
    if (!may_requeue(batch, held, ret_skip, err)) {
        return false;
    }
    if (*ret_skip != NULL) {
        return true;
    }
    if (!job_body_get(batch->db, held->id, batch->arena, &body, err)) {
        *ret_skip = "job_no_snapshot"; /* kept for a while only: rejudge it instead */
        return err->kind == ERR_MISSING;
    }
    return generation_add(batch->app, batch->db, held, &generation, err) &&
           rejudge_note_requeued(batch->db, held->id, generation.job, err);
}

static bool hold(struct batch *batch, struct held_job *held, const char **ret_skip,
                 struct err *err) {
    bool held_now = false;
    struct job_hold row = {
        .job = held->id,
        .kind = HOLD_BY_OPERATOR,
        .reason = batch->request->reason,
        .actor = batch->request->actor.user,
        .at_ms = batch->now_ms,
    };
    if (held->job.state != JOB_QUEUED) {
        *ret_skip = held->job.state == JOB_RUNNING ? "job_running" : "job_closed";
        return true;
    }
    if (job_is_on_hold(&held->job)) {
        *ret_skip = "job_held";
        return true;
    }
    if (!job_put_on_hold(batch->app, batch->db, held, &row, &held_now, err)) {
        return false;
    }
    *ret_skip = held_now ? NULL : "job_running"; /* a node is just taking it */
    return true;
}

static bool let_go(struct batch *batch, struct held_job *held, const char **ret_skip,
                   struct err *err) {
    if (!job_is_on_hold(&held->job)) {
        *ret_skip = "job_not_held";
        return true;
    }
    return job_let_go(batch->app, batch->db, held, err);
}

/* A snapshot never changes, so the job that waits elsewhere is another one. */
static bool move_to(struct batch *batch, struct held_job *held, struct job_body *body,
                    struct queue_id queue, struct err *err) {
    struct job_id old = held->id;
    struct generation generation = {.body = body,
                                    .queue = queue,
                                    .priority = held->job.priority,
                                    .order_key = held->job.order_key, /* it has waited before */
                                    .now_ms = batch->now_ms};
    body->runtime_spec = batch->request->runtime_spec;
    return job_withdraw(batch->app, batch->db, held, batch->now_ms, err) &&
           generation_add(batch->app, batch->db, held, &generation, err) &&
           rejudge_note_moved(batch->db, old, generation.job, err);
}

static const char *why_not_moved(const struct held_job *held) {
    if (held->job.state != JOB_QUEUED) {
        return held->job.state == JOB_RUNNING ? "job_running" : "job_closed";
    }
    return job_is_on_hold(&held->job) ? "job_held" : NULL;
}

static bool move(struct batch *batch, struct held_job *held, const char **ret_skip,
                 struct err *err) {
    struct job_body body = {0};
    struct queue_id queue = {0};
    bool found = false;
    *ret_skip = why_not_moved(held);
    if (*ret_skip != NULL) {
        return true;
    }
    if (!job_body_get(batch->db, held->id, batch->arena, &body, err)) {
        *ret_skip = "job_no_snapshot";
        return err->kind == ERR_MISSING;
    }
    if (!queue_store_find(batch->db, body.pool, batch->request->runtime_spec, &queue, &found,
                          err)) {
        return false;
    }
    if (!found || queue.value == held->job.queue.value) {
        *ret_skip = found ? "job_there" : "no_queue";
        return true;
    }
    return move_to(batch, held, &body, queue, err);
}

/* clang-format off */
static const struct action {
    const char *name;
    action_fn *run;
    enum role role; /* the least; a student's own submissions only */
} actions[ACTION_COUNT] = {
    [ACTION_CANCEL]  = {"job.cancel",        cancel,  ROLE_STUDENT},
    [ACTION_DELETE]  = {"submission.delete", delete,  ROLE_ADMIN},
    [ACTION_REQUEUE] = {"job.requeue",       requeue, ROLE_ADMIN},
    [ACTION_HOLD]    = {"job.hold",          hold,    ROLE_ADMIN},
    [ACTION_RELEASE] = {"job.release",       let_go,  ROLE_ADMIN},
    [ACTION_MOVE]    = {"job.move",          move,    ROLE_ADMIN},
};
/* clang-format on */

const char *job_action_name(enum job_action action) {
    CHECK(action > 0 && action < ACTION_COUNT);
    return actions[action].name;
}

/* ---- the transaction ---- */

static bool hold_all(struct batch *batch, struct err *err) {
    struct job_change_request *request = batch->request;
    struct job_id *jobs = arena_array(batch->arena, (size_t)request->count, sizeof jobs[0]);
    int count = 0;
    for (int i = 0; i < request->count; i++) {
        struct submission_facts facts = {0};
        bool found = false;
        if (!submission_store_get(batch->db, request->submissions[i], &facts, &found, err)) {
            return false;
        }
        if (found) {
            jobs[count++] = facts.current_job;
        }
    }
    return hold_jobs(batch->db, (struct job_list){jobs, count}, HOLD_SUBMISSIONS, batch->arena,
                     &batch->jobs, err) &&
           db_now(batch->db, &batch->now_ms, err);
}

static struct held_job *held_of(struct batch *batch, struct submission_id id) {
    for (int i = 0; i < batch->jobs.count; i++) {
        if (batch->jobs.rows[i].submission.id.value == id.value) {
            return &batch->jobs.rows[i];
        }
    }
    return NULL;
}

static bool run_one(struct batch *batch, struct submission_id id, const char **ret_skip,
                    struct err *err) {
    struct held_job *held = held_of(batch, id);
    const struct actor *actor = &batch->request->actor;
    *ret_skip = NULL;
    if (held == NULL || held->submission.deleted_ms != 0 ||
        !actor_may_see(actor, held->submission.user)) {
        *ret_skip = "no_submission";
        return true;
    }
    if (held->submission.current_job.value != held->id.value) {
        *ret_skip = "job_superseded"; /* between reading and locking */
        return true;
    }
    return actions[batch->request->action].run(batch, held, ret_skip, err);
}

/* A row for each that is judged again: its history names who had that done (job_search.c). */
static bool audit_requeued(struct batch *batch, const struct submission_id *changed,
                           struct err *err) {
    struct job_change_request *request = batch->request;
    for (int i = 0; i < request->changed; i++) {
        request->audit = runner_take_id(batch->app, ID_AUDIT);
        struct audit_row row = {
            .id = request->audit,
            .at_ms = batch->now_ms,
            .actor = &request->actor,
            .action = actions[ACTION_REQUEUE].name,
            .object_kind = "submission",
            .object_id = changed[i].value,
            .detail = request->reason,
        };
        if (!audit_store_add(batch->db, &row, err)) {
            return false;
        }
    }
    return true;
}

/* One row for all that a transaction has changed. */
static bool audit(struct batch *batch, const struct submission_id *changed, struct err *err) {
    struct job_change_request *request = batch->request;
    if (request->action == ACTION_REQUEUE) {
        return audit_requeued(batch, changed, err);
    }
    own_buf text = {0};
    buf_init(&text, (size_t)64 * KIB);
    buf_printf(&text, STR_FMT "%s", STR_ARG(request->reason), request->reason.len > 0 ? "; " : "");
    if (request->runtime_spec.len > 0) {
        buf_printf(&text, "to " STR_FMT "; ", STR_ARG(request->runtime_spec));
    }
    (void)buf_append_c(&text, "submissions:");
    for (int i = 0; i < request->changed; i++) {
        buf_printf(&text, " %lld", (long long)changed[i].value);
    }
    request->audit = runner_take_id(batch->app, ID_AUDIT);
    struct audit_row row = {
        .id = request->audit,
        .at_ms = batch->now_ms,
        .actor = &request->actor,
        .action = actions[request->action].name,
        .object_kind = "submission",
        .object_id = request->changed == 1 ? changed[0].value : 0,
        .detail = buf_str(&text),
    };
    return request->changed == 0 || audit_store_add(batch->db, &row, err);
}

static bool run_all(struct batch *batch, struct err *err) {
    struct job_change_request *request = batch->request;
    struct submission_id *changed =
        arena_array(batch->arena, (size_t)request->count, sizeof changed[0]);
    request->changed = 0;
    request->skipped_count = 0;
    for (int i = 0; i < request->count; i++) {
        const char *skip = NULL;
        struct submission_id id = request->submissions[i];
        if (!run_one(batch, id, &skip, err)) {
            return false;
        }
        if (skip == NULL) {
            changed[request->changed++] = id;
        } else {
            request->skipped[request->skipped_count++] =
                (struct job_skip){.submission = id, .code = skip};
        }
    }
    return audit(batch, changed, err);
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    CHECK(count == 1);
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct job_change_request *request = (struct job_change_request *)items[0];
    struct batch batch = {.app = app, .db = db, .arena = arena, .request = request};
    enum role role = actions[request->action].role;
    news_reset(app);
    if ((role > ROLE_STUDENT && !actor_need_role_now(db, &request->actor, role, err)) ||
        !hold_all(&batch, err) || !run_all(&batch, err)) {
        return false;
    }
    request->item.ok = true;
    return true;
}

/* Its row in the audit log is the proof; without one it had changed nothing. */
static bool read_back(struct app *app, struct db *db, struct write_item *item, struct err *err) {
    const struct job_change_request *request = (struct job_change_request *)item;
    bool found = false;
    (void)app;
    return audit_store_has(db, request->audit, &found, err) && found;
}

static void committed(struct app *app, struct write_item **items, int count) {
    news_tell(app, items, count);
    events_start(app);
}

static const struct write_kind change_kind = {.name = "job.change",
                                              .batch_max = 1,
                                              .run = run,
                                              .read_back = read_back,
                                              .committed = committed};

static bool check_spec(enum job_action action, struct str spec, struct err *err) {
    return ((action == ACTION_MOVE) == (spec.len > 0) && spec.len <= JOB_RUNTIME_SPEC_BYTES_MAX) ||
           err_set(err, ERR_INVALID, "bad_field",
                   "field `runtimeSpec` names where MOVE goes to, and belongs to it alone");
}

static bool check(const struct job_change_request *request, struct err *err) {
    if (request->count < 1 || request->count > JOB_CHANGE_MAX) {
        return err_set(err, ERR_INVALID, "bad_field", "1 to %d submissions at once",
                       JOB_CHANGE_MAX);
    }
    if (request->reason.len > JOB_REASON_BYTES_MAX || !str_is_utf8(request->reason)) {
        return err_set(err, ERR_INVALID, "bad_field", "field `reason` has at most %d bytes of text",
                       JOB_REASON_BYTES_MAX);
    }
    if (!check_spec(request->action, request->runtime_spec, err)) {
        return false;
    }
    return request->actor.kind == ACTOR_SYSTEM || actor_need_user(&request->actor, err);
}

void job_change(struct app *app, struct job_change_request *request) {
    struct err err = {0};
    CHECK(request->action > 0 && request->action < ACTION_COUNT);
    request->changed = 0;
    request->skipped_count = 0;
    if (!check(request, &err)) {
        app_fail(&request->item, &err);
        return;
    }
    request->item.kind = &change_kind;
    app_write(app, &request->item);
}

/* ---- for callers that wait ---- */

static bool change_and_wait(struct app *app, struct job_change_request *request, struct err *err) {
    request->item.kind = &change_kind;
    return check(request, err) && app_write_wait(app, &request->item, err);
}

static const char *skip_text(const char *code) {
    static const struct {
        const char *code;
        const char *text;
    } texts[] = {
        {"job_closed", "its judging is over"},
        {"job_running", "a judge node is judging it right now"},
        {"job_held", "it is held already"},
        {"job_not_held", "it is not held"},
        {"job_not_failed", "only a judging that failed can be put back"},
        {"job_superseded", "another judging of it counts by now"},
        {"job_there", "it waits for that runtime spec already"},
        {"no_queue", "its pool has no queue of that runtime spec"},
        {"job_no_snapshot", "its snapshot is not kept any more: rejudge it"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(texts[i].code, code) == 0) {
            return texts[i].text;
        }
    }
    return "there is no such submission";
}

bool job_change_one(struct app *app, const struct actor *actor, enum job_action action,
                    struct submission_id id, struct str reason, struct err *err) {
    struct job_change_request *request = calloc(1, sizeof *request);
    CHECK(request != NULL);
    request->actor = *actor;
    request->action = action;
    request->reason = reason;
    request->submissions = &id;
    request->count = 1;
    bool ok = change_and_wait(app, request, err);
    if (ok && request->skipped_count > 0) {
        const char *code = request->skipped[0].code;
        bool missing = strcmp(code, "no_submission") == 0;
        ok = err_set(err, missing ? ERR_MISSING : ERR_CONFLICT, code, "submission %lld: %s",
                     (long long)id.value, skip_text(code));
    }
    free(request);
    return ok;
}

struct sweep {
    struct app *app;
    const struct job_selection_change *change;
    struct job_change_request request;
    struct submission_id page[JOB_CHANGE_MAX];
    struct job_selection_result *result;
    int64_t after;
    int64_t until;
};

static bool find_page(struct sweep *sweep, struct arena *arena, struct err *err) {
    own(db_reader) reader = NULL;
    struct job_row *rows = NULL;
    struct selection_query query = {.selection = sweep->change->selection,
                                    .after = sweep->after,
                                    .until = sweep->until,
                                    .limit = JOB_CHANGE_MAX};
    if (!db_pool_take(sweep->app->readers, &reader, err) || !db_begin(reader->db, err) ||
        !selection_page(reader->db, &query, arena, &rows, &sweep->request.count, err)) {
        return false;
    }
    for (int i = 0; i < sweep->request.count; i++) {
        sweep->page[i] = rows[i].submission;
    }
    return true;
}

static void add_skipped(struct sweep *sweep) {
    struct job_selection_result *result = sweep->result;
    for (int i = 0; i < sweep->request.skipped_count; i++) {
        if (result->named_count < JOB_SKIPPED_MAX) {
            result->named[result->named_count++] = sweep->request.skipped[i];
        }
    }
    result->changed += sweep->request.changed;
    result->skipped += sweep->request.skipped_count;
}

/* *ret_more: there may be further ones. */
static bool sweep_page(struct sweep *sweep, bool *ret_more, struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    if (!find_page(sweep, arena, err)) {
        return false;
    }
    *ret_more = sweep->request.count == JOB_CHANGE_MAX;
    if (sweep->request.count == 0) {
        return true;
    }
    sweep->after = sweep->page[sweep->request.count - 1].value;
    if (!change_and_wait(sweep->app, &sweep->request, err)) {
        return false;
    }
    add_skipped(sweep);
    return true;
}

static bool sweep_all(struct sweep *sweep, struct err *err) {
    bool more = true;
    struct job_selection_result *result = sweep->result;
    while (more && result->changed + result->skipped < JOB_SELECTION_MAX) {
        if (!sweep_page(sweep, &more, err)) {
            return false;
        }
    }
    result->next = more ? sweep->after : 0;
    return true;
}

static bool find_newest(struct app *app, int64_t *ret_id, struct err *err) {
    own(db_reader) reader = NULL;
    return db_pool_take(app->readers, &reader, err) && selection_newest(reader->db, ret_id, err);
}

bool job_change_selection(struct app *app, const struct actor *actor,
                          const struct job_selection_change *change, struct arena *arena,
                          struct job_selection_result *ret_result, struct err *err) {
    if (!actor_need_role(actor, ROLE_ADMIN, err) ||
        !check_spec(change->action, change->runtime_spec, err)) {
        return false;
    }
    *ret_result = (struct job_selection_result){
        .named = arena_array(arena, JOB_SKIPPED_MAX, sizeof ret_result->named[0])};
    struct sweep *sweep = arena_new(arena, struct sweep);
    sweep->app = app;
    sweep->change = change;
    sweep->result = ret_result;
    sweep->after = change->cursor;
    sweep->request.actor = *actor;
    sweep->request.action = change->action;
    sweep->request.reason = change->reason;
    sweep->request.runtime_spec = change->runtime_spec;
    sweep->request.submissions = sweep->page;
    return find_newest(app, &sweep->until, err) && sweep_all(sweep, err);
}
