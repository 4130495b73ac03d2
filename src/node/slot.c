/* One slot: takes a job from the board, fetches what it needs, judges, and sends the outcome until
 * the server has answered or the lease has ended. */
#include "base/check.h"
#include "base/file.h"
#include "base/log.h"
#include "node/node_internal.h"
#include "wire/judgement_json.h"

#include <string.h>
#include <unistd.h>

#define RETRY_MS_MIN 200
#define RETRY_MS_MAX 3000

struct slot_job {
    struct node *node;
    int slot;
    const struct node_link *link;
    struct machine_job job;
    struct arena *arena;
    struct manifest manifest;
    struct judge_source source;
    enum board_stop stop;
};

/* ---- fetching ---- */

static void back_off(const struct slot_job *job, int64_t *pause_ms) {
    clock_sleep_ms(job->node->options->clock, *pause_ms);
    *pause_ms = *pause_ms * 2 > RETRY_MS_MAX ? RETRY_MS_MAX : *pause_ms * 2;
}

/* Its own failures too, which come as its codes; a failure of this machine has another. */
static bool server_is_away(const struct err *err) {
    return err->kind == ERR_BUSY || err->kind == ERR_DEADLINE || err->kind == ERR_LIMITED ||
           (err->kind == ERR_SYSTEM && err->code != NULL &&
            (strcmp(err->code, "internal") == 0 || strcmp(err->code, "server_error") == 0));
}

/* A server that is away comes back: it is asked until the lease ends, and no attempt is lost. */
static bool get_artifact(const struct slot_job *job, const struct digest *digest, int64_t bytes,
                         int *ret_fd, struct err *err) {
    struct cache_fetch fetch = {job->link->api, job->node->options->clock,
                                job->node->session.session_epoch, job->job.lease};
    int64_t pause_ms = RETRY_MS_MIN;
    while (!cache_get(job->node->cache, &fetch, digest, bytes, ret_fd, err)) {
        if (!server_is_away(err) || board_ask(job->node->board, job->slot) != BOARD_GO) {
            return false;
        }
        log_warn("artifact.retry", LOG_ERR(err), LOG_TEXT("traceId", job->job.trace_id));
        back_off(job, &pause_ms);
    }
    return true;
}

/* ---- what the judge asks for ---- */

static bool open_blob(void *context, const struct blob_ref *blob, int *ret_fd, struct err *err) {
    struct slot_job *job = context;
    struct digest digest;
    static_assert(sizeof digest.bytes == sizeof blob->sha256, "both are SHA-256");
    memcpy(digest.bytes, blob->sha256, sizeof digest.bytes);
    return get_artifact(job, &digest, blob->bytes, ret_fd, err);
}

static bool on_progress(void *context, const struct judge_progress *progress) {
    struct slot_job *job = context;
    job->stop = board_progress(job->node->board, job->slot, progress->stage, progress->case_index,
                               progress->cases_total, progress->finished);
    return job->stop == BOARD_GO;
}

/* ---- getting ready ---- */

static bool load_artifact(struct slot_job *job, const struct digest *digest, int64_t bytes,
                          size_t bytes_max, struct str *ret_text, struct err *err) {
    own_fd fd = -1;
    own_buf content;
    buf_init(&content, bytes_max);
    if (!get_artifact(job, digest, bytes, &fd, err)) {
        return false;
    }
    if (!file_read_all(fd, bytes_max, &content, err)) {
        err->fault = FAULT_NODE;
        return false;
    }
    *ret_text = arena_str(job->arena, buf_str(&content));
    return true;
}

static bool prepare(struct slot_job *job, const struct language **ret_language, struct err *err) {
    struct str text = {0};
    const struct language *language =
        language_find(job->node->options->languages, job->job.language);
    if (language == NULL) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "unknown_language",
                         "this node does not know the language " STR_FMT,
                         STR_ARG(job->job.language));
    }
    if (!load_artifact(job, &job->job.manifest, -1, MANIFEST_BYTES_MAX, &text, err)) {
        return err_wrap(err, "manifest");
    }
    if (!manifest_read(text, job->arena, &job->manifest, err)) {
        err->fault = FAULT_PROBLEM;
        return err_wrap(err, "manifest");
    }
    if (!load_artifact(job, &job->job.source, job->job.source_bytes, SOURCE_BYTES_MAX,
                       &job->source.text, err)) {
        return err_wrap(err, "source");
    }
    job->source.name = str_from(language->source_name);
    *ret_language = language;
    return true;
}

static bool judge_job(struct slot_job *job, struct judgement *ret_judgement, struct err *err) {
    const struct language *language = NULL;
    if (!prepare(job, &language, err)) {
        return false;
    }
    struct judge_request request = {.slot = job->slot,
                                    .manifest = &job->manifest,
                                    .language = language,
                                    .sources = &job->source,
                                    .source_count = 1,
                                    .job = job->job.lease.job.value,
                                    .lease_epoch = job->job.lease.epoch,
                                    .all_cases = job->manifest.run_all_cases,
                                    .open_blob = open_blob,
                                    .progress = on_progress,
                                    .context = job};
    return judge_submission(job->node->options->judge, &request, job->arena, ret_judgement, err);
}

/* ---- telling the server ---- */

static bool may_retry(const struct err *err) {
    return err->kind == ERR_BUSY || err->kind == ERR_LIMITED || err->kind == ERR_DEADLINE ||
           err->kind == ERR_SYSTEM;
}

typedef bool send_fn(struct slot_job *job, const void *message, struct err *err);

