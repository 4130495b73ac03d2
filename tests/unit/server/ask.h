#ifndef TESTS_ASK_H
#define TESTS_ASK_H

/* One raw request on a connection of its own, and its answer with every header: what a browser
 * hides and libcurl tidies up is just what these tests look at. */
#include "base/arena.h"
#include "base/clock.h"
#include "data/json.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define ASK_ANSWER_BYTES_MAX (8 * MIB)
#define ASK_PATIENCE_MS 20000

struct ask {
    const char *method; /* NULL: GET */
    const char *path;
    const char *headers; /* further ones, each ended by \r\n; or NULL */
    const char *type;    /* Content-Type of the body; NULL: none */
    struct str body;
};

struct reply {
    int status;
    const char *head; /* status line and headers */
    struct str body;
    struct json *json; /* of the body when it is JSON; the asker's to free */
};

static inline int ask_connect(int port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static inline void ask_send(int fd, struct str bytes) {
    while (bytes.len > 0) {
        ssize_t sent = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (sent <= 0) {
            return; /* refused early: the answer tells */
        }
        bytes = str_sub(bytes, (size_t)sent, bytes.len);
    }
}

static inline void ask_begin(int fd, const struct ask *ask, struct arena *arena) {
    const char *length = "";
    if (ask->type != NULL || ask->body.len > 0) {
        length = arena_printf(
            arena, "%s%s%sContent-Length: %zu\r\n", ask->type != NULL ? "Content-Type: " : "",
            ask->type != NULL ? ask->type : "", ask->type != NULL ? "\r\n" : "", ask->body.len);
    }
    ask_send(fd, str_from(arena_printf(arena,
                                       "%s %s HTTP/1.1\r\nHost: judge.test\r\n"
                                       "Connection: close\r\n%s%s\r\n",
                                       ask->method != NULL ? ask->method : "GET", ask->path, length,
                                       ask->headers != NULL ? ask->headers : "")));
    ask_send(fd, ask->body);
}

/* Until the server closes. */
static inline struct str ask_read(int fd, struct arena *arena) {
    own_buf bytes;
    buf_init(&bytes, ASK_ANSWER_BYTES_MAX);
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    while (poll(&ready, 1, ASK_PATIENCE_MS) > 0) {
        char *space = buf_reserve(&bytes, 64 * KIB);
        assert_non_null(space);
        ssize_t got = recv(fd, space, 64 * KIB, 0);
        if (got <= 0) {
            return arena_str(arena, buf_str(&bytes));
        }
        buf_grew(&bytes, (size_t)got);
    }
    fail_msg("no answer came");
    return (struct str){0};
}

static inline struct reply ask_parse(struct str bytes, struct arena *arena) {
    struct reply reply = {0};
    struct err err = {0};
    int64_t status = 0;
    const char *end = memmem(bytes.ptr, bytes.len, "\r\n\r\n", 4);
    if (end == NULL) {
        return reply; /* closed without an answer */
    }
    size_t head = (size_t)(end - bytes.ptr) + 2;
    assert_true(str_to_i64(str_sub(bytes, 9, 3), 100, 599, &status, &err));
    reply.status = (int)status;
    reply.head = arena_cstr(arena, str_sub(bytes, 0, head));
    reply.body = str_sub(bytes, head + 2, bytes.len);
    return reply;
}

/* The value of the header that comes `skip` others of its name later, or NULL. */
static inline const char *reply_header_at(const struct reply *reply, const char *name, int skip,
                                          struct arena *arena) {
    struct str rest = str_from(reply->head);
    struct str line = {0};
    while (str_next_line(&rest, &line)) {
        struct str key = {0};
        struct str value = {0};
        if (str_cut(line, ':', &key, &value) && str_eq_nocase(key, str_from(name)) && skip-- == 0) {
            return arena_cstr(arena, str_trim(value));
        }
    }
    return NULL;
}

/* "items.0.id" */
static inline const struct json *reply_at(const struct reply *reply, const char *path) {
    const struct json *at = reply->json;
    struct str rest = str_from(path);
    while (rest.len > 0) {
        struct str part = {0};
        struct err err = {0};
        char name[64];
        int64_t index = 0;
        (void)str_cut(rest, '.', &part, &rest);
        assert_true(str_to_c(part, name, sizeof name, &err));
        bool is_index = jr_kind(at) == JR_ARRAY && str_to_i64(part, 0, 100000, &index, &err);
        at = is_index ? jr_at(at, (size_t)index) : jr_get(at, name);
    }
    return at;
}

static inline void reply_split(const char *path, char parent[256], const char **ret_name) {
    const char *dot = strrchr(path, '.');
    (void)snprintf(parent, 256, "%.*s", dot == NULL ? 0 : (int)(dot - path), path);
    *ret_name = dot == NULL ? path : dot + 1;
}

static inline int64_t reply_i64(const struct reply *reply, const char *path) {
    char parent[256];
    const char *name = NULL;
    int64_t value = 0;
    struct err err = {0};
    reply_split(path, parent, &name);
    if (!jr_i64(reply_at(reply, parent), name, INT64_MIN, INT64_MAX, &value, &err)) {
        fail_msg("%s: %s in " STR_FMT, path, err.text, STR_ARG(reply->body));
    }
    return value;
}

static inline bool reply_bool(const struct reply *reply, const char *path) {
    char parent[256];
    const char *name = NULL;
    bool value = false;
    struct err err = {0};
    reply_split(path, parent, &name);
    if (!jr_bool(reply_at(reply, parent), name, &value, &err)) {
        fail_msg("%s: %s in " STR_FMT, path, err.text, STR_ARG(reply->body));
    }
    return value;
}

static inline struct str reply_str(const struct reply *reply, const char *path) {
    char parent[256];
    const char *name = NULL;
    struct str value = {0};
    struct err err = {0};
    reply_split(path, parent, &name);
    if (!jr_str(reply_at(reply, parent), name, ASK_ANSWER_BYTES_MAX, &value, &err)) {
        fail_msg("%s: %s in " STR_FMT, path, err.text, STR_ARG(reply->body));
    }
    return value;
}

static inline bool reply_is(const struct reply *reply, const char *path, const char *text) {
    return str_eq_c(reply_str(reply, path), text);
}

static inline bool reply_is_null(const struct reply *reply, const char *path) {
    return jr_kind(reply_at(reply, path)) == JR_NULL;
}

#endif
