/* Settlement: a result becomes final, once.
 *
 * What is slow (hashing, checking against the manifest, packing) is done by the caller's thread
 * before the item is queued; the transaction decides under the locks of node, submission and job,
 * with the time that was read after them. What it refuses is recorded in node_event. */
#include "app/app_internal.h"
#include "app/backlog_internal.h"
#include "app/dispatch.h"
#include "app/held_internal.h"
#include "app/judgement_text.h"
#include "app/lease_end_internal.h"
#include "app/manifest_cache_internal.h"
#include "app/memo_internal.h"
#include "app/news_internal.h"
#include "app/refusal_internal.h"
#include "app/result_check.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/job_store.h"
#include "store/result_store.h"

#include <string.h>

#define BATCH_MAX 64
#define BATCH_BYTES_MAX (16 * MIB)
#define STORED_BYTES_MAX (8 * MIB) /* of one result, unpacked and packed */

/* Lives from dispatch_settle to `done`. */
struct settle_work {
    struct arena *arena;
    struct packed result;
    int64_t cpu_ms;
    int64_t memory_kib;
    void (*done)(struct write_item *item); /* the caller's */
};

struct batch {
    struct app *app;
    struct db *db;
    struct held held;
    int64_t now_ms;
};

/* NULL when one is not known: then they are read. */
static struct submission_id *recall_submissions(struct app *app, const struct job_id *jobs,
                                                int count, struct arena *arena) {
    struct submission_id *submissions = arena_array(arena, (size_t)count, sizeof submissions[0]);
    struct job_memo memo;
    for (int i = 0; i < count; i++) {
        if (!memo_find_job(app, jobs[i], &memo)) {
            return NULL;
        }
        submissions[i] = memo.submission;
    }
    return submissions;
}

static bool hold(struct batch *batch, struct write_item **items, int count, struct arena *arena,
                 struct err *err) {
    struct node_id *nodes = arena_array(arena, (size_t)count, sizeof nodes[0]);
    struct job_id *jobs = arena_array(arena, (size_t)count, sizeof jobs[0]);
    for (int i = 0; i < count; i++) {
        const struct settle_request *request = (struct settle_request *)items[i];
        nodes[i] = request->actor.node;
        jobs[i] = request->lease.job;
    }
    const struct submission_id *submissions = recall_submissions(batch->app, jobs, count, arena);
    struct hold_plan plan = {.nodes = {nodes, count},
                             .mode = LOCK_SHARED,
                             .jobs = {jobs, count},
                             .hold = HOLD_SUBMISSIONS,
                             .submissions = submissions,
                             .with_clock = true};
    if (!hold_batch(batch->db, &plan, arena, &batch->held, err)) {
        return false;
    }
    batch->now_ms = batch->held.now_ms;
    return true;
}

static bool accept_result(struct batch *batch, struct settle_request *request,
                          struct held_job *held, struct err *err) {
    struct job *job = &held->job;
    const struct judgement *judgement = request->judgement;
    struct submission_outcome outcome = {
        .verdict = judgement->verdict,
        .score_micro = judgement->score_micro,
        .cases_passed = judgement->cases_passed,
        .cases_total = judgement->cases_total,
        .cpu_ms = request->work->cpu_ms,
        .memory_kib = request->work->memory_kib,
        .now_ms = batch->now_ms,
    };
    CHECK(job_apply(job, JOB_SETTLE, err)); /* settle_check saw its lease, so it runs */
    job->has_digest = true;
    memcpy(job->digest, request->digest, sizeof job->digest);
    held->has_lease = false;
    backlog_pace(batch->app, job->queue, batch->now_ms - held->lease.claimed_ms); /* a hint */
    return lease_drop(batch->app, batch->db, &held->lease, err) &&
           job_store_close(batch->db, job, batch->now_ms, err) &&
           result_store_insert(batch->db, job->id, &request->work->result, err) &&
           outcome_apply(batch->app, batch->db, held, &outcome, err);
}

static bool decide(struct batch *batch, struct settle_request *request, struct held_job *held,
                   struct node *node, struct err *err) {
    struct settle_facts facts = {
        .node = node,
        .job = &held->job,
        .lease = held->has_lease ? &held->lease : NULL,
        .current_job = held->submission.current_job,
        .shown = &request->lease,
        .digest = request->digest,
    };
    switch (settle_check(&facts, batch->now_ms, &request->item.err)) {
    case SETTLE_ACCEPT:
        request->already = false;
        request->item.ok = true;
        return accept_result(batch, request, held, err);
    case SETTLE_ALREADY:
        request->already = true;
        request->item.ok = true;
        return true;
    case SETTLE_REFUSE: break;
    }
    struct refusal refusal = {
        .event = "result.refused",
        .node = node->id,
        .job = held->id,
        .now_ms = batch->now_ms,
        .reason = &request->item.err,
    };
    request->recorded = true;
    return refusal_record(batch->app, batch->db, &refusal, err) &&
           lease_give_up(batch->app, batch->db, held, node, &request->lease, err);
}

