/* Jobs as nodes ask for them: claim, renew, progress, result, failure, release, artifacts. */
#include "app/dispatch.h"
#include "base/limits.h"
#include "server/machine_internal.h"
#include "wire/machine_json.h"

#include <string.h>

static route_fn job_claim, job_renew, job_progress, job_result, job_failure, job_release,
    artifact_get;

/* clang-format off */
#define JOBS "/api/v1/internal/judgers/jobs/"
const struct route routes_machine_jobs[] = {
    {HTTP_POST, JOBS "claim", ACCESS_NODE, 4 * KIB, RATE_MACHINE, 0,
     job_claim, "jobClaim"},
    {HTTP_POST, JOBS "renew", ACCESS_NODE, 64 * KIB, RATE_MACHINE, 0,
     job_renew, "jobRenew"},
    {HTTP_POST, JOBS "progress", ACCESS_NODE, 1 * MIB, RATE_MACHINE, 0,
     job_progress, "jobProgress"},
    {HTTP_POST, JOBS "release", ACCESS_NODE, 64 * KIB, RATE_MACHINE, 0,
     job_release, "jobRelease"},
    {HTTP_POST, JOBS "{id}/result", ACCESS_NODE, MACHINE_RESULT_BYTES_MAX, RATE_MACHINE, ROUTE_BLOCKING,
     job_result, "jobResult"},
    {HTTP_POST, JOBS "{id}/failure", ACCESS_NODE, 16 * KIB, RATE_MACHINE, 0,
     job_failure, "jobFailure"},
    {HTTP_GET, JOBS "{id}/artifacts/{digest}", ACCESS_NODE, 0, RATE_MACHINE, ROUTE_BLOCKING,
     artifact_get, "artifactGet"},
    {0},
};
/* clang-format on */

/* ---- claim ---- */

struct claim_call {
    struct claim_request request;
    struct call *call;
};

static bool job_of(const struct claimed_job *from, struct machine_job *ret_job, struct err *err) {
    *ret_job = (struct machine_job){
        .subject = str_eq_c(from->pool, "mysql") ? MACHINE_SQL : MACHINE_ALGO,
        .submission = from->submission,
        .generation = from->generation,
        .pool = from->pool,
        .runtime_spec = from->runtime_spec,
        .lease = {from->lease.job, from->lease.epoch, from->lease.token},
        .lease_remaining_ms = from->lease_remaining_ms,
        .language = from->language,
        .source_bytes = from->source_bytes,
        .time_limit_ms = from->time_limit_ms,
        .memory_limit_kib = from->memory_limit_kib,
        .output_limit_kib = from->output_limit_kib,
        .job_total_ms = from->job_total_ms,
        .trace_id = from->trace_id,
    };
    if (!digest_parse(str_from(from->manifest_id), &ret_job->manifest) ||
        !digest_parse(str_from(from->source_digest), &ret_job->source)) {
        return err_set(err, ERR_SYSTEM, "bad_snapshot", "job %lld has a digest that is none",
                       (long long)from->job.value);
    }
    return true;
}

static bool encode_jobs(struct claim_call *claim, struct err *err) {
    struct call *call = claim->call;
    const struct claim_request *request = &claim->request;
    struct machine_claim_answer answer = {
        .jobs = arena_array(call->arena, (size_t)request->job_count + 1, sizeof *answer.jobs),
        .job_count = request->job_count};
    for (int i = 0; i < request->job_count; i++) {
        if (!job_of(&request->jobs[i], &answer.jobs[i], err)) {
            return false;
        }
    }
    buf_init(&call->out, MACHINE_CLAIM_ANSWER_BYTES_MAX);
    return machine_claim_answer_encode(&answer, &call->out, err);
}

static void claim_done(struct write_item *item) {
    struct claim_call *claim = item->context;
    struct err err = {0};
    if (!item->ok) {
        machine_refuse(claim->call, "claim.refused", 0, &item->err);
    } else if (!encode_jobs(claim, &err)) {
        call_fail(claim->call, &err);
    } else {
        call_reply_text(claim->call, 200, buf_str(&claim->call->out));
    }
}

