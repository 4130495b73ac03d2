#include "store/mydb_selftest.h"
#include "base/check.h"
#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SPARE_CONNECTIONS 10 /* for administration, backup, replication */
#define PACKET_BYTES_MIN (16 * MIB)

struct selftest {
    struct db *db;
    struct db *other; /* a second connection: what one locks the other must skip */
    struct mydb_report *report;
};

__attribute__((format(printf, 2, 3))) static void warn(struct selftest *test, const char *format,
                                                       ...) {
    if (test->report->count == SELFTEST_WARNINGS_MAX) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(test->report->warnings[test->report->count++], sizeof test->report->warnings[0],
                    format, arguments);
    va_end(arguments);
}

/* ---- settings ---- */

/* SHOW, since MySQL and MariaDB keep them in different tables. */
static bool read_variable(struct selftest *test, const char *name, char *ret_value, size_t bytes,
                          bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(test->db, "SHOW GLOBAL VARIABLES WHERE Variable_name = ?", &stmt, err)) {
        return false;
    }
    db_bind_text(stmt, 1, str_from(name));
    return db_find(stmt, ret_found, err) &&
           (!*ret_found || str_to_c(db_text(stmt, 1), ret_value, bytes, err));
}

/* clang-format off */
static const struct wanted {
    const char *name;
    const char *value;
    const char *else_text;
} wanted[] = {
    {"innodb_flush_log_at_trx_commit", "1", "a power failure loses the last second of what was acknowledged"},
    {"binlog_format", "ROW", "replicas may differ, and READ COMMITTED is refused with STATEMENT"},
};
/* clang-format on */

static bool check_settings(struct selftest *test, struct err *err) {
    char value[64] = "";
    bool found = false;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (!read_variable(test, wanted[i].name, value, sizeof value, &found, err)) {
            return false;
        }
        if (found && strcmp(value, wanted[i].value) != 0) {
            warn(test, "%s is %s, not %s: %s", wanted[i].name, value, wanted[i].value,
                 wanted[i].else_text);
        }
    }
    bool logs = false;
    if (!read_variable(test, "log_bin", value, sizeof value, &found, err)) {
        return false;
    }
    logs = found && strcmp(value, "ON") == 0;
    if (!read_variable(test, "sync_binlog", value, sizeof value, &found, err)) {
        return false;
    }
    if (logs && found && strcmp(value, "1") != 0) {
        warn(test,
             "sync_binlog is %s, not 1: after a power failure the binary log, and so every "
             "replica, may lack what was acknowledged",
             value);
    }
    return true;
}

static bool ask(struct db *db, const char *sql, int64_t *ret_answer, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, sql, &stmt, err) || !db_find(stmt, &found, err)) {
        return false;
    }
    *ret_answer = found ? db_i64(stmt, 0) : 0;
    return true;
}

static bool unfit(struct err *err, const char *text) {
    return err_set(err, ERR_INVALID, "database_unfit", "the database cannot be used: %s", text);
}

static bool check_room(struct selftest *test, int connections, struct err *err) {
    int64_t max = 0;
    int64_t packet = 0;
    if (!ask(test->db, "SELECT @@max_connections", &max, err) ||
        !ask(test->db, "SELECT @@max_allowed_packet", &packet, err)) {
        return false;
    }
    if (packet < (int64_t)PACKET_BYTES_MIN) {
        warn(test, "max_allowed_packet is %lld bytes: statements and results near 16 MiB will fail",
             (long long)packet);
    }
    if (connections > max) {
        return err_set(err, ERR_INVALID, "database_unfit",
                       "this server may open %d connections, the database allows %lld for all: "
                       "raise max_connections or lower server.threads",
                       connections, (long long)max);
    }
    if (connections + SPARE_CONNECTIONS > max) {
        warn(test,
             "this server may open %d of the database's %lld connections: fewer than %d are left "
             "for other servers, administration and backup",
             connections, (long long)max, SPARE_CONNECTIONS);
    }
    return true;
}

/* ---- locks ---- */

#define CLAIM                                                                                      \
    "SELECT job_id FROM job_ready WHERE queue_id = -1 AND priority = 1 ORDER BY queue_id, "        \
    "priority, order_key, job_id LIMIT 2"

/* Two rows of this test's own kind, as a claim takes them. */
static bool take_two(struct db *db, const char *kind, int64_t *ret_sum, struct err *err) {
    own(db_stmt) stmt = NULL;
    enum db_step step = DB_DONE;
    *ret_sum = 0;
    if (!db_prepare(db,
                    "SELECT id FROM lock_row WHERE kind = ? ORDER BY kind, id LIMIT 2 "
                    "FOR UPDATE SKIP LOCKED",
                    &stmt, err)) {
        return false;
    }
    db_bind_text(stmt, 1, str_from(kind));
    while ((step = db_step(stmt, err)) == DB_ROW) {
        *ret_sum += db_i64(stmt, 0);
    }
    return step == DB_DONE;
}

static bool write_rows(struct db *db, const char *kind, const char *sql, int first, int last,
                       struct err *err) {
    for (int id = first; id <= last; id++) {
        own(db_stmt) stmt = NULL;
        if (!db_prepare(db, sql, &stmt, err)) {
            return false;
        }
        db_bind_text(stmt, 1, str_from(kind));
        db_bind_i64(stmt, 2, id);
        if (!db_run(stmt, NULL, err)) {
            return false;
        }
    }
    return true;
}

