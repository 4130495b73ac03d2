#ifndef SQL_RESULT_H
#define SQL_RESULT_H

#include "base/arena.h"
#include "base/buf.h"

/* What statements gave back: tables of typed values. Also their form between the program that runs
 * SQLite in the box and the judge, which believes nothing of it: every length is checked. */

enum sql_class {
    SQL_CLASS_NULL = 'n',
    SQL_CLASS_INTEGER = 'i',
    SQL_CLASS_DECIMAL = 'd', /* exact */
    SQL_CLASS_REAL = 'r',
    SQL_CLASS_TEXT = 't',
    SQL_CLASS_BYTES = 'b',
    SQL_CLASS_DATE = 'D', /* with or without a time */
    SQL_CLASS_TIME = 'T',
    SQL_CLASS_ANY = 'a', /* of an answer that somebody wrote: whatever the other one is */
};

struct sql_value {
    enum sql_class class;
    struct str text;
};

struct sql_table {
    const struct str *names;
    int32_t column_count;
    struct sql_value *values; /* row by row */
    int64_t row_count;
    int64_t row_capacity;
};

struct sql_tables {
    struct sql_table *items;
    int32_t count;
};

/* Of all tables of one run together. */
struct sql_bounds {
    int64_t rows_max;
    int64_t bytes_max; /* of the values */
};

/* A new table at the end; names are borrowed. NULL beyond SQL_TABLES_MAX or SQL_COLUMNS_MAX. */
struct sql_table *sql_tables_add(struct sql_tables *tables, struct arena *arena,
                                 const struct str *names, int32_t column_count);
/* Room for one more row: `column_count` values to fill in. */
struct sql_value *sql_table_add_row(struct sql_table *table, struct arena *arena);

/* ---- the form between two programs ---- */

void sql_form_table(struct buf *into, int32_t column_count);
void sql_form_name(struct buf *into, struct str name);
void sql_form_row(struct buf *into);
void sql_form_value(struct buf *into, enum sql_class class, struct str text);
void sql_form_end(struct buf *into);

/* Everything in *ret_tables is borrowed from `form` or lives in `arena`.
 * Errors: ERR_INVALID "bad_result"; ERR_TOO_LARGE "result_too_large" beyond the bounds. */
checked bool sql_form_read(struct str form, const struct sql_bounds *bounds, struct arena *arena,
                           struct sql_tables *ret_tables, struct err *err);

#endif
