/* Rows and keys one by one, each by the prepared statement of its purpose: what SQLite does with
 * the least work. */
#include "base/check.h"
#include "store/rows_internal.h"

static void bind(struct db_stmt *stmt, int index, const struct rows_value *value) {
    switch (value->type) {
    case ROWS_NULL: db_bind_null(stmt, index); return;
    case ROWS_I64: db_bind_i64(stmt, index, value->i64); return;
    case ROWS_TEXT: db_bind_text(stmt, index, value->bytes); return;
    case ROWS_BLOB: db_bind_blob(stmt, index, value->bytes); return;
    }
    CHECK(false);
}

/* Where in the statement a column stands: an UPDATE names its key last. */
static int place_of(const struct rows_write *write, int column) {
    if (write->kind != ROWS_UPDATE) {
        return column + 1;
    }
    int others = write->column_count - write->key_count;
    return column < write->key_count ? others + column + 1 : column - write->key_count + 1;
}

bool rows_one_write(struct db *db, const struct rows_group *group, struct err *err) {
    const struct rows_write *write = group->write;
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, rows_write_sql(db_rows(db), write), &stmt, err)) {
        return false;
    }
    for (int row = 0; row < group->count; row++) {
        int64_t changes = 0;
        for (int i = 0; i < write->column_count; i++) {
            bind(stmt, place_of(write, i), &group->values[row * write->column_count + i]);
        }
        if (!db_run(stmt, &changes, err)) {
            return false;
        }
        CHECK(changes == 1 || (changes == 0 && write->may_miss));
    }
    return true;
}

static bool read_rows(struct db_stmt *stmt, const struct rows_read *read, struct err *err) {
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        read->row(read->context, stmt);
    }
    db_reset(stmt);
    return step == DB_DONE;
}

static bool read_keys(struct db *db, const struct rows_read *read, struct err *err) {
    const struct rows_select *select = read->select;
    int per_run = select->key_count > 0 ? select->key_count : read->count;
    int runs = select->key_count > 0 ? read->count : 1;
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, rows_select_sql(db_rows(db), select), &stmt, err)) {
        return false;
    }
    for (int run = 0; run < runs; run++) {
        for (int i = 0; i < per_run; i++) {
            bind(stmt, i + 1, &read->values[run * per_run + i]);
        }
        if (!read_rows(stmt, read, err)) {
            return false;
        }
    }
    return true;
}

bool rows_one_read(struct db *db, const struct rows_read *read, struct err *err) {
    for (int i = 0; read->level != LOCK_NONE && i < read->count; i++) {
        CHECK(read->values[i].type == ROWS_I64);
        if (!db_lock(db, read->level, read->mode, read->values[i].i64, err)) {
            return false;
        }
    }
    bool empty = read->select == NULL || (read->select->key_count > 0 && read->count == 0);
    return empty || read_keys(db, read, err);
}