/* A node that was killed while it waited: its next job goes to another. */
static void claim_gone(struct http_request *http) {
    struct call *call = http_state(http);
    struct claim_call *claim = call->pending;
    dispatch_claim_cancel(call->app, &claim->request);
}

static void job_claim(struct call *call) {
    struct machine_claim message = {0};
    struct str text = {0};
    struct err err = {0};
    if (!machine_body(call, &text)) {
        return;
    }
    if (!machine_claim_decode(text, &message, &err)) {
        machine_refuse(call, "claim.refused", 0, &err);
        return;
    }
    struct claim_call *claim = arena_new(call->arena, struct claim_call);
    claim->call = call;
    claim->request = (struct claim_request){.item = {.done = claim_done, .context = claim},
                                            .actor = call->actor,
                                            .session_epoch = message.session_epoch,
                                            .claim_id = message.claim_id,
                                            .free_slots = message.free_slots,
                                            .wait_ms = message.wait_ms,
                                            .arena = call->arena};
    call->pending = claim;
    http_watch_gone(call->http, claim_gone);
    call_later(call);
    dispatch_claim(call->app, &claim->request);
}

/* ---- renew ---- */

struct renew_call {
    struct renew_request request;
    struct call *call;
};

static void note_conflict(const struct call *call, const struct renew_item *item) {
    struct err err = {0};
    if (item->answer == RENEW_CONFLICT) {
        (void)err_set(&err, ERR_CONFLICT, "lease_superseded",
                      "the lease is not the node's, or over");
        machine_note(call, "renew.refused", item->lease.job.value, &err);
    }
}

static void renew_done(struct write_item *item) {
    struct renew_call *renew = item->context;
    struct call *call = renew->call;
    const struct renew_request *request = &renew->request;
    struct err err = {0};
    if (!item->ok) {
        machine_refuse(call, "renew.refused", 0, &item->err);
        return;
    }
    struct machine_renew_answer answer = {
        .leases = arena_array(call->arena, (size_t)request->count + 1, sizeof *answer.leases),
        .lease_count = request->count};
    for (int i = 0; i < request->count; i++) {
        answer.leases[i] =
            (struct machine_renewed){.job = request->items[i].lease.job,
                                     .answer = (enum machine_renewal)request->items[i].answer,
                                     .lease_remaining_ms = request->items[i].remaining_ms};
        note_conflict(call, &request->items[i]);
    }
    buf_init(&call->out, MACHINE_MESSAGE_BYTES_MAX);
    if (!machine_renew_answer_encode(&answer, &call->out, &err)) {
        call_fail(call, &err);
        return;
    }
    call_reply_text(call, 200, buf_str(&call->out));
}

static void job_renew(struct call *call) {
    struct machine_renew message = {0};
    struct str text = {0};
    struct err err = {0};
    if (!machine_body(call, &text)) {
        return;
    }
    if (!machine_renew_decode(text, call->arena, &message, &err)) {
        machine_refuse(call, "renew.refused", 0, &err);
        return;
    }
    struct renew_call *renew = arena_new(call->arena, struct renew_call);
    renew->call = call;
    renew->request =
        (struct renew_request){.item = {.done = renew_done, .context = renew},
                               .actor = call->actor,
                               .session_epoch = message.session_epoch,
                               .items = arena_array(call->arena, (size_t)message.lease_count + 1,
                                                    sizeof(struct renew_item)),
                               .count = message.lease_count};
    for (int i = 0; i < message.lease_count; i++) {
        renew->request.items[i].lease = lease_of(&message.leases[i]);
    }
    call_later(call);
    dispatch_renew(call->app, &renew->request);
}

/* ---- progress ---- */

