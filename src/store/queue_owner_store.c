#include "store/queue_owner_store.h"
#include "base/check.h"

const struct rows_select queue_owner_select = {
    .sql = "SELECT o.id, o.term FROM queue_owner o", .keys = {"o.id"}, .key_count = 1};

static const struct rows_write owner_insert = {.kind = ROWS_INSERT,
                                               .table = "queue_owner",
                                               .columns = "id, term, owner",
                                               .column_count = 3,
                                               .key_count = 1};

/* Where the lock makes no row (SQLite) the first owner does. */
static bool make(struct db *db, struct queue_id queue, struct str owner, struct err *err) {
    const struct rows_value values[] = {rows_i64(queue.value), rows_i64(1), rows_text(owner)};
    return db_put(db, &owner_insert, values, err) && db_flush(db, err);
}

bool queue_owner_take(struct db *db, const struct queue_ownership *read, struct str owner,
                      struct err *err) {
    CHECK(db_has_lock(db, LOCK_QUEUE, LOCK_EXCLUSIVE, read->queue.value));
    own(db_stmt) stmt = NULL;
    int64_t changes = 0;
    if (!db_prepare(db,
                    "UPDATE queue_owner SET term = term + 1, owner = ? WHERE id = ? AND term = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_text(stmt, 1, owner);
    db_bind_i64(stmt, 2, read->queue.value);
    db_bind_i64(stmt, 3, read->term);
    if (!db_run(stmt, &changes, err)) {
        return false;
    }
    if (changes == 1) {
        return true;
    }
    if (read->term == 0 && db_dialect(db) == DIALECT_SQLITE) {
        return make(db, read->queue, owner, err);
    }
    return err_set(err, ERR_BUSY, "database_busy", "another server claims of queue %lld",
                   (long long)read->queue.value);
}
