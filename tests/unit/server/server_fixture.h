#ifndef TESTS_SERVER_FIXTURE_H
#define TESTS_SERVER_FIXTURE_H

/* A whole server on a free port over a database file of its own, and people who use it. Whatever
 * it answers must be what docs/api says: status, error code, members and types. */
#include "../test_database.h"
#include "api_contract.h"
#include "app/auth.h"
#include "app/problem.h"
#include "ask.h"
#include "base/file.h"
#include "base/log.h"
#include "expect.h"
#include "server/server_internal.h"

#include <fcntl.h>
#include <stdatomic.h>

#define PASSWORD "a good password"
#define REPLIES_MAX 4096

struct fixture {
    char folder[64];
    char web[96]; /* empty: no pages */
    const char *trusted_proxies;
    struct app_settings settings;
    struct clock clock; /* the real one, moved forward by... */
    _Atomic int64_t ahead_ms;
    struct language_set *languages;
    struct app *app;
    struct server *server;
    int port;
    struct arena *arena;
    struct json *jsons[REPLIES_MAX];
    int json_count;
    struct err err;
};

struct person { /* who asks */
    int64_t id;
    const char *headers; /* cookies that say so */
    const char *token;   /* for a bearer */
    const char *session; /* the secret of the session cookie */
};

/* ---- opening and closing ---- */

static inline int64_t fixture_utc_ms(void *context) {
    struct fixture *f = context;
    return clock_utc_ms(&clock_real) + atomic_load(&f->ahead_ms);
}

static inline int64_t fixture_mono_ms(void *context) {
    struct fixture *f = context;
    return clock_mono_ms(&clock_real) + atomic_load(&f->ahead_ms);
}

static inline void fixture_sleep_ms(void *context, int64_t ms) {
    (void)context;
    clock_sleep_ms(&clock_real, ms);
}

static inline void fixture_later(struct fixture *f, int64_t ms) {
    atomic_fetch_add(&f->ahead_ms, ms);
}

