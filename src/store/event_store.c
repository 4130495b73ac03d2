#include "store/event_store.h"
#include "base/check.h"
#include "store/rows.h"

#define EVENT_KEY "job_id, event_type, effective_rev"

static const struct rows_write event_insert = {.kind = ROWS_INSERT,
                                               .table = "settlement_event",
                                               .columns = EVENT_KEY ", subject_id, next_ms",
                                               .column_count = 5,
                                               .key_count = 3,
                                               .constant_columns = "attempts",
                                               .constants = "0"};
static const struct rows_write event_delete = {.kind = ROWS_DELETE,
                                               .table = "settlement_event",
                                               .columns = EVENT_KEY,
                                               .column_count = 3,
                                               .key_count = 3,
                                               .may_miss = true};

bool event_store_insert(struct db *db, const struct event_row *event, int64_t now_ms,
                        struct err *err) {
    const struct rows_value values[] = {rows_i64(event->job.value), rows_i64(event->type),
                                        rows_i64(event->effective_rev),
                                        rows_i64(event->submission.value), rows_i64(now_ms)};
    return db_put(db, &event_insert, values, err);
}

bool event_store_due(struct db *db, int64_t now_ms, struct event_row *ret_events, int max,
                     int *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT job_id, event_type, effective_rev, subject_id FROM settlement_event "
                    "WHERE next_ms <= ? ORDER BY next_ms, job_id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, now_ms);
    db_bind_i64(stmt, 2, max);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(count < max);
        ret_events[count++] = (struct event_row){
            .job = {db_i64(stmt, 0)},
            .type = (enum event_type)db_i64(stmt, 1),
            .effective_rev = db_i64(stmt, 2),
            .submission = {db_i64(stmt, 3)},
        };
    }
    *ret_count = count;
    return step == DB_DONE;
}

static void bind_key(struct db_stmt *stmt, int index, const struct event_row *event) {
    db_bind_i64(stmt, index, event->job.value);
    db_bind_i64(stmt, index + 1, event->type);
    db_bind_i64(stmt, index + 2, event->effective_rev);
}

bool event_store_delete(struct db *db, const struct event_row *event, struct err *err) {
    const struct rows_value values[] = {rows_i64(event->job.value), rows_i64(event->type),
                                        rows_i64(event->effective_rev)};
    return db_put(db, &event_delete, values, err);
}

bool event_store_delay(struct db *db, const struct event_row *event, int64_t next_ms,
                       struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE settlement_event SET next_ms = ?, attempts = attempts + 1 WHERE "
                    "job_id = ? AND event_type = ? AND effective_rev = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, next_ms);
    bind_key(stmt, 2, event);
    return db_run(stmt, NULL, err);
}
