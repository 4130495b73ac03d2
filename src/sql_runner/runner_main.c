/* assize-sqlite: runs statements on an SQLite database in memory, inside the box. Untrusted from
 * the first byte of the statements on: the box bounds what it can do, this program only what it can
 * do to itself. See sql/runner.h. */
#include "base/buf.h"
#include "base/file.h"
#include "base/limits.h"
#include "sql/result.h"
#include "sql/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#define MEMORY_SPARE (16LL * MIB) /* of the limit, for the program itself and the results */
#define LENGTH_MAX (16 * MIB)     /* one value */

struct runner {
    sqlite3 *db;
    struct sql_bounds left;
    struct buf out;
};

/* Nothing but the database in memory: no other files, no settings, no foreign code. */
static int authorize(void *context, int action, const char *first, const char *second,
                     const char *third, const char *fourth) {
    (void)context;
    (void)first;
    (void)third;
    (void)fourth;
    switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_PRAGMA:
    case SQLITE_CREATE_VTABLE:
    case SQLITE_DROP_VTABLE:
    case SQLITE_ANALYZE: return SQLITE_DENY;
    case SQLITE_FUNCTION:
        return second != NULL && (strcasecmp(second, "load_extension") == 0 ||
                                  strcasecmp(second, "fts3_tokenizer") == 0)
                   ? SQLITE_DENY
                   : SQLITE_OK;
    default: return SQLITE_OK;
    }
}

static enum sql_runner_status failed(struct runner *runner, enum sql_runner_status status, int code,
                                     bool running) {
    if (code == SQLITE_NOMEM || code == SQLITE_FULL) {
        status = SQL_RUNNER_MEMORY;
    } else if (code == SQLITE_TOOBIG) {
        status = SQL_RUNNER_LARGE;
    }
    (void)fprintf(stderr, "%s%s", running ? "" : "syntax: ", sqlite3_errmsg(runner->db));
    return status;
}

static enum sql_class class_of(int type) {
    switch (type) {
    case SQLITE_INTEGER: return SQL_CLASS_INTEGER;
    case SQLITE_FLOAT: return SQL_CLASS_REAL;
    case SQLITE_BLOB: return SQL_CLASS_BYTES;
    case SQLITE_NULL: return SQL_CLASS_NULL;
    default: return SQL_CLASS_TEXT;
    }
}

static bool print_row(struct runner *runner, sqlite3_stmt *statement, int columns) {
    sql_form_row(&runner->out);
    for (int i = 0; i < columns; i++) {
        enum sql_class class = class_of(sqlite3_column_type(statement, i));
        const void *bytes = class == SQL_CLASS_BYTES ? sqlite3_column_blob(statement, i)
                                                     : sqlite3_column_text(statement, i);
        int length = sqlite3_column_bytes(statement, i);
        struct str text = bytes == NULL ? STR("") : str_of(bytes, (size_t)length);
        runner->left.bytes_max -= length;
        sql_form_value(&runner->out, class, text);
    }
    return runner->left.rows_max-- > 0 && runner->left.bytes_max >= 0 && !runner->out.full;
}

static void print_head(struct runner *runner, sqlite3_stmt *statement, int columns) {
    sql_form_table(&runner->out, columns);
    for (int i = 0; i < columns; i++) {
        sql_form_name(&runner->out, str_from(sqlite3_column_name(statement, i)));
    }
}

static enum sql_runner_status step(struct runner *runner, sqlite3_stmt *statement, bool print,
                                   enum sql_runner_status otherwise) {
    int columns = sqlite3_column_count(statement);
    if (print && columns > 0) {
        print_head(runner, statement, columns);
    }
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
        if (print && !print_row(runner, statement, columns)) {
            return SQL_RUNNER_LARGE;
        }
    }
    return code == SQLITE_DONE ? SQL_RUNNER_DONE : failed(runner, otherwise, code, true);
}

