#ifndef APP_WORLD_H
#define APP_WORLD_H

/* An app that the test steps, with a clock that stands: two problems of three cases, two users. */
#include "../test_database.h"
#include "app/app_internal.h"
#include "app/dispatch.h"
#include "app/judger.h"
#include "app/submission.h"
#include "base/file.h"
#include "base/limits.h"
#include "domain/manifest.h"
#include "store/invariant_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define START_MS INT64_C(1700000000000)
#define CASES 3

static const char *const case_names[CASES] = {"sample/1", "secret/1", "secret/2"};
static const struct actor administrator = {.kind = ACTOR_USER, .role = ROLE_ADMIN, .user = {900}};
static const struct actor the_system = {.kind = ACTOR_SYSTEM};

struct fixture {
    char folder[64];
    char path[96];
    bool in_memory;
    struct clock_manual clock;
    struct random_seeded random;
    struct language_set *languages;
    struct app *app;
    struct arena *arena;
    struct app_settings settings;
    uint8_t manifest_id[32];
    uint8_t input_sha256[32];
    uint64_t claims;
    struct err err;
};

struct test_node {
    struct actor actor;
    int64_t epoch;
    char credential[CREDENTIAL_BYTES];
};

/* ---- the app ---- */

static inline void must(struct fixture *f, bool ok) {
    if (!ok) {
        fail_msg("%s: %s", f->err.code != NULL ? f->err.code : "?", f->err.text);
    }
}

static inline void open_app(struct fixture *f) {
    char blobs[96];
    (void)snprintf(blobs, sizeof blobs, "%s/blobs", f->folder);
    struct app_options options = {
        .database_path = f->in_memory ? ":memory:" : f->path,
        .mysql = test_db(),
        .blob_folder = blobs,
        .languages = f->languages,
        .clock = &f->clock.clock,
        .random = &f->random.random,
        .holder = "test",
        .settings = f->settings,
        .claims = test_db_claims(),
    };
    must(f, app_open(&options, &f->app, &f->err));
}

static inline void drain(struct fixture *f) {
    while (app_step(f->app)) {
    }
}

#define ADVANCE_PIECES_MS_MAX 3600000

static inline void advance(struct fixture *f, int64_t ms) {
    /* In pieces: a server that looks at the clock once an hour takes that for an outage. Who waits
     * for days has no lease that an outage could matter to. */
    if (ms > ADVANCE_PIECES_MS_MAX) {
        clock_manual_advance(&f->clock, ms - ADVANCE_PIECES_MS_MAX);
        drain(f);
        ms = ADVANCE_PIECES_MS_MAX;
    }
    while (ms > 0) {
        int64_t piece_ms = ms < 10000 ? ms : 10000;
        clock_manual_advance(&f->clock, piece_ms);
        drain(f);
        ms -= piece_ms;
    }
}

static inline void exec(struct fixture *f, const char *sql) {
    must(f, db_script(f->app->db, str_from(sql), &f->err));
}

static inline int64_t query(struct fixture *f, const char *sql) {
    own(db_stmt) stmt = NULL;
    must(f, db_prepare(f->app->db, sql, &stmt, &f->err));
    if (db_step(stmt, &f->err) != DB_ROW) {
        fail_msg("no row: %s", sql);
    }
    return db_i64(stmt, 0);
}

static inline void check_invariants(struct fixture *f) {
    must(f, invariants_check(f->app->db, &f->err));
}

/* ---- problem and users ---- */

static inline struct blob_ref put_blob(struct fixture *f, struct str bytes) {
    struct blob_source source = {.bytes = bytes, .fd = -1, .bytes_max = MIB};
    struct blob_info info = {0};
    must(f, blob_put(f->app->blobs, &source, &info, &f->err));
    struct blob_ref ref = {.bytes = info.bytes};
    memcpy(ref.sha256, info.digest.bytes, 32);
    return ref;
}

