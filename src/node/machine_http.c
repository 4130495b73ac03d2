/* Each message: encode, POST, decode, or turn the server's problem+json into an error. */
#include "node/machine_http.h"
#include "base/check.h"
#include "net/http_client.h"
#include "wire/machine_json.h"
#include "wire/problem_json.h"

#include <stdlib.h>

#define PATH_PREFIX "/api/v1/internal/judgers/"
#define CALL_MS 10000
#define RESULT_MS 30000
#define ARTIFACT_MS 120000
#define ERROR_BYTES_MAX (64 * KIB)

struct machine_http {
    struct machine_api api;
    struct http_client *client;
};

struct post {
    const char *path;
    struct buf *body;
    int64_t timeout_ms;
    int64_t answer_bytes_max;
};

static bool post_message(struct machine_http *http, const struct post *post, struct arena *arena,
                         struct str *ret_body, struct err *err) {
    struct http_answer answer = {0};
    struct http_call call = {.method = HTTP_POST,
                             .path = post->path,
                             .content_type = "application/json",
                             .body = buf_str(post->body),
                             .timeout_ms = post->timeout_ms,
                             .answer_bytes_max = post->answer_bytes_max};
    if (!http_client_call(http->client, &call, arena, &answer, err)) {
        return false;
    }
    if (answer.status < 200 || answer.status >= 300) {
        problem_decode(answer.status, answer.body, err);
        return false;
    }
    *ret_body = answer.body;
    return true;
}

/* For messages whose answer holds no text. */
#define SMALL_ARENA_BYTES (1 * MIB)

static bool api_join(void *context, const struct machine_join *request, struct arena *arena,
                     struct machine_join_answer *ret_answer, struct err *err) {
    own_buf body;
    struct str text = {0};
    struct post post = {PATH_PREFIX "join", &body, CALL_MS, MACHINE_MESSAGE_BYTES_MAX};
    buf_init(&body, MACHINE_MESSAGE_BYTES_MAX);
    return machine_join_encode(request, &body, err) &&
           post_message(context, &post, arena, &text, err) &&
           machine_join_answer_decode(text, arena, ret_answer, err);
}

static bool api_session(void *context, const struct machine_session *request,
                        struct machine_session_answer *ret_answer, struct err *err) {
    own(arena) arena = arena_create(SMALL_ARENA_BYTES);
    own_buf body;
    struct str text = {0};
    struct post post = {PATH_PREFIX "session", &body, CALL_MS, MACHINE_MESSAGE_BYTES_MAX};
    buf_init(&body, MACHINE_MESSAGE_BYTES_MAX);
    return machine_session_encode(request, &body, err) &&
           post_message(context, &post, arena, &text, err) &&
           machine_session_answer_decode(text, ret_answer, err);
}

static bool api_heartbeat(void *context, const struct machine_heartbeat *request,
                          struct machine_heartbeat_answer *ret_answer, struct err *err) {
    own(arena) arena = arena_create(SMALL_ARENA_BYTES);
    own_buf body;
    struct str text = {0};
    struct post post = {PATH_PREFIX "heartbeat", &body, CALL_MS, MACHINE_MESSAGE_BYTES_MAX};
    buf_init(&body, MACHINE_MESSAGE_BYTES_MAX);
    return machine_heartbeat_encode(request, &body, err) &&
           post_message(context, &post, arena, &text, err) &&
           machine_heartbeat_answer_decode(text, ret_answer, err);
}

static bool api_check_result(void *context, const struct machine_check_result *request,
                             struct err *err) {
    own(arena) arena = arena_create(SMALL_ARENA_BYTES);
    own_buf body;
    struct str text = {0};
    struct post post = {
        arena_printf(arena, PATH_PREFIX "checks/%lld/result", (long long)request->check), &body,
        CALL_MS, ERROR_BYTES_MAX};
    buf_init(&body, MACHINE_CHECK_BYTES_MAX);
    return machine_check_result_encode(request, &body, err) &&
           post_message(context, &post, arena, &text, err);
}

static bool api_out_of_service(void *context, const struct machine_out *request, struct err *err) {
    own(arena) arena = arena_create(SMALL_ARENA_BYTES);
    own_buf body;
    struct str text = {0};
    struct post post = {PATH_PREFIX "out-of-service", &body, CALL_MS, ERROR_BYTES_MAX};
    buf_init(&body, MACHINE_MESSAGE_BYTES_MAX);
    return machine_out_encode(request, &body, err) &&
           post_message(context, &post, arena, &text, err);
}

static bool api_claim(void *context, const struct machine_claim *request, struct arena *arena,
                      struct machine_claim_answer *ret_answer, struct err *err) {
    own_buf body;
    struct str text = {0};
    struct post post = {PATH_PREFIX "jobs/claim", &body, request->wait_ms + CALL_MS,
                        MACHINE_CLAIM_ANSWER_BYTES_MAX};
    buf_init(&body, MACHINE_MESSAGE_BYTES_MAX);
    return machine_claim_encode(request, &body, err) &&
           post_message(context, &post, arena, &text, err) &&
           machine_claim_answer_decode(text, arena, ret_answer, err);
}

static bool api_renew(void *context, const struct machine_renew *request, struct arena *arena,
                      struct machine_renew_answer *ret_answer, struct err *err) {
    own_buf body;
    struct str text = {0};
    struct post post = {PATH_PREFIX "jobs/renew", &body, CALL_MS, MACHINE_MESSAGE_BYTES_MAX};
    buf_init(&body, MACHINE_MESSAGE_BYTES_MAX);
    return machine_renew_encode(request, &body, err) &&
           post_message(context, &post, arena, &text, err) &&
           machine_renew_answer_decode(text, arena, ret_answer, err);
}

