#ifndef STORE_FIXTURE_H
#define STORE_FIXTURE_H

/* What the store's tests share: a folder of their own, a clock that stands, a migrated database of
 * the kind that test_database.h says. */
#include "../test_database.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/limits.h"
#include "store/migrate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define START_MS INT64_C(1700000000000)

struct fixture {
    char folder[64];
    char path[96];
    struct clock_manual clock;
    struct db *db;
    struct err err;
};

static inline struct db *fixture_open(struct fixture *f, bool read_only) {
    struct db *db = NULL;
    struct db_options options = {
        .path = f->path, .mysql = test_db(), .clock = &f->clock.clock, .read_only = read_only};
    if (!db_open(&options, &db, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    return db;
}

/* The folder and the clock. */
static inline struct fixture *fixture_ground(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    (void)snprintf(f->folder, sizeof f->folder, "/tmp/assize-store-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    (void)snprintf(f->path, sizeof f->path, "%s/assize.db", f->folder);
    clock_manual_init(&f->clock, START_MS);
    *state = f;
    return f;
}

/* A database without tables. */
static inline int fixture_setup_empty(void **state) {
    struct fixture *f = fixture_ground(state);
    test_db_clear();
    f->db = fixture_open(f, false);
    return 0;
}

static inline int fixture_setup(void **state) {
    struct fixture *f = fixture_ground(state);
    test_db_empty();
    f->db = fixture_open(f, false);
    int applied = 0;
    if (!migrate(f->db, migrations, &applied, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    return 0;
}

static inline int fixture_teardown(void **state) {
    struct fixture *f = *state;
    db_close(f->db);
    struct err err = {0};
    assert_true(file_remove_tree(f->folder, &err));
    free(f);
    return 0;
}

/* Runs statements without parameters, with the words of store/dialect.h. */
static inline void fixture_exec(struct fixture *f, struct db *db, const char *sql) {
    own_buf text = {0};
    buf_init(&text, 64 * KIB);
    if (!dialect_expand(db_dialect(db), str_from(sql), &text, &f->err) ||
        !db_script(db, buf_str(&text), &f->err)) {
        fail_msg("%s", f->err.text);
    }
}

/* The first column of the first row. */
static inline int64_t fixture_i64(struct fixture *f, struct db *db, const char *sql) {
    own(db_stmt) stmt = NULL;
    assert_true(db_prepare(db, sql, &stmt, &f->err));
    assert_int_equal(db_step(stmt, &f->err), DB_ROW);
    return db_i64(stmt, 0);
}

#endif