static void job_progress(struct call *call) {
    struct machine_progress message = {0};
    struct str text = {0};
    struct err err = {0};
    if (!machine_body(call, &text)) {
        return;
    }
    if (!machine_progress_decode(text, call->arena, &message, &err)) {
        machine_refuse(call, "progress.refused", 0, &err);
        return;
    }
    struct progress_item *items =
        arena_array(call->arena, (size_t)message.item_count + 1, sizeof *items);
    for (int i = 0; i < message.item_count; i++) {
        const struct machine_progress_item *from = &message.items[i];
        items[i] = (struct progress_item){.lease = lease_of(&from->lease),
                                          .sequence = from->sequence,
                                          .stage = from->stage,
                                          .case_index = from->case_index,
                                          .cases_total = from->cases_total,
                                          .finished = from->cases,
                                          .finished_count = from->case_count};
    }
    if (!dispatch_progress(call->app, &call->actor, message.session_epoch, items,
                           message.item_count, &err)) {
        machine_refuse(call, "progress.refused", 0, &err);
        return;
    }
    call_reply_empty(call, 204);
}

/* ---- result ---- */

struct result_call {
    struct settle_request request;
    struct judgement judgement;
    struct call *call;
};

static void fail_result(const struct result_call *result) {
    const struct settle_request *request = &result->request;
    if (!request->recorded) {
        machine_note(result->call, "result.refused", request->lease.job.value, &request->item.err);
    }
    call_fail(result->call, &request->item.err);
}

static void result_done(struct write_item *item) {
    struct result_call *result = item->context;
    struct call *call = result->call;
    struct machine_result_answer answer = {.already = result->request.already};
    struct err err = {0};
    if (!item->ok) {
        fail_result(result);
        return;
    }
    buf_init(&call->out, MACHINE_MESSAGE_BYTES_MAX);
    if (!machine_result_answer_encode(&answer, &call->out, &err)) {
        call_fail(call, &err);
        return;
    }
    call_reply_text(call, 200, buf_str(&call->out));
}

static void job_result(struct call *call) {
    struct machine_result message = {0};
    struct job_id job = {0};
    struct str text = {0};
    struct err err = {0};
    struct result_call *result = arena_new(call->arena, struct result_call);
    if (!call_id(call, 0, "no_job", &job.value) || !machine_body(call, &text)) {
        return;
    }
    if (!machine_result_decode(text, job, call->arena, &message, &result->judgement, &err)) {
        machine_refuse(call, "result.refused", job.value, &err);
        return;
    }
    result->call = call;
    result->request = (struct settle_request){.item = {.done = result_done, .context = result},
                                              .actor = call->actor,
                                              .session_epoch = message.session_epoch,
                                              .lease = lease_of(&message.lease),
                                              .result = message.text,
                                              .judgement = &result->judgement};
    memcpy(result->request.digest, message.digest.bytes, sizeof result->request.digest);
    call_later(call);
    dispatch_settle(call->app, &result->request);
}

/* ---- failure ---- */

struct failure_call {
    struct failure_request request;
    struct call *call;
};

static void fail_failure(const struct failure_call *failure) {
    const struct failure_request *request = &failure->request;
    if (!request->recorded) {
        machine_note(failure->call, "failure.refused", request->lease.job.value,
                     &request->item.err);
    }
    call_fail(failure->call, &request->item.err);
}

static void failure_done(struct write_item *item) {
    struct failure_call *failure = item->context;
    struct call *call = failure->call;
    struct machine_failure_answer answer = {.failed = failure->request.failed};
    struct err err = {0};
    if (!item->ok) {
        fail_failure(failure);
        return;
    }
    buf_init(&call->out, MACHINE_MESSAGE_BYTES_MAX);
    if (!machine_failure_answer_encode(&answer, &call->out, &err)) {
        call_fail(call, &err);
        return;
    }
    call_reply_text(call, 200, buf_str(&call->out));
}

static void job_failure(struct call *call) {
    struct machine_failure message = {0};
    struct job_id job = {0};
    struct str text = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_job", &job.value) || !machine_body(call, &text)) {
        return;
    }
    if (!machine_failure_decode(text, job, call->arena, &message, &err)) {
        machine_refuse(call, "failure.refused", job.value, &err);
        return;
    }
    struct failure_call *failure = arena_new(call->arena, struct failure_call);
    failure->call = call;
    failure->request = (struct failure_request){.item = {.done = failure_done, .context = failure},
                                                .actor = call->actor,
                                                .session_epoch = message.session_epoch,
                                                .lease = lease_of(&message.lease),
                                                .fault = message.fault,
                                                .code = message.code,
                                                .detail = message.detail};
    call_later(call);
    dispatch_failure(call->app, &failure->request);
}

