#ifndef ACCOUNT_FIXTURE_H
#define ACCOUNT_FIXTURE_H

/* What the tests of accounts and problems share: an app in memory that is stepped, with a clock
 * that stands, and an administrator. */
#include "../test_database.h"
#include "app/app_internal.h"
#include "app/auth.h"
#include "base/file.h"
#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define START_MS INT64_C(1796000000000)
#define ADMIN_PASSWORD "a good password"

struct fixture {
    char folder[64];
    char blobs[96];
    char database[96]; /* when the test wants a file */
    struct clock_manual clock;
    struct random_seeded random;
    struct app *app;
    struct arena *arena;
    struct actor system;
    struct actor admin;
    struct err err;
};

static inline struct app_options fixture_options(struct fixture *f) {
    struct app_options options = {
        .database_path = f->database[0] != '\0' ? f->database : ":memory:",
        .mysql = test_db(),
        .blob_folder = f->blobs,
        .clock = &f->clock.clock,
        .random = &f->random.random,
    };
    app_settings_default(&options.settings);
    options.settings.password_hash_fast = true;
    return options;
}

static inline void fixture_open_app(struct fixture *f) {
    struct app_options options = fixture_options(f);
    if (!app_open(&options, &f->app, &f->err)) {
        fail_msg("%s", f->err.text);
    }
}

/* A user with the given role, as an actor without a session. */
static inline struct actor fixture_user(struct fixture *f, const char *name, enum role role) {
    struct user_create_request request = {
        .username = str_from(name),
        .display_name = str_from(name),
        .role = role,
        .password = STR(ADMIN_PASSWORD),
    };
    struct user_created created;
    if (!user_create(f->app, &f->system, &request, f->arena, &created, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    return (struct actor){.kind = ACTOR_USER, .role = role, .user = created.user.id};
}

static inline int fixture_setup_bare(void **state, bool on_disk) {
    struct fixture *f = calloc(1, sizeof(*f));
    (void)snprintf(f->folder, sizeof(f->folder), "/tmp/assize-app-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    (void)snprintf(f->blobs, sizeof(f->blobs), "%s/blobs", f->folder);
    if (on_disk) {
        (void)snprintf(f->database, sizeof(f->database), "%s/assize.db", f->folder);
    }
    clock_manual_init(&f->clock, START_MS);
    random_seeded_init(&f->random, 1);
    f->arena = arena_create((size_t)64 * MIB);
    f->system = (struct actor){.kind = ACTOR_SYSTEM};
    test_db_empty();
    fixture_open_app(f);
    *state = f;
    return 0;
}

static inline int fixture_setup(void **state) {
    (void)fixture_setup_bare(state, false);
    struct fixture *f = *state;
    f->admin = fixture_user(f, "root", ROLE_ADMIN);
    return 0;
}

static inline int fixture_setup_empty(void **state) {
    return fixture_setup_bare(state, false);
}

static inline int fixture_setup_on_disk(void **state) {
    (void)fixture_setup_bare(state, true);
    struct fixture *f = *state;
    f->admin = fixture_user(f, "root", ROLE_ADMIN);
    return 0;
}

static inline int fixture_teardown(void **state) {
    struct fixture *f = *state;
    struct err err = {0};
    app_close(f->app);
    arena_free(f->arena);
    assert_true(file_remove_tree(f->folder, &err));
    free(f);
    return 0;
}

/* The first column of the first row that a reader sees. */
static inline int64_t fixture_i64(struct fixture *f, const char *sql) {
    own(db_reader) reader = NULL;
    own(db_stmt) stmt = NULL;
    assert_true(db_pool_take(f->app->readers, &reader, &f->err));
    assert_true(db_prepare(reader->db, sql, &stmt, &f->err));
    assert_int_equal(db_step(stmt, &f->err), DB_ROW);
    return db_i64(stmt, 0);
}

static inline bool fixture_sign_in(struct fixture *f, const char *name, const char *password,
                                   struct session_view *ret_session) {
    struct sign_in_request request = {
        .username = str_from(name), .password = str_from(password), .remote = STR("10.0.0.1")};
    return auth_sign_in(f->app, &request, f->arena, ret_session, &f->err);
}

#endif