static bool run_one(struct batch *batch, struct settle_request *request, struct err *err) {
    struct node *node = held_node(&batch->held.nodes, request->actor.node);
    struct held_job *held = held_find(&batch->held.jobs, request->lease.job);
    if (node == NULL) {
        (void)err_set(&request->item.err, ERR_UNAUTHENTICATED, "bad_credential",
                      "there is no such node");
        return true;
    }
    if (!held->found) {
        (void)err_set(&request->item.err, ERR_MISSING, "no_job", "there is no job %lld",
                      (long long)request->lease.job.value);
        return true;
    }
    if (!node_may_act(node, request->session_epoch, &request->item.err)) {
        struct refusal refusal = {.event = "result.refused",
                                  .node = node->id,
                                  .job = held->id,
                                  .now_ms = batch->now_ms,
                                  .reason = &request->item.err};
        request->recorded = true;
        return refusal_record(batch->app, batch->db, &refusal, err);
    }
    return decide(batch, request, held, node, err);
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    own(arena) arena = arena_create(BATCH_BYTES_MAX);
    struct batch batch = {.app = app, .db = db};
    news_reset(app);
    if (!hold(&batch, items, count, arena, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!run_one(&batch, (struct settle_request *)items[i], err)) {
            return false;
        }
    }
    return true;
}

/* Closed by this lease with these bytes: by this try or an earlier one, nobody can tell, and it
 * makes no difference to the node. */
static bool read_back(struct app *app, struct db *db, struct write_item *item, struct err *err) {
    struct settle_request *request = (struct settle_request *)item;
    struct job job = {0};
    bool found = false;
    (void)app;
    request->already = true;
    return job_store_get(db, request->lease.job, &job, &found, err) && found &&
           job.state == JOB_COMPLETED && job.lease_epoch == request->lease.epoch &&
           job.lease_token == request->lease.token &&
           memcmp(job.digest, request->digest, sizeof job.digest) == 0;
}

static void committed(struct app *app, struct write_item **items, int count) {
    news_tell(app, items, count);
    for (int i = 0; i < count; i++) {
        const struct settle_request *request = (struct settle_request *)items[i];
        if (request->item.ok) {
            progress_forget(app, request->lease.job);
        }
    }
    events_start(app);
}

static const struct write_kind settle_kind = {.name = "settle",
                                              .batch_max = BATCH_MAX,
                                              .lane = WRITE_SETTLE,
                                              .run = run,
                                              .read_back = read_back,
                                              .committed = committed};

/* ---- before the transaction ---- */

static bool check_digest(const struct settle_request *request, struct err *err) {
    struct digest digest = digest_of(request->result);
    return memcmp(digest.bytes, request->digest, sizeof digest.bytes) == 0 ||
           err_set(err, ERR_CONFLICT, "digest_conflict",
                   "the digest does not match the result's bytes");
}

static bool read_manifest_id(struct app *app, struct job_id job, struct arena *arena,
                             uint8_t ret_id[32], struct err *err) {
    own(db_reader) reader = NULL;
    struct job_body body = {0};
    struct job_memo memo;
    if (memo_find_job(app, job, &memo)) {
        memcpy(ret_id, memo.manifest_id, 32);
        return true;
    }
    if (!db_pool_take(app->readers, &reader, err) ||
        !job_body_get(reader->db, job, arena, &body, err)) {
        return false;
    }
    memcpy(ret_id, body.manifest_id, 32);
    return true;
}

static bool check_result(struct app *app, const struct settle_request *request, struct arena *arena,
                         struct err *err) {
    uint8_t manifest_id[32];
    own(cached_manifest) manifest = NULL;
    return read_manifest_id(app, request->lease.job, arena, manifest_id, err) &&
           manifest_get(app, manifest_id, &manifest, err) &&
           result_check(&manifest->manifest, request->judgement, err);
}

static bool pack_result(struct settle_work *work, const struct judgement *judgement,
                        struct err *err) {
    own_buf text = {0};
    buf_init(&text, RESULT_BYTES_MAX);
    if (!judgement_write(judgement, &text, err)) {
        return false;
    }
    work->result = pack(buf_str(&text), work->arena);
    work->result.content = arena_str(work->arena, work->result.content);
    for (int32_t i = 0; i < judgement->case_count; i++) {
        const struct case_result *result = &judgement->cases[i];
        work->cpu_ms = result->cpu_ms > work->cpu_ms ? result->cpu_ms : work->cpu_ms;
        work->memory_kib =
            result->memory_kib > work->memory_kib ? result->memory_kib : work->memory_kib;
    }
    return true;
}

static bool prepare(struct app *app, struct settle_request *request, struct err *err) {
    own(arena) arena = arena_create(3 * STORED_BYTES_MAX);
    if (request->result.len > RESULT_BYTES_MAX) {
        return err_set(err, ERR_TOO_LARGE, "too_large", "a result has at most %d bytes",
                       RESULT_BYTES_MAX);
    }
    if (!check_digest(request, err) || !check_result(app, request, arena, err)) {
        return false;
    }
    struct settle_work *work = arena_new(arena, struct settle_work);
    work->arena = arena;
    if (!pack_result(work, request->judgement, err)) {
        return false;
    }
    (void)take(arena);
    request->work = work;
    return true;
}

static void finish(struct write_item *item) {
    struct settle_request *request = (struct settle_request *)item;
    struct settle_work *work = take(request->work);
    item->done = work->done;
    arena_free(work->arena); /* `work` with it */
    item->done(item);
}

void dispatch_settle(struct app *app, struct settle_request *request) {
    struct err err = {0};
    request->already = false;
    request->recorded = false;
    request->work = NULL;
    if (!prepare(app, request, &err)) {
        app_fail(&request->item, &err);
        return;
    }
    request->work->done = request->item.done;
    request->item.done = finish;
    request->item.kind = &settle_kind;
    app_write(app, &request->item);
}
