/* Signing in, then calls with the access token. */
#include "cli/client.h"
#include "base/check.h"
#include "data/json_write.h"
#include "wire/problem_json.h"

#include <stdio.h>
#include <stdlib.h>

#define CALL_MS 30000
#define ANSWER_BYTES_MAX (64 * MIB)
#define CLIENT_ARENA_BYTES_MAX ((size_t)256 * MIB)

struct client {
    struct http_client *http;
};

/* "refused: problem.yaml:3: ..." tells more than the detail alone. */
static void add_fields(struct str body, struct err *err) {
    struct err parse_err = {0};
    own(json) problem = NULL;
    const struct json *fields = NULL;
    struct str field = {0};
    struct str message = {0};
    if (!jr_parse(body, &problem, &parse_err) ||
        !jr_opt_array(problem, "errors", 1000, &fields, &parse_err) || jr_count(fields) == 0) {
        return;
    }
    const struct json *first = jr_at(fields, 0);
    if (jr_opt_str(first, "field", 600, &field, &parse_err) &&
        jr_opt_str(first, "message", 1024, &message, &parse_err) && field.len > 0) {
        (void)snprintf(err->text, sizeof err->text, STR_FMT ": " STR_FMT, STR_ARG(field),
                       STR_ARG(message));
    }
}

bool client_call(struct client *client, const struct client_call *call, struct json **ret_json,
                 struct err *err) {
    own(arena) arena = arena_create(CLIENT_ARENA_BYTES_MAX);
    struct http_answer answer = {0};
    struct http_call http = {.method = call->method,
                             .path = call->path,
                             .content_type = call->content_type,
                             .body = call->body,
                             .body_fd = call->body_fd,
                             .body_fd_bytes = call->body_fd_bytes,
                             .headers = call->headers,
                             .timeout_ms = call->timeout_ms > 0 ? call->timeout_ms : CALL_MS,
                             .answer_bytes_max = ANSWER_BYTES_MAX};
    if (!http_client_call(client->http, &http, arena, &answer, err)) {
        return false;
    }
    if (answer.status < 200 || answer.status >= 300) {
        problem_decode(answer.status, answer.body, err);
        add_fields(answer.body, err);
        return false;
    }
    *ret_json = NULL;
    if (call->raw != NULL) {
        buf_append(call->raw, answer.body);
    }
    return answer.body.len == 0 || jr_parse(answer.body, ret_json, err);
}

static bool sign_in(struct client *client, const struct client_options *options, struct err *err) {
    own(json) session = NULL;
    own_buf body;
    struct jw json;
    struct str token = {0};
    buf_init(&body, 4 * KIB);
    jw_init(&json, &body);
    jw_object_begin(&json);
    jw_put_cstr(&json, "username", options->user);
    jw_put_cstr(&json, "password", options->password);
    jw_object_end(&json);
    if (!jw_finish(&json, "the sign-in", err)) {
        return false;
    }
    struct client_call call = {.method = HTTP_POST,
                               .path = "/api/v1/session",
                               .content_type = "application/json",
                               .body = buf_str(&body)};
    if (!client_call(client, &call, &session, err) ||
        !jr_str(session, "accessToken", 4096, &token, err)) {
        return err_wrap(err, "sign in as %s", options->user);
    }
    own_buf bearer;
    buf_init(&bearer, 4 * KIB);
    (void)buf_append(&bearer, token);
    http_client_set_bearer(client->http, buf_c(&bearer));
    return true;
}

bool client_open(const struct client_options *options, struct client **ret_client,
                 struct err *err) {
    struct http_client_options http = {.base_url = options->server,
                                       .user_agent = "assize/" ASSIZE_VERSION};
    struct client *client = calloc(1, sizeof *client);
    CHECK(client != NULL);
    bool has_token = options->token != NULL && options->token[0] != '\0';
    if (!http_client_open(&http, &client->http, err) ||
        (!has_token && !sign_in(client, options, err))) {
        client_close(client);
        return false;
    }
    if (has_token) {
        http_client_set_bearer(client->http, options->token);
    }
    *ret_client = client;
    return true;
}

void client_close(struct client *client) {
    if (client != NULL) {
        http_client_close(client->http);
        free(client);
    }
}

const char *client_escape(struct arena *arena, struct str text) {
    static const char digits[] = "0123456789ABCDEF";
    char *out = arena_array(arena, 3 * text.len + 1, 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '_' || c == '.' || c == '~';
        if (plain) {
            out[len++] = (char)c;
        } else {
            out[len++] = '%';
            out[len++] = digits[c >> 4];
            out[len++] = digits[c & 15];
        }
    }
    return out;
}
