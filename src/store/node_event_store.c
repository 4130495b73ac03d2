#include "store/node_event_store.h"
#include "store/rows.h"

static const struct rows_write event_insert = {.kind = ROWS_INSERT,
                                               .table = "node_event",
                                               .columns =
                                                   "id, node_id, at_ms, event, job_id, detail",
                                               .column_count = 6,
                                               .key_count = 1};

bool node_event_insert(struct db *db, const struct node_event_row *row, struct err *err) {
    const struct rows_value values[] = {
        rows_i64(row->id),        rows_i64(row->node.value),
        rows_i64(row->at_ms),     rows_text(str_from(row->event)),
        rows_i64(row->job.value), rows_text(str_utf8_prefix(row->detail, 1024)),
    };
    return db_put(db, &event_insert, values, err);
}
