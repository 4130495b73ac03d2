#ifndef STORE_ROWS_INTERNAL_H
#define STORE_ROWS_INTERNAL_H

#include "store/rows.h"

/* What waits in one connection, and the ways to send it: row by row (rows_one.c) or in packets. */

struct rows_group {
    const struct rows_write *write;
    struct rows_value *values; /* row by row */
    int count;
    int room;
};

struct rows;

struct rows *rows_create(struct db_meter *meter); /* NULL: counts for itself alone */
void rows_free(struct rows *rows);                /* accepts NULL */
void rows_forget(struct rows *rows);              /* rolled back, or sent */
bool rows_wait(const struct rows *rows);
void rows_count_alone(struct rows *rows); /* a prepared statement begins */
void rows_count(struct rows *rows, int64_t statements, int64_t trips);
struct rows_group *rows_groups(struct rows *rows, int *ret_count);

/* By prepared statements, one row after the other. */
checked bool rows_one_write(struct db *db, const struct rows_group *group, struct err *err);
checked bool rows_one_read(struct db *db, const struct rows_read *read, struct err *err);

/* As text, several statements at once (rows_packet.c). */
checked bool rows_packet_write(struct db *db, const struct rows_group *groups, int count,
                               struct err *err);
/* `ret_now_ms`: the clock, asked behind all reads; NULL: not asked. */
checked bool rows_packet_read(struct db *db, const struct rows_read *reads, int count,
                              int64_t *ret_now_ms, struct err *err);

/* The text for one row or one key with ? for each value, kept as long as the connection. */
const char *rows_write_sql(struct rows *rows, const struct rows_write *write);
const char *rows_select_sql(struct rows *rows, const struct rows_select *select);

/* The driver's: where a connection keeps what waits, whether a transaction is open. */
struct rows *db_rows(struct db *db);
/* Notes a lock that a statement took without waiting, in whatever order. */
void db_lock_found(struct db *db, enum lock_level level, enum lock_mode mode, int64_t id);
bool db_in_transaction(const struct db *db);

#endif
