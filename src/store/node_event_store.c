#include "store/node_event_store.h"

bool node_event_insert(struct db *db, const struct node_event_row *row, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO node_event (id, node_id, at_ms, event, job_id, detail) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, row->id);
    db_bind_i64(stmt, 2, row->node.value);
    db_bind_i64(stmt, 3, row->at_ms);
    db_bind_text(stmt, 4, str_from(row->event));
    db_bind_i64(stmt, 5, row->job.value);
    db_bind_text(stmt, 6, str_utf8_prefix(row->detail, 1024));
    return db_run_one(stmt, err);
}
