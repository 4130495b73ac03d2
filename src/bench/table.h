#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "base/buf.h"
#include "bench/bench.h"

/* A table as text for people or as Markdown for documents. The first column is text, the others
 * are numbers and stand to the right. */

#define TABLE_COLUMNS_MAX 12
#define TABLE_ROWS_MAX 400
#define TABLE_CELL_BYTES 80

struct table {
    char (*cells)[TABLE_CELL_BYTES]; /* row by row; row 0 is the head */
    int columns;
    int count; /* cells so far */
};

/* The head: its names separated by '|'. */
void table_init(struct table *table, const char *head);
void table_done(struct table *table); /* accepts NULL and a zeroed one */
#define own_table __attribute__((cleanup(table_done))) struct table

/* Appends the next cell; rows fill from left to right. Longer text is cut. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* value / 10^digits with `shown` decimals, rounded half away from zero. */
void table_number(struct table *table, int64_t value, int digits, int shown);
/* CHECKs that the last row is whole. `format`: BENCH_TEXT or BENCH_MARKDOWN. */
void table_print(const struct table *table, enum bench_format format, struct buf *out);

#endif