static bool api_progress(void *context, const struct machine_progress *request, struct err *err) {
    own(arena) arena = arena_create(SMALL_ARENA_BYTES);
    own_buf body;
    struct str text = {0};
    struct post post = {PATH_PREFIX "jobs/progress", &body, CALL_MS, ERROR_BYTES_MAX};
    buf_init(&body, MACHINE_PROGRESS_BYTES_MAX);
    return machine_progress_encode(request, &body, err) &&
           post_message(context, &post, arena, &text, err);
}

static const char *job_path(struct arena *arena, struct job_id job, const char *what) {
    return arena_printf(arena, PATH_PREFIX "jobs/%lld/%s", (long long)job.value, what);
}

static bool api_result(void *context, const struct machine_result *request,
                       struct machine_result_answer *ret_answer, struct err *err) {
    own(arena) arena = arena_create(SMALL_ARENA_BYTES);
    own_buf body;
    struct str text = {0};
    struct post post = {job_path(arena, request->lease.job, "result"), &body, RESULT_MS,
                        MACHINE_MESSAGE_BYTES_MAX};
    buf_init(&body, MACHINE_RESULT_BYTES_MAX);
    return machine_result_encode(request, &body, err) &&
           post_message(context, &post, arena, &text, err) &&
           machine_result_answer_decode(text, ret_answer, err);
}

static bool api_failure(void *context, const struct machine_failure *request,
                        struct machine_failure_answer *ret_answer, struct err *err) {
    own(arena) arena = arena_create(SMALL_ARENA_BYTES);
    own_buf body;
    struct str text = {0};
    struct post post = {job_path(arena, request->lease.job, "failure"), &body, CALL_MS,
                        MACHINE_MESSAGE_BYTES_MAX};
    buf_init(&body, MACHINE_MESSAGE_BYTES_MAX);
    return machine_failure_encode(request, &body, err) &&
           post_message(context, &post, arena, &text, err) &&
           machine_failure_answer_decode(text, ret_answer, err);
}

static bool api_release(void *context, const struct machine_release *request,
                        struct machine_release_answer *ret_answer, struct err *err) {
    own(arena) arena = arena_create(SMALL_ARENA_BYTES);
    own_buf body;
    struct str text = {0};
    struct post post = {PATH_PREFIX "jobs/release", &body, CALL_MS, MACHINE_MESSAGE_BYTES_MAX};
    buf_init(&body, MACHINE_MESSAGE_BYTES_MAX);
    return machine_release_encode(request, &body, err) &&
           post_message(context, &post, arena, &text, err) &&
           machine_release_answer_decode(text, ret_answer, err);
}

static bool api_artifact(void *context, const struct machine_artifact *request, int fd,
                         int64_t *ret_bytes, struct err *err) {
    struct machine_http *http = context;
    own(arena) arena = arena_create(SMALL_ARENA_BYTES);
    char token[MACHINE_TOKEN_CHARS + 1];
    char digest[DIGEST_HEX_BYTES];
    machine_token_hex(request->lease.token, token);
    digest_hex(&request->digest, digest);
    const char *const headers[] = {
        arena_printf(arena, MACHINE_HEADER_SESSION ": %lld", (long long)request->session_epoch),
        arena_printf(arena, MACHINE_HEADER_LEASE_EPOCH ": %lld", (long long)request->lease.epoch),
        arena_printf(arena, MACHINE_HEADER_LEASE_TOKEN ": %s", token), NULL};
    struct http_answer answer = {0};
    struct http_call call = {
        .method = HTTP_GET,
        .path = job_path(arena, request->lease.job, arena_printf(arena, "artifacts/%s", digest)),
        .headers = headers,
        .timeout_ms = ARTIFACT_MS,
        .answer_bytes_max =
            request->bytes_max > ERROR_BYTES_MAX ? request->bytes_max : ERROR_BYTES_MAX,
        .answer_fd = fd,
        .answer_to_fd = true};
    if (!http_client_call(http->client, &call, arena, &answer, err)) {
        return false;
    }
    if (answer.status != 200) {
        problem_decode(answer.status, answer.body, err);
        return false;
    }
    *ret_bytes = answer.body_bytes;
    return true;
}

bool machine_http_open(const struct machine_http_options *options, struct machine_http **ret_http,
                       struct err *err) {
    struct http_client_options client = {.base_url = options->base_url,
                                         .bearer = options->credential,
                                         .ca_file = options->ca_file,
                                         .user_agent = "assize-node/" ASSIZE_VERSION};
    struct machine_http *http = calloc(1, sizeof *http);
    CHECK(http != NULL);
    if (!http_client_open(&client, &http->client, err)) {
        free(http);
        return false;
    }
    http->api = (struct machine_api){.context = http,
                                     .join = api_join,
                                     .session = api_session,
                                     .heartbeat = api_heartbeat,
                                     .claim = api_claim,
                                     .renew = api_renew,
                                     .progress = api_progress,
                                     .result = api_result,
                                     .failure = api_failure,
                                     .release = api_release,
                                     .artifact = api_artifact,
                                     .check_result = api_check_result,
                                     .out_of_service = api_out_of_service};
    *ret_http = http;
    return true;
}

void machine_http_close(struct machine_http *http) {
    if (http != NULL) {
        http_client_close(http->client);
        free(http);
    }
}

const struct machine_api *machine_http_api(struct machine_http *http) {
    return &http->api;
}

void machine_http_abort(void *context) {
    struct machine_http *http = context;
    http_client_abort(http->client);
}
