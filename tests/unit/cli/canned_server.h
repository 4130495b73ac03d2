#ifndef TESTS_CANNED_SERVER_H
#define TESTS_CANNED_SERVER_H

/* A server with canned answers, and commands run against it with what they print captured. */
#include "../main/capture.h"
#include "base/command.h"
#include "base/thread.h"
#include "net/http.h"

#include <stdlib.h>
#include <unistd.h>

#define CANNED_MAX 16

struct canned { /* answered to the next request of that method and path; the last one stays */
    enum http_method method;
    const char *path;
    int status;
    const char *body;
    int times; /* 0: always */
};

struct asked {
    enum http_method method;
    char path[256];
    char query[256]; /* the parameters that commands send, as "limit=200 search=x" */
    char bearer[128];
    char key[80]; /* Idempotency-Key */
    char type[64];
    char body[4096];
    int64_t body_bytes;
};

static struct {
    struct http_server *http;
    char url[64];
    struct mutex lock;
    struct canned rows[CANNED_MAX];
    int row_count;
    struct asked asked[64];
    int asked_count;
    struct capture said;
} canned;

static inline void canned_add(enum http_method method, const char *path, int status,
                              const char *body) {
    canned.rows[canned.row_count++] = (struct canned){method, path, status, body, 0};
}

/* Answered once, before the rows that stand after it. */
static inline void canned_once(enum http_method method, const char *path, int status,
                               const char *body) {
    canned.rows[canned.row_count++] = (struct canned){method, path, status, body, 1};
}

static inline void canned_begin(void *context, struct http_request *request) {
    (void)context;
    http_accept_body(request, MIB, false);
}

static inline void canned_copy(char *out, size_t room, struct str text) {
    (void)snprintf(out, room, STR_FMT, STR_ARG(text));
}

static inline void canned_note(struct http_request *request) {
    static const char *const names[] = {"limit", "cursor", "search", "fileName", "code"};
    struct asked *asked = &canned.asked[canned.asked_count++ % 64];
    *asked = (struct asked){.method = http_method(request), .body_bytes = http_body_bytes(request)};
    canned_copy(asked->path, sizeof asked->path, http_path(request));
    canned_copy(asked->bearer, sizeof asked->bearer, http_header(request, "Authorization"));
    canned_copy(asked->key, sizeof asked->key, http_header(request, "Idempotency-Key"));
    canned_copy(asked->type, sizeof asked->type, http_header(request, "Content-Type"));
    canned_copy(asked->body, sizeof asked->body, http_body(request));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t at = strlen(asked->query);
        if (http_has_query(request, names[i])) {
            (void)snprintf(asked->query + at, sizeof asked->query - at, "%s%s=" STR_FMT,
                           at > 0 ? " " : "", names[i], STR_ARG(http_query(request, names[i])));
        }
    }
}

static inline void canned_handle(void *context, struct http_request *request) {
    (void)context;
    mutex_lock(&canned.lock);
    canned_note(request);
    struct canned *found = NULL;
    for (int i = 0; i < canned.row_count && found == NULL; i++) {
        struct canned *row = &canned.rows[i];
        if (row->times >= 0 && row->method == http_method(request) &&
            str_eq_c(http_path(request), row->path)) {
            found = row;
            row->times = row->times == 1 ? -1 : row->times;
        }
    }
    int status = found == NULL ? 404 : found->status;
    const char *body = found == NULL
                           ? "{\"status\":404,\"code\":\"not_found\",\"detail\":\"nothing here\"}"
                           : found->body;
    mutex_unlock(&canned.lock);
    http_send(request, status, status < 400 ? "application/json" : "application/problem+json",
              str_from(body));
}

static inline int canned_open(void **state) {
    static const struct http_handler handler = {.begin = canned_begin, .handle = canned_handle};
    struct err err = {0};
    int port = 0;
    int fd = -1;
    (void)state;
    memset(&canned, 0, sizeof canned);
    mutex_init(&canned.lock);
    assert_true(http_listen("127.0.0.1:0", &fd, &port, &err));
    struct http_server_options options = {
        .listen_fd = fd, .handler = handler, .event_threads = 1, .worker_threads = 1};
    assert_true(http_server_open(&options, &canned.http, &err));
    (void)snprintf(canned.url, sizeof canned.url, "http://127.0.0.1:%d", port);
    assert_int_equal(setenv("ASSIZE_SERVER", canned.url, 1), 0);
    assert_int_equal(setenv("ASSIZE_PASSWORD", "secret words", 1), 0);
    canned_add(HTTP_POST, "/api/v1/session", 200, "{\"accessToken\":\"a.b.c\"}");
    return 0;
}

static inline int canned_close(void **state) {
    (void)state;
    http_server_close(canned.http);
    mutex_done(&canned.lock);
    return 0;
}

/* Runs a command with what it prints captured; its exit status. */
static inline int canned_run(const struct command *command, const char *const args[]) {
    char *copies[16];
    int count = 0;
    for (; args[count] != NULL && count < 16; count++) {
        copies[count] = strdup(args[count]);
    }
    capture_begin(&canned.said);
    int status = command->run(command, count, copies);
    capture_end(&canned.said);
    for (int i = 0; i < count; i++) {
        free(copies[i]);
    }
    return status;
}

#define RUN(command, ...) canned_run(&(command), (const char *const[]){__VA_ARGS__, NULL})

static inline void said(const char *text) {
    capture_said(&canned.said, text);
}

static inline const struct asked *asked_last(void) {
    assert_true(canned.asked_count > 0);
    return &canned.asked[(canned.asked_count - 1) % 64];
}

#define CLI_TEST(name) cmocka_unit_test_setup_teardown(name, canned_open, canned_close)

#endif