/* Until answered, or until the lease is no longer ours: then the job is being judged elsewhere. */
static void send_until_answered(struct slot_job *job, send_fn *send, const void *message,
                                const char *what) {
    int64_t pause_ms = RETRY_MS_MIN;
    for (;;) {
        struct err err = {0};
        if (send(job, message, &err)) {
            return;
        }
        bool lease_is_ours = board_ask(job->node->board, job->slot) != BOARD_STOP_LOST;
        if (!may_retry(&err) || !lease_is_ours) {
            log_warn("job.unanswered", LOG_I64("job", job->job.lease.job.value),
                     LOG_STR("message", what), LOG_ERR(&err),
                     LOG_TEXT("traceId", job->job.trace_id));
            if (node_error_is_fatal(&err)) {
                node_fail(job->node, &err);
            }
            return;
        }
        back_off(job, &pause_ms);
    }
}

static bool send_result(struct slot_job *job, const void *message, struct err *err) {
    struct machine_result_answer answer = {0};
    return job->link->api->result(job->link->api->context, message, &answer, err);
}

static bool send_failure(struct slot_job *job, const void *message, struct err *err) {
    struct machine_failure_answer answer = {0};
    return job->link->api->failure(job->link->api->context, message, &answer, err);
}

static bool send_release(struct slot_job *job, const void *message, struct err *err) {
    struct machine_release_answer answer = {0};
    return job->link->api->release(job->link->api->context, message, &answer, err);
}

static void report_failure(struct slot_job *job, const struct err *why) {
    struct machine_failure message = {
        .session_epoch = job->node->session.session_epoch,
        .lease = job->job.lease,
        .fault = why->fault == FAULT_NONE ? FAULT_NODE : why->fault,
        .code = str_from(why->code != NULL ? why->code : "judge_failed"),
        .detail = str_utf8_prefix(str_from(why->text), MACHINE_DETAIL_BYTES_MAX)};
    log_warn("job.failed", LOG_I64("job", job->job.lease.job.value), LOG_ERR(why),
             LOG_TEXT("traceId", job->job.trace_id));
    send_until_answered(job, send_failure, &message, "failure");
    if (message.fault == FAULT_NODE) {
        node_note_failure(job->node, job->link, why);
    }
}

static void hand_back(struct slot_job *job) {
    struct machine_release message = {.session_epoch = job->node->session.session_epoch,
                                      .leases = &job->job.lease,
                                      .lease_count = 1,
                                      .reason = job->stop == BOARD_STOP_LEAVING
                                                    ? STR("the node stops")
                                                    : STR("stopped as asked")};
    log_info("job.released", LOG_I64("job", job->job.lease.job.value),
             LOG_TEXT("traceId", job->job.trace_id));
    send_until_answered(job, send_release, &message, "release");
}

static void report_result(struct slot_job *job, const struct judgement *judgement) {
    struct err err = {0};
    own_buf text;
    buf_init(&text, RESULT_BYTES_MAX);
    if (!judgement_encode(judgement, &text, &err)) {
        err.fault = FAULT_NODE;
        report_failure(job, &err);
        return;
    }
    struct machine_result message = {.session_epoch = job->node->session.session_epoch,
                                     .lease = job->job.lease,
                                     .digest = digest_of(buf_str(&text)),
                                     .text = buf_str(&text)};
    log_info("job.judged", LOG_I64("job", job->job.lease.job.value),
             LOG_STR("verdict", verdict_code(judgement->verdict)),
             LOG_TEXT("traceId", job->job.trace_id));
    send_until_answered(job, send_result, &message, "result");
    node_note_result(job->node);
}

/* The server said so while an artifact was fetched: the job is being judged elsewhere. */
static bool lease_is_over(const struct err *err) {
    static const char *const codes[] = {"lease_superseded", "lease_expired", "job_superseded",
                                        "session_superseded"};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (err->code != NULL && strcmp(err->code, codes[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Nothing can be judged here any more, and no job is to blame: started anew, the node has a new
 * box. */
static bool box_is_gone(const struct err *err) {
    return err->code != NULL &&
           (strcmp(err->code, "box_broken") == 0 || strcmp(err->code, "box_unavailable") == 0);
}

static void run_job(struct slot_job *job) {
    struct judgement judgement = {0};
    struct err err = {0};
    if (judge_job(job, &judgement, &err)) {
        report_result(job, &judgement);
        return;
    }
    job->stop = board_ask(job->node->board, job->slot);
    if (job->stop == BOARD_STOP_LOST || lease_is_over(&err)) {
        log_warn("job.lost", LOG_I64("job", job->job.lease.job.value),
                 LOG_TEXT("traceId", job->job.trace_id));
    } else if (err.kind == ERR_CANCELLED || job->stop != BOARD_GO) {
        hand_back(job);
    } else if (box_is_gone(&err)) {
        hand_back(job);
        node_leave(job->node, &err);
    } else {
        report_failure(job, &err);
    }
}

void *slot_main(void *argument) {
    struct slot_thread *thread = argument;
    struct node *node = thread->node;
    struct slot_job job = {
        .node = node, .slot = thread->slot, .link = &node->options->links[2 + thread->slot]};
    while (board_take(node->board, thread->slot, &job.job)) {
        job.stop = BOARD_GO;
        job.arena = arena_create(JOB_ARENA_BYTES_MAX);
        run_job(&job);
        arena_free(job.arena);
        board_finish(node->board, thread->slot);
    }
    return NULL;
}
