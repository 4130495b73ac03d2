#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include "store/db.h"

/* Statements about many rows at once. What a batch of requests costs is statements and round trips,
 * not rows (docs/operations/queue.md), so a store says what it wants of each row and the rows of a
 * batch travel together:
 *
 *     writes  are put, and sent when the transaction commits, or before its next read: one
 *             statement for all rows that were put for the same purpose;
 *     reads   of a batch name all their keys; several reads go in one packet, the clock after them.
 *
 * On MySQL a packet is one text of several statements (packet.h). On SQLite, where there is no
 * round trip, it is one prepared statement a purpose, run for each row.
 *
 * Invariants: (1) what was put has the effect that it would have had at once: two rows are only
 * reordered when they have different keys; (2) every row that was put changed exactly one row, else
 * the process aborts (may_miss: at most one); (3) locks are taken in the order of lock_order.h, all
 * of them before the clock is read. */

enum rows_type { ROWS_NULL, ROWS_I64, ROWS_TEXT, ROWS_BLOB };

struct rows_value {
    enum rows_type type;
    int64_t i64;
    struct str bytes; /* TEXT and BLOB; copied by db_put */
};

#define ROWS_COLUMNS_MAX 32

static inline struct rows_value rows_i64(int64_t value) {
    return (struct rows_value){.type = ROWS_I64, .i64 = value};
}
static inline struct rows_value rows_text(struct str text) {
    return (struct rows_value){.type = ROWS_TEXT, .bytes = text};
}
static inline struct rows_value rows_blob(struct str bytes) {
    return (struct rows_value){.type = ROWS_BLOB, .bytes = bytes};
}
static inline struct rows_value rows_sha256(const uint8_t sha256[32]) {
    return rows_blob(str_of(sha256, 32));
}
static inline struct rows_value rows_null(void) {
    return (struct rows_value){.type = ROWS_NULL};
}

/* ---- writes ---- */

enum rows_kind { ROWS_INSERT = 1, ROWS_UPDATE, ROWS_DELETE };

/* One a purpose, with static storage: its address is its name. */
struct rows_write {
    enum rows_kind kind;
    const char *table;
    const char *columns; /* names with ", " between them; first those of the primary key, which are
                            numbers. DELETE: these alone */
    int column_count;
    int key_count;
    /* INSERT: further columns, with the same text for every row; NULL: none. */
    const char *constant_columns;
    const char *constants;
    bool may_miss; /* UPDATE, DELETE: the row may be gone */
};

/* `values` by the columns' order. Errors come when the rows are sent: those of db_step, of db_put
 * itself only when no transaction is open, or too much waits. */
checked bool db_put(struct db *db, const struct rows_write *write, const struct rows_value *values,
                    struct err *err);
/* Sends what waits; db_commit, db_step and db_read do it by themselves. */
checked bool db_flush(struct db *db, struct err *err);

/* ---- reads ---- */

#define ROWS_KEYS_MAX 3

struct rows_select {
    const char *sql;                 /* up to and without WHERE, when there are keys; else with ?
                                        for each value */
    const char *keys[ROWS_KEYS_MAX]; /* columns that are equal to the values */
    int key_count;                   /* 0: `sql` is whole */
    const char *tail;                /* behind the keys; NULL: nothing */
};

struct rows_read {
    const struct rows_select *select; /* NULL: only the locks */
    const struct rows_value *values;  /* key by key; of a whole `sql` its parameters */
    int count;                        /* of keys, or of parameters; 0 keys: nothing is read */
    /* Locks a row of the level for each key, which is one number; ascending, each once. Of a whole
     * `sql`: column 0 of each row found is locked by it, without having waited. */
    enum lock_level level; /* LOCK_NONE: none */
    enum lock_mode mode;
    /* For each row that was found, in no order when there are keys. */
    void (*row)(void *context, struct db_stmt *row);
    void *context;
};

#define ROWS_READS_MAX 256
/* All reads in their order. `ret_now_ms`: the clock after them, as db_now; NULL: not asked. */
checked bool db_read(struct db *db, const struct rows_read *reads, int count, int64_t *ret_now_ms,
                     struct err *err);

/* The next name of "a, b, c". */
bool rows_next_column(struct str *columns, struct str *ret_name);

/* What this connection has sent so far. */
struct rows_counts {
    int64_t statements; /* a statement about many rows counts once */
    int64_t trips;      /* packets, and prepared statements by themselves */
};
struct rows_counts db_counts(struct db *db);

#endif
