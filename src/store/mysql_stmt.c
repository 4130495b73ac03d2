/* Prepared statements of the MySQL driver. A result is read whole when the statement is executed,
 * as any other statement may run before its last row is looked at; every SELECT has its LIMIT. Text
 * and bytes of a row are fetched when asked for, into a buffer that the column keeps. */
#include "base/check.h"
#include "store/mydb_internal.h"

#include <stdlib.h>
#include <string.h>

#include <errmsg.h>
#include <mysql.h>

struct value { /* of a parameter */
    MYSQL_BIND *bind;
    int64_t i64;
    char *bytes;
    size_t room;
    unsigned long len;
};

struct column {
    int64_t i64;
    char *bytes; /* fetched when `fetched` */
    size_t room;
    unsigned long len;
    my_bool null;
    my_bool cut;
    bool is_number;
    bool fetched;
};

struct mydb_stmt {
    struct db_stmt base;
    MYSQL_STMT *raw;
    int64_t generation;
    int parameters;
    MYSQL_BIND *in;
    struct value *values;
    int columns;
    MYSQL_BIND *out;
    struct column *row;
    bool executed;
    int64_t changes;
};

static struct mydb_stmt *of(struct db_stmt *stmt) {
    return (struct mydb_stmt *)stmt;
}

static bool fail(struct mydb_stmt *stmt, struct err *err) {
    return mydb_fail(mydb_of(stmt->base.db), mysql_stmt_errno(stmt->raw),
                     mysql_stmt_error(stmt->raw), stmt->base.sql, err);
}

static void *zeroed(int count, size_t bytes) {
    void *memory = calloc((size_t)count + 1, bytes);
    CHECK(memory != NULL);
    return memory;
}

/* ---- preparing ---- */

static void describe_parameters(struct mydb_stmt *stmt) {
    stmt->parameters = (int)mysql_stmt_param_count(stmt->raw);
    stmt->in = zeroed(stmt->parameters, sizeof stmt->in[0]);
    stmt->values = zeroed(stmt->parameters, sizeof stmt->values[0]);
    mydb_stmt_clear(&stmt->base);
}

static bool is_number(enum enum_field_types type) {
    return type == MYSQL_TYPE_TINY || type == MYSQL_TYPE_SHORT || type == MYSQL_TYPE_INT24 ||
           type == MYSQL_TYPE_LONG || type == MYSQL_TYPE_LONGLONG || type == MYSQL_TYPE_DECIMAL ||
           type == MYSQL_TYPE_NEWDECIMAL || type == MYSQL_TYPE_NULL;
}

static void describe_column(struct mydb_stmt *stmt, int index, const MYSQL_FIELD *field) {
    struct column *column = &stmt->row[index];
    MYSQL_BIND *bind = &stmt->out[index];
    column->is_number = is_number(field->type);
    bind->buffer_type = column->is_number ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_BLOB;
    bind->buffer = column->is_number ? &column->i64 : NULL;
    bind->buffer_length = column->is_number ? sizeof column->i64 : 0;
    bind->length = &column->len;
    bind->is_null = &column->null;
    bind->error = &column->cut;
}

static void describe_columns(struct mydb_stmt *stmt) {
    MYSQL_RES *metadata = mysql_stmt_result_metadata(stmt->raw);
    stmt->columns = metadata != NULL ? (int)mysql_num_fields(metadata) : 0;
    stmt->out = zeroed(stmt->columns, sizeof stmt->out[0]);
    stmt->row = zeroed(stmt->columns, sizeof stmt->row[0]);
    for (int i = 0; i < stmt->columns; i++) {
        describe_column(stmt, i, mysql_fetch_field_direct(metadata, (unsigned)i));
    }
    mysql_free_result(metadata);
}

static bool connect_to(struct mydb_stmt *stmt, struct err *err) {
    struct mydb *db = mydb_of(stmt->base.db);
    stmt->raw = mysql_stmt_init(db->raw);
    CHECK(stmt->raw != NULL);
    stmt->generation = db->generation;
    return mysql_stmt_prepare(stmt->raw, stmt->base.sql, strlen(stmt->base.sql)) == 0 ||
           fail(stmt, err);
}

bool mydb_stmt_make(struct db *db, const char *sql, struct db_stmt **ret_stmt, struct err *err) {
    if (!mydb_ready(mydb_of(db), err)) {
        return false;
    }
    struct mydb_stmt *stmt = zeroed(1, sizeof *stmt);
    stmt->base.db = db;
    stmt->base.sql = sql;
    if (!connect_to(stmt, err)) {
        mydb_stmt_end(&stmt->base);
        return false;
    }
    describe_parameters(stmt);
    describe_columns(stmt);
    *ret_stmt = &stmt->base;
    return true;
}

/* Of an earlier connection: the text is the same, so its parameters and columns are too. */
bool mydb_stmt_reuse(struct db_stmt *base, struct err *err) {
    struct mydb_stmt *stmt = of(base);
    struct mydb *db = mydb_of(base->db);
    if (!mydb_ready(db, err)) {
        return false;
    }
    if (stmt->generation == db->generation) {
        return true;
    }
    (void)mysql_stmt_close(stmt->raw);
    return connect_to(stmt, err);
}

void mydb_stmt_end(struct db_stmt *base) {
    struct mydb_stmt *stmt = of(base);
    for (int i = 0; i < stmt->parameters; i++) {
        free(stmt->values[i].bytes);
    }
    for (int i = 0; i < stmt->columns; i++) {
        free(stmt->row[i].bytes);
    }
    (void)mysql_stmt_close(stmt->raw);
    free(stmt->in);
    free(stmt->values);
    free(stmt->out);
    free(stmt->row);
    free(stmt);
}

