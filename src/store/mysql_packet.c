/* Several statements as one text and one round trip (packet.h). Their answers come as text. */
#include "base/check.h"
#include "store/mydb_internal.h"

#include <mysql.h>

/* A row of an answer, read by db_i64 and its kind: a statement of a database of its own, whose
 * driver knows columns and nothing else. */
struct text_row {
    struct db_stmt base;
    struct db reader;
    MYSQL_ROW row;
    unsigned long *lengths;
    unsigned columns;
};

static const char *column_at(struct db_stmt *stmt, int column) {
    struct text_row *row = (struct text_row *)stmt;
    CHECK(column >= 0 && (unsigned)column < row->columns);
    return row->row[column];
}

static int64_t text_i64(struct db_stmt *stmt, int column) {
    struct err err = {0};
    int64_t value = 0;
    const char *text = column_at(stmt, column);
    CHECK(text == NULL || str_to_i64(str_from(text), INT64_MIN, INT64_MAX, &value, &err));
    return value;
}

static struct str text_bytes(struct db_stmt *stmt, int column, enum db_bytes kind) {
    (void)kind;
    const char *text = column_at(stmt, column);
    return text != NULL ? str_of(text, ((struct text_row *)stmt)->lengths[column])
                        : (struct str){0};
}

static bool text_is_null(struct db_stmt *stmt, int column) {
    return column_at(stmt, column) == NULL;
}

static const struct db_driver text_driver = {
    .dialect = DIALECT_MYSQL, .i64 = text_i64, .bytes = text_bytes, .is_null = text_is_null};

static bool fail(struct mydb *db, struct err *err) {
    return mydb_fail(db, mysql_errno(db->raw), mysql_error(db->raw), "packet", err);
}

/* Only connections that send packets take several statements in one text. */
static bool turn_on(struct mydb *db, struct err *err) {
    if (db->packets_on == db->generation) {
        return true;
    }
    if (mysql_set_server_option(db->raw, MYSQL_OPTION_MULTI_STATEMENTS_ON) != 0) {
        return fail(db, err);
    }
    db->packets_on = db->generation;
    return true;
}

static bool take_answer(struct mydb *db, struct packet_answer *answer, struct err *err) {
    MYSQL_RES *result = mysql_store_result(db->raw);
    if (result == NULL) {
        answer->changes = (int64_t)mysql_affected_rows(db->raw);
        return mysql_field_count(db->raw) == 0 || fail(db, err);
    }
    struct text_row row = {.reader = {.driver = &text_driver}, .columns = mysql_num_fields(result)};
    row.base.db = &row.reader;
    while (answer->row != NULL && (row.row = mysql_fetch_row(result)) != NULL) {
        row.lengths = mysql_fetch_lengths(result);
        answer->row(answer->context, &row.base);
    }
    mysql_free_result(result);
    return true;
}

static bool next_answer(struct mydb *db, bool was_last, struct err *err) {
    int next = mysql_next_result(db->raw); /* -1: that was the last */
    if (next > 0) {
        return fail(db, err);
    }
    CHECK((next < 0) == was_last);
    return true;
}

static bool skip_answer(struct mydb *db, struct err *err) {
    struct packet_answer ignored = {.changes = 0};
    return take_answer(db, &ignored, err) && next_answer(db, false, err);
}

/* The text, begun with the transaction when the server does not know of it yet. */
static bool send(struct mydb *db, struct str text, struct err *err) {
    own_buf whole = {0};
    bool first = db->open && !db->begun;
    if (first) {
        buf_init(&whole, text.len + sizeof MYDB_BEGIN + 1);
        buf_append_c(&whole, MYDB_BEGIN ";");
        buf_append(&whole, text);
        text = buf_str(&whole);
    }
    if (mysql_real_query(db->raw, text.ptr, text.len) == 0) {
        db->begun = db->open;
        return !first || skip_answer(db, err);
    }
    return fail(db, err);
}

/* The server may have closed an idle connection: nothing of a transaction that it does not know yet
 * is lost by asking a second time. */
static bool send_twice(struct mydb *db, struct str text, struct err *err) {
    bool first = db->open && !db->begun;
    if (send(db, text, err)) {
        return true;
    }
    bool again = first && !db->begun && db->lost;
    if (again && mydb_connected(db, err) && turn_on(db, err) && send(db, text, err)) {
        return true;
    }
    return db->begun ? false : mydb_doom(db, err);
}

bool mydb_packet(struct db *base, struct str text, struct packet_answer *answers, int count,
                 struct err *err) {
    struct mydb *db = mydb_of(base);
    if (!mydb_connected(db, err) || !turn_on(db, err) || !send_twice(db, text, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!take_answer(db, &answers[i], err) || !next_answer(db, i + 1 == count, err)) {
            return false;
        }
    }
    db->used_mono_ms = clock_mono_ms(&clock_real);
    return true;
}
