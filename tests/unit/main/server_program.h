#ifndef TESTS_SERVER_PROGRAM_H
#define TESTS_SERVER_PROGRAM_H

/* A server as its own process, and calls to it. */
#include "program.h"

#include "data/json.h"
#include "net/http_client.h"

struct running_server {
    struct program program;
    char url[64];
    char password[128]; /* of the administrator, when it was shown */
};

/* The text behind `before`, up to white space. */
static inline void program_word(const struct program *program, const char *before, char *out,
                                size_t room) {
    const char *at = strstr(program->out, before);
    assert_non_null(at);
    at += strlen(before);
    (void)snprintf(out, room, "%.*s", (int)strcspn(at, " \n"), at);
}

static inline void server_start(struct running_server *server, const char *const args[]) {
    program_start(&server->program, args, NULL);
    server->password[0] = '\0';
    if (!program_read(&server->program, "Assize is ready: ", 20000) ||
        !program_read(&server->program, "server.started", 20000)) {
        fail_msg("the server did not start: %s", server->program.out);
    }
    program_word(&server->program, "Assize is ready: ", server->url, sizeof server->url);
    if (strstr(server->program.out, "password ") != NULL) {
        program_word(&server->program, "password ", server->password, sizeof server->password);
    }
}

/* With JSON when `body` is not NULL. The status; *ret_json is the caller's. */
static inline int server_call(const struct running_server *server, enum http_method method,
                              const char *path, const char *body, const char *bearer,
                              struct json **ret_json) {
    struct http_client_options options = {
        .base_url = server->url, .bearer = bearer, .user_agent = "test"};
    own(http_client) client = NULL;
    own(arena) arena = arena_create(16 * MIB);
    struct http_answer answer = {0};
    struct err err = {0};
    struct http_call call = {.method = method,
                             .path = path,
                             .content_type = body != NULL ? "application/json" : NULL,
                             .body = str_from(body),
                             .timeout_ms = 10000,
                             .answer_bytes_max = MIB};
    if (!http_client_open(&options, &client, &err) ||
        !http_client_call(client, &call, arena, &answer, &err)) {
        fail_msg("%s: %s; it printed: %s", path, err.text, server->program.out);
    }
    *ret_json = NULL;
    if (answer.body.len > 0 && answer.body.ptr[0] == '{') {
        assert_true(jr_parse(answer.body, ret_json, &err));
    }
    return answer.status;
}

/* The status; with 200, the access token. */
static inline int server_sign_in(const struct running_server *server, const char *password,
                                 char *token, size_t room) {
    char body[256];
    own(json) answer = NULL;
    struct str text = {0};
    struct err err = {0};
    (void)snprintf(body, sizeof body, "{\"username\":\"admin\",\"password\":\"%s\"}", password);
    int status = server_call(server, HTTP_POST, "/api/v1/session", body, NULL, &answer);
    if (status == 200) {
        assert_true(jr_str(answer, "accessToken", 1024, &text, &err));
        assert_true(str_to_c(text, token, room, &err));
    }
    return status;
}

/* How many problems the administrator sees. */
static inline size_t server_problems(const struct running_server *server, const char *token) {
    own(json) answer = NULL;
    assert_int_equal(server_call(server, HTTP_GET, "/api/v1/problems", NULL, token, &answer), 200);
    return jr_count(jr_get(answer, "items"));
}

static inline void program_path(char *out, size_t room, const char *folder, const char *name) {
    (void)snprintf(out, room, "%s/%s", folder, name);
}

static inline void source_path(char *out, size_t room, const char *name) {
    (void)snprintf(out, room, "%s/%s", program_source_root(), name);
}

#endif
