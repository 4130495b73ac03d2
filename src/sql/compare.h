#ifndef SQL_COMPARE_H
#define SQL_COMPARE_H

#include "sql/result.h"

/* Are two results the same? By value and type: numbers as numbers (1 and 1.00 are the same, a
 * floating point number is compared with a tolerance), NULL only with NULL, text byte by byte,
 * dates as dates. A number is never a text. */

struct sql_compare_options {
    bool ordered;      /* the order of rows counts */
    bool column_names; /* so do the names of columns, in any case */
    bool show;         /* the message may quote rows of the answer */
};

/* True when they are the same; else one line (or a few, when `show`) for the student is appended.
 */
bool sql_compare(const struct sql_tables *expected, const struct sql_tables *got,
                 const struct sql_compare_options *options, struct buf *message);

bool sql_value_equal(const struct sql_value *expected, const struct sql_value *got);

#endif