void mydb_stmt_again(struct db_stmt *base) {
    struct mydb_stmt *stmt = of(base);
    if (stmt->executed) {
        (void)mysql_stmt_free_result(stmt->raw);
    }
    stmt->executed = false;
}

/* ---- parameters ---- */

static struct value *value_at(struct mydb_stmt *stmt, int index, enum enum_field_types type) {
    CHECK(index >= 1 && index <= stmt->parameters);
    CHECK(!stmt->executed);
    struct value *value = &stmt->values[index - 1];
    stmt->in[index - 1] = (MYSQL_BIND){.buffer_type = type, .length = &value->len};
    value->bind = &stmt->in[index - 1];
    return value;
}

void mydb_stmt_put_null(struct db_stmt *base, int index) {
    (void)value_at(of(base), index, MYSQL_TYPE_NULL);
}

void mydb_stmt_clear(struct db_stmt *base) {
    for (int i = 1; i <= of(base)->parameters; i++) {
        mydb_stmt_put_null(base, i);
    }
}

void mydb_stmt_put_i64(struct db_stmt *base, int index, int64_t number) {
    struct value *value = value_at(of(base), index, MYSQL_TYPE_LONGLONG);
    value->i64 = number;
    value->bind->buffer = &value->i64;
    value->bind->buffer_length = sizeof value->i64;
}

static void make_room(char **bytes, size_t *room, size_t len) {
    if (*room <= len) {
        *room = len + 64;
        *bytes = realloc(*bytes, *room);
        CHECK(*bytes != NULL);
    }
}

void mydb_stmt_put_bytes(struct db_stmt *base, int index, struct str bytes, enum db_bytes kind) {
    struct value *value =
        value_at(of(base), index, kind == DB_BYTES_TEXT ? MYSQL_TYPE_STRING : MYSQL_TYPE_BLOB);
    make_room(&value->bytes, &value->room, bytes.len);
    if (bytes.len > 0) {
        memcpy(value->bytes, bytes.ptr, bytes.len);
    }
    value->len = bytes.len;
    value->bind->buffer = value->bytes;
    value->bind->buffer_length = bytes.len;
}

/* ---- running ---- */

static bool execute(struct mydb_stmt *stmt, struct err *err) {
    struct mydb *db = mydb_of(stmt->base.db);
    if (!mydb_ready(db, err)) {
        return false;
    }
    if (stmt->generation != db->generation) { /* it holds rows or values of a lost connection */
        return mydb_fail(db, CR_SERVER_LOST, "the connection was made anew", stmt->base.sql, err);
    }
    if (mysql_stmt_bind_param(stmt->raw, stmt->in) != 0 || mysql_stmt_execute(stmt->raw) != 0) {
        return fail(stmt, err);
    }
    stmt->executed = true;
    if (stmt->columns == 0) {
        stmt->changes = (int64_t)mysql_stmt_affected_rows(stmt->raw);
    } else if (mysql_stmt_bind_result(stmt->raw, stmt->out) != 0 ||
               mysql_stmt_store_result(stmt->raw) != 0) {
        return fail(stmt, err);
    }
    db->used_mono_ms = clock_mono_ms(&clock_real);
    return true;
}

enum db_step mydb_stmt_step(struct db_stmt *base, struct err *err) {
    struct mydb_stmt *stmt = of(base);
    if (!stmt->executed && !execute(stmt, err)) {
        return DB_FAILED;
    }
    if (stmt->columns == 0) {
        return DB_DONE;
    }
    for (int i = 0; i < stmt->columns; i++) {
        stmt->row[i].fetched = false;
    }
    switch (mysql_stmt_fetch(stmt->raw)) {
    case 0:
    case MYSQL_DATA_TRUNCATED: return DB_ROW; /* as meant: the bytes are fetched when asked for */
    case MYSQL_NO_DATA: return DB_DONE;
    default: (void)fail(stmt, err); return DB_FAILED;
    }
}

int64_t mydb_stmt_changes(struct db_stmt *base) {
    return of(base)->changes;
}

/* ---- columns ---- */

static struct column *column_at(struct mydb_stmt *stmt, int index) {
    CHECK(index >= 0 && index < stmt->columns);
    CHECK(stmt->executed);
    return &stmt->row[index];
}

bool mydb_stmt_is_null(struct db_stmt *base, int index) {
    return column_at(of(base), index)->null;
}

int64_t mydb_stmt_i64(struct db_stmt *base, int index) {
    struct column *column = column_at(of(base), index);
    CHECK(column->is_number);
    return column->null ? 0 : column->i64;
}

struct str mydb_stmt_bytes(struct db_stmt *base, int index, enum db_bytes kind) {
    (void)kind;
    struct mydb_stmt *stmt = of(base);
    struct column *column = column_at(stmt, index);
    if (column->null) {
        return (struct str){0};
    }
    CHECK(!column->is_number);
    if (!column->fetched) {
        unsigned long len = column->len;
        make_room(&column->bytes, &column->room, len);
        MYSQL_BIND bind = {.buffer_type = MYSQL_TYPE_BLOB,
                           .buffer = column->bytes,
                           .buffer_length = len,
                           .length = &len};
        CHECK(mysql_stmt_fetch_column(stmt->raw, &bind, (unsigned)index, 0) == 0);
        column->fetched = true;
    }
    return str_of(column->bytes, column->len);
}