static bool skip_is_real(struct selftest *test, const char *kind, struct err *err) {
    int64_t first = 0;
    int64_t second = 0;
    if (!db_begin(test->db, err) || !db_begin(test->other, err) ||
        !take_two(test->db, kind, &first, err)) {
        return false;
    }
    if (!take_two(test->other, kind, &second, err)) {
        return db_may_retry(err) &&
               unfit(err, "a claim waits for rows that another one has locked, "
                          "although it says SKIP LOCKED");
    }
    return (first == 1 + 2 && second == 3 + 4) ||
           unfit(err, "it accepts SKIP LOCKED without doing it (as TiDB does), so that two servers "
                      "would judge the same job");
}

static bool take_first(struct db *db, const char *kind, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT id FROM lock_row WHERE kind = ? AND id = 1 FOR UPDATE", &stmt,
                    err)) {
        return false;
    }
    db_bind_text(stmt, 1, str_from(kind));
    return db_step(stmt, err) == DB_ROW;
}

/* What everything but claims relies on: a row that one has locked the other waits for. */
static bool lock_is_real(struct selftest *test, const char *kind, struct err *err) {
    if (!db_begin(test->db, err) || !db_begin(test->other, err) ||
        !take_first(test->db, kind, err)) {
        return false;
    }
    if (take_first(test->other, kind, err)) {
        return unfit(err, "it locks no rows: FOR UPDATE of one that another transaction has "
                          "locked must wait");
    }
    return db_may_retry(err);
}

/* Runs a check with rows 1 to 4 of a kind of its own. */
static bool with_rows(struct selftest *test,
                      bool (*check)(struct selftest *test, const char *kind, struct err *err),
                      struct err *err) {
    char kind[24];
    int64_t connection = 0;
    struct err ignored = {0};
    if (!ask(test->db, "SELECT CONNECTION_ID()", &connection, err)) {
        return false;
    }
    (void)snprintf(kind, sizeof kind, "self%lld", (long long)(connection % INT64_C(1000000000)));
    bool ok = db_script(test->other, STR("SET SESSION innodb_lock_wait_timeout = 1"), err) &&
              write_rows(test->db, kind, "INSERT IGNORE INTO lock_row (kind, id) VALUES (?, ?)", 1,
                         4, err) &&
              check(test, kind, err);
    db_rollback(test->db);
    db_rollback(test->other);
    (void)!write_rows(test->db, kind, "DELETE FROM lock_row WHERE kind = ? AND id = ?", 1, 4,
                      &ignored);
    return ok;
}

/* Rows are skipped, or the setting allows that queues are owned instead. */
static bool check_claims(struct selftest *test, enum db_claims claims, struct err *err) {
    if (claims == DB_CLAIMS_OWNED) {
        test->report->claims_owned = true;
        return with_rows(test, lock_is_real, err);
    }
    struct err why = {0};
    if (with_rows(test, skip_is_real, &why)) {
        return true;
    }
    if (claims == DB_CLAIMS_SKIPPED || db_is_unavailable(&why)) {
        *err = why;
        return false;
    }
    test->report->claims_owned = true;
    warn(test, "queues are claimed of by one owner at a time (database.claims): %.150s", why.text);
    return with_rows(test, lock_is_real, err);
}

/* ---- the claim's plan ---- */

static bool check_plan(struct selftest *test, struct err *err) {
    own(db_stmt) stmt = NULL;
    int64_t mariadb = 0;
    if (!ask(test->db, "SELECT VERSION() LIKE '%MariaDB%'", &mariadb, err)) {
        return false;
    }
    if (mariadb == 0) {
        return true; /* what others explain has another shape */
    }
    const char *sql =
        test->report->claims_owned ? "EXPLAIN " CLAIM : "EXPLAIN " CLAIM " FOR UPDATE SKIP LOCKED";
    if (!db_prepare(test->db, sql, &stmt, err)) {
        return false;
    }
    if (db_step(stmt, err) != DB_ROW) {
        return false;
    }
    bool by_key = str_eq_c(db_text(stmt, 5), "PRIMARY");
    struct str extra = db_text(stmt, 9);
    bool sorts = extra.len > 0 && memmem(extra.ptr, extra.len, "filesort", 8) != NULL;
    if (!by_key || sorts) {
        warn(test,
             "the claim does not follow its key (key " STR_FMT ", " STR_FMT "): it will lock "
             "more than it takes; run ANALYZE TABLE job_ready",
             STR_ARG(db_text(stmt, 5)), STR_ARG(extra));
    }
    return true;
}

bool mydb_selftest(const struct db_options *options, const struct mydb_needs *needs,
                   struct mydb_report *ret_report, struct err *err) {
    own(db) db = NULL;
    own(db) other = NULL;
    CHECK(options->mysql != NULL && !options->read_only);
    *ret_report = (struct mydb_report){0};
    if (!db_open(options, &db, err) || !db_open(options, &other, err)) {
        return false;
    }
    struct selftest test = {.db = db, .other = other, .report = ret_report};
    return check_room(&test, needs->connections, err) && check_settings(&test, err) &&
           check_claims(&test, needs->claims, err) && check_plan(&test, err);
}
