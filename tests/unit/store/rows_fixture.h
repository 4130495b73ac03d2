#ifndef ROWS_FIXTURE_H
#define ROWS_FIXTURE_H

/* Reads by a store's rows_select, without locks. */
#include "store/rows.h"
#include "store_fixture.h"

struct seen {
    int column;
    int count;
    int64_t last; /* of the column, in the last row */
};

static inline void note_seen(void *context, struct db_stmt *row) {
    struct seen *seen = context;
    seen->count++;
    seen->last = db_i64(row, seen->column);
}

static inline struct seen fixture_read(struct fixture *f, const struct rows_select *select,
                                       const struct rows_value *values, int count, int column) {
    struct seen seen = {.column = column};
    const struct rows_read read = {
        .select = select, .values = values, .count = count, .row = note_seen, .context = &seen};
    assert_true(db_begin(f->db, &f->err));
    assert_true(db_read(f->db, &read, 1, NULL, &f->err));
    db_rollback(f->db);
    return seen;
}

#endif