static inline struct fixture *fixture_create(void) {
    struct fixture *f = calloc(1, sizeof *f);
    char path[1024];
    assert_non_null(f);
    log_setup(LOG_ERROR, LOG_FORMAT_JSON, 2, "test");
    (void)snprintf(f->folder, sizeof f->folder, "/tmp/assize-server-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->arena = arena_create((size_t)512 * MIB);
    test_db_empty();
    f->clock = (struct clock){f, fixture_utc_ms, fixture_mono_ms, fixture_sleep_ms};
    app_settings_default(&f->settings);
    f->settings.password_hash_fast = true;
    (void)snprintf(path, sizeof path, "%s/languages", getenv("ASSIZE_SOURCE_ROOT"));
    assert_true(language_set_load(path, &f->languages, &f->err));
    return f;
}

static inline void fixture_open(struct fixture *f) {
    struct app_options app = {
        .database_path = arena_printf(f->arena, "%s/assize.db", f->folder),
        .mysql = test_db(),
        .blob_folder = arena_printf(f->arena, "%s/blobs", f->folder),
        .languages = f->languages,
        .clock = &f->clock,
        .random = &random_real,
        .holder = "the test",
        .settings = f->settings,
        .threads = true,
    };
    struct server_options server = {.random = &random_real,
                                    .web_folder = f->web[0] == '\0' ? NULL : f->web,
                                    .trusted_proxies = f->trusted_proxies};
    if (!app_open(&app, &f->app, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    server.app = f->app;
    assert_true(http_listen("127.0.0.1:0", &server.listen_fd, &f->port, &f->err));
    if (!server_open(&server, &f->server, &f->err)) {
        fail_msg("%s", f->err.text);
    }
}

/* As the process does it: parked requests are answered by the app's end. */
static inline void fixture_close(struct fixture *f) {
    if (f->server != NULL) {
        server_quiesce(f->server);
    }
    if (f->app != NULL) {
        app_stop(f->app);
    }
    server_close(f->server);
    f->server = NULL;
    app_close(f->app);
    f->app = NULL;
}

static inline int fixture_setup(void **state) {
    struct fixture *f = fixture_create();
    fixture_open(f);
    *state = f;
    return 0;
}

static inline int fixture_teardown(void **state) {
    struct fixture *f = *state;
    struct err err = {0};
    fixture_close(f);
    language_set_free(f->languages);
    for (int i = 0; i < f->json_count; i++) {
        jr_free(f->jsons[i]);
    }
    arena_free(f->arena);
    bool removed = file_remove_tree(f->folder, &err);
    free(f);
    return removed ? 0 : -1;
}

#define SERVER_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

/* ---- asking ---- */

static inline void fixture_check_contract(struct fixture *f, const struct ask *ask,
                                          const struct reply *reply) {
    if (reply->status != 0) {
        api_check_answer(ask->method != NULL ? ask->method : "GET", ask->path, reply->status,
                         reply->json);
    }
    if (reply->status < 400 || reply->json == NULL || jr_get(reply->json, "code") == NULL) {
        return;
    }
    const char *code = arena_cstr(f->arena, reply_str(reply, "code"));
    api_error_check(ask->method != NULL ? ask->method : "GET", ask->path, code, reply->status);
}

static inline struct reply fixture_finish(struct fixture *f, int fd, const struct ask *ask) {
    struct reply reply = ask_parse(ask_read(fd, f->arena), f->arena);
    close(fd);
    const char *type =
        reply.head == NULL ? NULL : reply_header_at(&reply, "Content-Type", 0, f->arena);
    if (type != NULL && strstr(type, "json") != NULL && reply.body.len > 0) {
        if (!jr_parse(reply.body, &reply.json, &f->err)) {
            fail_msg("%s in " STR_FMT, f->err.text, STR_ARG(reply.body));
        }
        assert_true(f->json_count < REPLIES_MAX);
        f->jsons[f->json_count++] = reply.json;
    }
    fixture_check_contract(f, ask, &reply);
    return reply;
}

static inline struct reply fixture_ask(struct fixture *f, const struct ask *ask) {
    int fd = ask_connect(f->port);
    ask_begin(fd, ask, f->arena);
    return fixture_finish(f, fd, ask);
}

static inline struct reply get(struct fixture *f, const struct person *who, const char *path) {
    return fixture_ask(f, &(struct ask){.path = path, .headers = who ? who->headers : NULL});
}

/* A write with JSON; `format` NULL: without a body. */
__attribute__((format(printf, 5, 6))) static inline struct reply
send_json(struct fixture *f, const struct person *who, const char *method, const char *path,
          const char *format, ...) {
    char text[4096] = "";
    if (format != NULL) {
        va_list arguments;
        va_start(arguments, format);
        int len = vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        assert_in_range(len, 0, sizeof text - 1);
    }
    return fixture_ask(f, &(struct ask){.method = method,
                                        .path = path,
                                        .headers = who ? who->headers : NULL,
                                        .type = format != NULL ? "application/json" : NULL,
                                        .body = str_from(text)});
}

static inline const char *header_of(struct fixture *f, const struct reply *reply,
                                    const char *name) {
    return reply_header_at(reply, name, 0, f->arena);
}

/* The whole Set-Cookie line of that cookie, or NULL. */
static inline const char *cookie_of(struct fixture *f, const struct reply *reply,
                                    const char *name) {
    for (int i = 0; i < 10; i++) {
        const char *line = reply_header_at(reply, "Set-Cookie", i, f->arena);
        if (line == NULL) {
            return NULL;
        }
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == '=') {
            return line;
        }
    }
    return NULL;
}

static inline const char *cookie_value(struct fixture *f, const struct reply *reply,
                                       const char *name) {
    const char *line = cookie_of(f, reply, name);
    assert_non_null(line);
    line += strlen(name) + 1;
    return arena_printf(f->arena, "%.*s", (int)strcspn(line, ";"), line);
}

#endif
