#include "store/turn_store.h"
#include "store/rows.h"

const struct rows_select turn_select = {
    .sql = "SELECT t.queue_id, t.priority, t.user_id, t.last_key FROM lane_turn t",
    .keys = {"t.queue_id", "t.priority", "t.user_id"},
    .key_count = 3};

#define TURN_COLUMNS "queue_id, priority, user_id, last_key"

static const struct rows_write turn_insert = {.kind = ROWS_INSERT,
                                              .table = "lane_turn",
                                              .columns = TURN_COLUMNS,
                                              .column_count = 4,
                                              .key_count = 3};
static const struct rows_write turn_update = {.kind = ROWS_UPDATE,
                                              .table = "lane_turn",
                                              .columns = TURN_COLUMNS,
                                              .column_count = 4,
                                              .key_count = 3};

bool turn_store_set(struct db *db, const struct turn_owner *owner, int64_t last_key, bool found,
                    struct err *err) {
    const struct rows_value values[] = {rows_i64(owner->queue.value), rows_i64(owner->priority),
                                        rows_i64(owner->user.value), rows_i64(last_key)};
    return db_put(db, found ? &turn_update : &turn_insert, values, err);
}