static inline void make_manifest(struct fixture *f, int64_t job_total_ms) {
    struct manifest manifest;
    manifest_defaults(&manifest);
    manifest.limits.job_total_ms = job_total_ms;
    struct manifest_case cases[CASES] = {0};
    for (int i = 0; i < CASES; i++) {
        char text[16];
        int len = snprintf(text, sizeof text, "input %d", i);
        cases[i].name = str_from(case_names[i]);
        cases[i].sample = i == 0;
        cases[i].group = -1;
        cases[i].input = put_blob(f, str_of(text, (size_t)len));
        cases[i].answer = put_blob(f, STR("answer"));
    }
    memcpy(f->input_sha256, cases[1].input.sha256, 32);
    manifest.cases = cases;
    manifest.case_count = CASES;
    own_buf text = {0};
    buf_init(&text, MIB);
    must(f, manifest_write(&manifest, &text, &f->err));
    memcpy(f->manifest_id, put_blob(f, buf_str(&text)).sha256, 32);
}

static inline void make_problem(struct fixture *f, int id) {
    char hex[65] = {0};
    char sql[1500];
    hex_encode(f->manifest_id, 32, hex);
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO problem (id, code, titles, search_text, manifest_id, "
                   "time_limit_ms, memory_limit_kib, output_limit_kib, code_limit_kib, "
                   "job_total_ms, cases_total, languages, revision, created_ms, updated_ms) VALUES "
                   "(%d, 'p%d', 'en\tTitle\n', 'p', x'%s', 1000, 65536, "
                   "8192, 128, 900000, 3, '', 1, 0, 0)",
                   id, id, hex);
    exec(f, sql);
}

static inline struct actor make_user(struct fixture *f, int id) {
    char sql[500];
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO `user` VALUES (%d, 'u%d', 'u%d', 'User %d', 1, '', 0, 1, 0, 0)", id,
                   id, id, id);
    exec(f, sql);
    return (struct actor){.kind = ACTOR_USER, .role = ROLE_STUDENT, .user = {id}};
}

static inline struct actor user_actor(int id) {
    return (struct actor){.kind = ACTOR_USER, .role = ROLE_STUDENT, .user = {id}};
}

/* ---- set up and tear down ---- */

static inline void populate(struct fixture *f) {
    make_manifest(f, 600000);
    make_problem(f, 1);
    make_problem(f, 2);
    (void)make_user(f, 1);
    (void)make_user(f, 2);
}

static inline struct fixture *make_fixture(bool in_memory, uint64_t seed) {
    struct fixture *f = calloc(1, sizeof *f);
    char languages[512];
    const char *root = getenv("ASSIZE_SOURCE_ROOT");
    bool quick = in_memory && access("/dev/shm", W_OK) == 0; /* no disk to wait for */
    (void)snprintf(f->folder, sizeof f->folder, "%s/assize-app-XXXXXX",
                   quick ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(f->folder));
    (void)snprintf(f->path, sizeof f->path, "%s/assize.db", f->folder);
    (void)snprintf(languages, sizeof languages, "%s/languages", root != NULL ? root : ".");
    f->in_memory = in_memory;
    clock_manual_init(&f->clock, START_MS);
    random_seeded_init(&f->random, seed);
    app_settings_default(&f->settings);
    f->arena = arena_create((size_t)256 * MIB);
    must(f, language_set_load(languages, &f->languages, &f->err));
    test_db_empty();
    open_app(f);
    populate(f);
    return f;
}

static inline int setup(void **state) {
    *state = make_fixture(true, 1);
    return 0;
}

static inline int setup_on_disk(void **state) {
    *state = make_fixture(false, 1);
    return 0;
}

static inline void free_fixture(struct fixture *f) {
    app_close(f->app);
    language_set_free(f->languages);
    arena_free(f->arena);
    struct err err = {0};
    assert_true(file_remove_tree(f->folder, &err));
    free(f);
}

static inline int teardown(void **state) {
    struct fixture *f = *state;
    drain(f);
    check_invariants(f);
    free_fixture(f);
    return 0;
}

#endif