/* Every statement of a file; `otherwise` says whose fault it is when one does not run. */
static enum sql_runner_status run_file(struct runner *runner, const char *path, bool print,
                                       enum sql_runner_status otherwise) {
    own_buf text;
    struct err err = {0};
    buf_init(&text, 4 * (size_t)SQL_SCRIPT_BYTES_MAX);
    if (!file_load(path, 4 * (size_t)SQL_SCRIPT_BYTES_MAX, &text, &err)) {
        (void)fprintf(stderr, "%s", err.text);
        return SQL_RUNNER_USAGE;
    }
    for (size_t at = 0; at < text.len;) {
        const char *begin = text.ptr + at;
        size_t length = strnlen(begin, text.len - at);
        sqlite3_stmt *statement = NULL;
        int code = sqlite3_prepare_v2(runner->db, begin, (int)length, &statement, NULL);
        enum sql_runner_status status =
            code == SQLITE_OK ? SQL_RUNNER_DONE : failed(runner, otherwise, code, false);
        if (statement != NULL) {
            status = step(runner, statement, print, otherwise);
            (void)sqlite3_finalize(statement);
        }
        if (status != SQL_RUNNER_DONE) {
            return status;
        }
        at += length + 1;
    }
    return SQL_RUNNER_DONE;
}

static bool open_database(struct runner *runner, int64_t memory_bytes) {
    if (sqlite3_open_v2(":memory:", &runner->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        NULL) != SQLITE_OK) {
        return false;
    }
    (void)sqlite3_hard_heap_limit64(memory_bytes > 2 * MEMORY_SPARE ? memory_bytes - MEMORY_SPARE
                                                                    : MEMORY_SPARE);
    (void)sqlite3_limit(runner->db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
    (void)sqlite3_limit(runner->db, SQLITE_LIMIT_ATTACHED, 0);
    (void)sqlite3_db_config(runner->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    return sqlite3_exec(runner->db, "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY", NULL,
                        NULL, NULL) == SQLITE_OK;
}

/* What a student left uncommitted is undone, as on a server whose connection ends. */
static enum sql_runner_status run_all(struct runner *runner, int64_t check_bytes) {
    bool checks = check_bytes > 0;
    enum sql_runner_status status = run_file(runner, "setup", false, SQL_RUNNER_SETUP);
    if (status != SQL_RUNNER_DONE) {
        return status == SQL_RUNNER_USAGE ? status : SQL_RUNNER_SETUP;
    }
    (void)sqlite3_db_config(runner->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_set_authorizer(runner->db, authorize, NULL);
    status = run_file(runner, "statements", !checks, SQL_RUNNER_REFUSED);
    if (status != SQL_RUNNER_DONE || !checks) {
        return status;
    }
    if (sqlite3_get_autocommit(runner->db) == 0) {
        (void)sqlite3_exec(runner->db, "ROLLBACK", NULL, NULL, NULL);
    }
    return run_file(runner, "check", true, SQL_RUNNER_CHECK);
}

static int64_t size_of_check(void) {
    int64_t bytes = 0;
    struct err ignored = {0};
    own_fd fd = -1;
    return file_open_read("check", &fd, &ignored) && file_size(fd, &bytes, &ignored) ? bytes : 0;
}

int main(int count, char **args) {
    struct runner runner = {.db = NULL};
    struct err err = {0};
    int64_t memory_bytes = 0;
    if (count == 2 && strcmp(args[1], "--version") == 0) {
        (void)printf("SQLite %s\n", sqlite3_libversion());
        return 0;
    }
    if (count != 4 ||
        !str_to_i64(str_from(args[1]), 0, SQL_ROWS_MAX, &runner.left.rows_max, &err) ||
        !str_to_i64(str_from(args[2]), 0, SQL_RESULT_BYTES_MAX, &runner.left.bytes_max, &err) ||
        !str_to_i64(str_from(args[3]), 0, INT64_MAX, &memory_bytes, &err)) {
        (void)fprintf(stderr, "usage: assize-sqlite ROWS BYTES MEMORY\n");
        return SQL_RUNNER_USAGE;
    }
    buf_init(&runner.out, 5 * (size_t)SQL_RESULT_BYTES_MAX);
    if (!open_database(&runner, memory_bytes)) {
        return SQL_RUNNER_SETUP;
    }
    enum sql_runner_status status = run_all(&runner, size_of_check());
    sql_form_end(&runner.out);
    if (status == SQL_RUNNER_DONE && !file_write_all(STDOUT_FILENO, buf_str(&runner.out), &err)) {
        status = SQL_RUNNER_USAGE;
    }
    return status; /* the box takes the rest */
}
