#ifndef QUEUE_FIXTURE_H
#define QUEUE_FIXTURE_H

/* A small world for the tests of the queue's benchmark. */
#include "bench/queue_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

struct queue_fixture {
    struct queue_plan plan;
    struct queue_world world;
    char languages[512];
    struct err err;
};

static inline void make_world(struct queue_fixture *f, const struct queue_plan *plan) {
    const char *root = getenv("ASSIZE_SOURCE_ROOT");
    (void)snprintf(f->languages, sizeof f->languages, "%s/languages", root != NULL ? root : ".");
    f->plan = *plan;
    f->plan.languages = f->languages;
    f->plan.folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    if (!queue_world_make(&f->world, &f->plan, &f->err)) {
        fail_msg("%s", f->err.text);
    }
}

static inline int64_t query(struct queue_fixture *f, const char *sql) {
    own(db) db = NULL;
    own(db_stmt) stmt = NULL;
    bool found = false;
    assert_true(queue_world_connect(&f->world, true, &db, &f->err));
    assert_true(db_prepare(db, sql, &stmt, &f->err));
    assert_true(db_find(stmt, &found, &f->err) && found);
    return db_i64(stmt, 0);
}

#endif
