#ifndef TEST_DATABASE_H
#define TEST_DATABASE_H

/* The database of tests that take either: SQLite, or with ASSIZE_TEST_DB=mysql one in the MariaDB
 * whose socket ASSIZE_TEST_MYSQL names (tools/test_mariadb.py starts one). A program takes one that
 * no other has now, by a lock that ends with it, and empties it for each test: making thirty tables
 * takes longer than most tests. */
#include "base/check.h"
#include "store/migrate.h"
#include "store/mydb_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 32 zero bytes in any dialect. */
#define ZEROS_HEX "0000000000000000000000000000000000000000000000000000000000000000"
#define ZEROS "x'" ZEROS_HEX "'"

#define TEST_DB_TEXT " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"

static struct mydb_target test_db_target;
static struct db *test_db_admin; /* used by no test: makes, empties and removes */
static int64_t test_db_tables;   /* of the schema, once it is there */
static pid_t test_db_owner;

static inline bool test_db_is_mysql(void) {
    const char *kind = getenv("ASSIZE_TEST_DB");
    return kind != NULL && strcmp(kind, "mysql") == 0;
}

/* ASSIZE_TEST_CLAIMS=owned: without SKIP LOCKED (docs/decisions/0018). */
static inline enum db_claims test_db_claims(void) {
    const char *claims = getenv("ASSIZE_TEST_CLAIMS");
    return claims != NULL && strcmp(claims, "owned") == 0 ? DB_CLAIMS_OWNED : DB_CLAIMS_AUTO;
}

static inline void test_db_must(bool ok, const struct err *err) {
    if (!ok) {
        (void)fprintf(stderr, "the test's database: %s\n", err->text);
        exit(1);
    }
}

static inline void test_db_run(const char *verb, const char *name, const char *rest) {
    struct err err = {0};
    char sql[400];
    (void)snprintf(sql, sizeof sql, "%s `%s`%s", verb, name, rest);
    test_db_must(db_script(test_db_admin, str_from(sql), &err), &err);
}

static inline struct db *test_db_connect(const struct mydb_target *target) {
    struct err err = {0};
    struct db *db = NULL;
    struct db_options options = {.mysql = target, .clock = &clock_real};
    test_db_must(db_open(&options, &db, &err), &err);
    return db;
}

static inline int64_t test_db_count(const char *what) {
    struct err err = {0};
    own(db_stmt) stmt = NULL;
    test_db_must(db_prepare(test_db_admin, what, &stmt, &err), &err);
    test_db_must(db_step(stmt, &err) == DB_ROW, &err);
    return db_i64(stmt, 0);
}

static inline void test_db_end(void) {
    if (getpid() == test_db_owner) {
        db_close(test_db_admin);
    }
}

static inline bool test_db_is_free(int number) {
    static char sql[80]; /* prepared statements are found by their address */
    (void)snprintf(sql, sizeof sql, "SELECT GET_LOCK('assize.test.%d', 0)", number);
    return test_db_count(sql) == 1;
}

static inline void test_db_make(void) {
    const char *socket = getenv("ASSIZE_TEST_MYSQL");
    if (socket == NULL) {
        (void)fprintf(stderr, "no MariaDB to test on: run this by tools/test_mariadb.py, or the "
                              "suite mysql by tools/run_tests.py\n");
        exit(1);
    }
    struct mydb_target *target = &test_db_target;
    *target = (struct mydb_target){.user = "root", .database = "mysql", .tls = MYDB_TLS_OFF};
    (void)snprintf(target->socket, sizeof target->socket, "%s", socket);
    int number = 1;
    for (test_db_admin = test_db_connect(target); !test_db_is_free(number); number++) {
        db_close(test_db_admin);
        test_db_admin = test_db_connect(target);
    }
    (void)snprintf(target->database, sizeof target->database, "test_%d", number);
    test_db_run("CREATE DATABASE IF NOT EXISTS", target->database, TEST_DB_TEXT);
    test_db_run("USE", target->database, "");
    test_db_owner = getpid();
    (void)atexit(test_db_end);
}

/* NULL: the test runs on SQLite. */
static inline const struct mydb_target *test_db(void) {
    if (test_db_is_mysql() && test_db_admin == NULL) {
        test_db_make();
    }
    return test_db_is_mysql() ? &test_db_target : NULL;
}

/* No tables at all. */
static inline void test_db_clear(void) {
    if (test_db() != NULL) {
        test_db_run("DROP DATABASE", test_db_target.database, "");
        test_db_run("CREATE DATABASE", test_db_target.database, TEST_DB_TEXT);
        test_db_run("USE", test_db_target.database, "");
    }
}

#define TEST_DB_TABLES                                                                             \
    "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND "        \
    "table_name NOT LIKE 'schema!_migration%' ESCAPE '!'"

/* How many tables the migrations make; none is dropped by one yet. */
static inline int64_t test_db_schema_tables(void) {
    int64_t count = 0;
    for (int i = 0; migrations[i].name != NULL; i++) {
        for (const char *at = strstr(migrations[i].sql, "CREATE TABLE"); at != NULL;
             at = strstr(at + 1, "CREATE TABLE")) {
            count++;
        }
    }
    return count;
}

/* The whole schema, and no table that a test has made. */
static inline bool test_db_is_sound(void) {
    int applied = 0;
    struct err err = {0};
    return migrate(test_db_admin, migrations, &applied, &err) &&
           test_db_count("SELECT count(*) FROM (" TEST_DB_TABLES ") AS t") == test_db_tables;
}

/* The schema without rows. */
static inline void test_db_empty(void) {
    struct err err = {0};
    if (test_db() == NULL) {
        return;
    }
    if (test_db_tables == 0) {
        test_db_tables = test_db_schema_tables();
    }
    if (!test_db_is_sound()) {
        int applied = 0;
        test_db_clear();
        test_db_must(migrate(test_db_admin, migrations, &applied, &err), &err);
    }
    own(db_stmt) stmt = NULL;
    test_db_must(db_prepare(test_db_admin, TEST_DB_TABLES, &stmt, &err), &err);
    while (db_step(stmt, &err) == DB_ROW) {
        char name[80];
        test_db_must(str_to_c(db_text(stmt, 0), name, sizeof name, &err), &err);
        test_db_run("DELETE FROM", name, "");
    }
}

#endif