/* ---- release ---- */

struct release_call {
    struct release_request request;
    struct call *call;
};

static void release_done(struct write_item *item) {
    struct release_call *release = item->context;
    struct call *call = release->call;
    struct machine_release_answer answer = {.released = release->request.released};
    struct err err = {0};
    if (!item->ok) {
        machine_refuse(call, "release.refused", 0, &item->err);
        return;
    }
    if (answer.released < release->request.count) {
        (void)err_set(&err, ERR_CONFLICT, "lease_superseded", "%d of %d leases are not the node's",
                      release->request.count - answer.released, release->request.count);
        machine_note(call, "release.refused", release->request.leases[0].job.value, &err);
    }
    buf_init(&call->out, MACHINE_MESSAGE_BYTES_MAX);
    if (!machine_release_answer_encode(&answer, &call->out, &err)) {
        call_fail(call, &err);
        return;
    }
    call_reply_text(call, 200, buf_str(&call->out));
}

static void job_release(struct call *call) {
    struct machine_release message = {0};
    struct str text = {0};
    struct err err = {0};
    if (!machine_body(call, &text)) {
        return;
    }
    if (!machine_release_decode(text, call->arena, &message, &err)) {
        call_fail(call, &err);
        return;
    }
    struct lease_ref *leases =
        arena_array(call->arena, (size_t)message.lease_count + 1, sizeof *leases);
    for (int i = 0; i < message.lease_count; i++) {
        leases[i] = lease_of(&message.leases[i]);
    }
    struct release_call *release = arena_new(call->arena, struct release_call);
    release->call = call;
    release->request = (struct release_request){.item = {.done = release_done, .context = release},
                                                .actor = call->actor,
                                                .session_epoch = message.session_epoch,
                                                .leases = leases,
                                                .count = message.lease_count};
    call_later(call);
    dispatch_release(call->app, &release->request);
}

/* ---- artifacts ---- */

static bool artifact_lease(struct call *call, struct artifact_request *request, struct err *err) {
    struct str session = http_header(call->http, MACHINE_HEADER_SESSION);
    struct str epoch = http_header(call->http, MACHINE_HEADER_LEASE_EPOCH);
    struct str token = http_header(call->http, MACHINE_HEADER_LEASE_TOKEN);
    if (!str_to_i64(session, 1, ID_MAX, &request->session_epoch, err) ||
        !str_to_i64(epoch, 1, ID_MAX, &request->lease.epoch, err) ||
        !machine_token_parse(token, &request->lease.token)) {
        return err_set(err, ERR_INVALID, "bad_parameter",
                       "the headers %s, %s and %s must name a lease", MACHINE_HEADER_SESSION,
                       MACHINE_HEADER_LEASE_EPOCH, MACHINE_HEADER_LEASE_TOKEN);
    }
    return true;
}

static void artifact_get(struct call *call) {
    struct artifact_request request = {.actor = call->actor};
    struct digest digest = {0};
    int64_t bytes = 0;
    own_fd fd = -1;
    struct err err = {0};
    if (!call_id(call, 0, "no_job", &request.lease.job.value)) {
        return;
    }
    if (!digest_parse(call->params[1], &digest)) {
        call_fail_at(call, ERR_MISSING, "no_artifact", "this is no digest");
        return;
    }
    memcpy(request.sha256, digest.bytes, sizeof request.sha256);
    if (!artifact_lease(call, &request, &err) ||
        !dispatch_artifact_open(call->app, &request, &fd, &bytes, &err)) {
        machine_refuse(call, "artifact.refused", request.lease.job.value, &err);
        return;
    }
    http_add_header(call->http, "ETag",
                    arena_printf(call->arena, "\"" STR_FMT "\"", STR_ARG(call->params[1])));
    http_add_header(call->http, "Cache-Control", "no-store");
    http_send_fd(call->http, 200, "application/octet-stream", take_fd(&fd), bytes);
}
