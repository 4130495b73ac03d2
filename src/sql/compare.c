/* Value by value; rows as a bag unless their order counts. */
#include "sql/compare.h"
#include "base/check.h"
#include "sql/number.h"

#include <stdlib.h>
#include <string.h>

#define ROW_BYTES_MAX 300 /* of one row in a message */
#define VALUE_BYTES_MAX 60
#define PAIRING_ROWS_MAX 2000 /* matched each with each, when sorting did not pair them */

/* ---- values ---- */

static bool is_number(enum sql_class class) {
    return class == SQL_CLASS_INTEGER || class == SQL_CLASS_DECIMAL || class == SQL_CLASS_REAL;
}

/* "2024-01-31" is midnight of that day, and ".000000" says nothing. */
static struct str trimmed_time(struct str text) {
    if (memchr(text.ptr, '.', text.len) != NULL) {
        while (text.len > 0 && text.ptr[text.len - 1] == '0') {
            text.len--;
        }
        text.len -= text.len > 0 && text.ptr[text.len - 1] == '.';
    }
    struct str midnight = STR(" 00:00:00");
    return str_ends(text, midnight) ? str_sub(text, 0, text.len - midnight.len) : text;
}

static bool equal_in_class(enum sql_class a, enum sql_class b, struct str left, struct str right) {
    if (is_number(a) && is_number(b)) {
        bool real = a == SQL_CLASS_REAL || b == SQL_CLASS_REAL;
        return sql_number_equal(left, right) || (real && sql_number_near(left, right));
    }
    if (a != b) {
        return false;
    }
    bool is_time = a == SQL_CLASS_DATE || a == SQL_CLASS_TIME;
    return str_eq(left, right) || (is_time && str_eq(trimmed_time(left), trimmed_time(right)));
}

bool sql_value_equal(const struct sql_value *expected, const struct sql_value *got) {
    bool any = expected->class == SQL_CLASS_ANY && got->class != SQL_CLASS_NULL;
    enum sql_class class = any ? got->class : expected->class;
    if (any && is_number(class) && !sql_number_is(expected->text)) {
        return false;
    }
    return equal_in_class(class, got->class, expected->text, got->text);
}

static bool rows_equal(const struct sql_value *expected, const struct sql_value *got,
                       int32_t columns) {
    for (int32_t i = 0; i < columns; i++) {
        if (!sql_value_equal(&expected[i], &got[i])) {
            return false;
        }
    }
    return true;
}

/* ---- words ---- */

static void add_value(struct buf *into, const struct sql_value *value) {
    bool quoted = value->class == SQL_CLASS_TEXT || value->class == SQL_CLASS_DATE ||
                  value->class == SQL_CLASS_TIME;
    struct str rest = str_utf8_prefix(value->text, VALUE_BYTES_MAX);
    if (value->class == SQL_CLASS_NULL) {
        (void)buf_append_c(into, "NULL");
        return;
    }
    (void)buf_append_c(into, quoted ? "'" : "");
    while (rest.len > 0) {
        size_t length = str_utf8_len(rest);
        bool good = length > 1 || (length == 1 && rest.ptr[0] >= ' ' && rest.ptr[0] != 0x7f);
        (void)buf_append(into, good ? str_sub(rest, 0, length) : STR("\xef\xbf\xbd"));
        rest = str_sub(rest, length == 0 ? 1 : length, rest.len);
    }
    (void)buf_append_c(into, value->text.len > VALUE_BYTES_MAX ? "..." : "");
    (void)buf_append_c(into, quoted ? "'" : "");
}

static void add_row(struct buf *into, const struct sql_value *row, int32_t columns) {
    size_t begun = into->len;
    (void)buf_append_char(into, '(');
    for (int32_t i = 0; i < columns; i++) {
        (void)buf_append_c(into, i > 0 ? ", " : "");
        if (into->len - begun > ROW_BYTES_MAX) {
            (void)buf_append_c(into, "...");
            break;
        }
        add_value(into, &row[i]);
    }
    (void)buf_append_char(into, ')');
}

static const char *class_name(enum sql_class class) {
    switch (class) {
    case SQL_CLASS_NULL: return "NULL";
    case SQL_CLASS_INTEGER:
    case SQL_CLASS_DECIMAL:
    case SQL_CLASS_REAL: return "a number";
    case SQL_CLASS_TEXT: return "a text";
    case SQL_CLASS_BYTES: return "bytes";
    case SQL_CLASS_DATE: return "a date";
    case SQL_CLASS_TIME: return "a time";
    case SQL_CLASS_ANY: break;
    }
    return "a value";
}

/* ---- one table ---- */

struct comparison {
    const struct sql_table *expected;
    const struct sql_table *got;
    const struct sql_compare_options *options;
    struct buf *message;
};

static const struct sql_value *row_of(const struct sql_table *table, int64_t row) {
    return &table->values[row * table->column_count];
}

/* The first value of a row that differs only in its type is worth a word of its own. */
static void add_type_hint(const struct comparison *it, const struct sql_value *expected,
                          const struct sql_value *got) {
    for (int32_t i = 0; i < it->got->column_count; i++) {
        bool same_type = expected[i].class == got[i].class || expected[i].class == SQL_CLASS_ANY ||
                         (is_number(expected[i].class) && is_number(got[i].class));
        if (!sql_value_equal(&expected[i], &got[i]) && !same_type) {
            (void)buf_printf(it->message, "; column %d should be %s and is %s", i + 1,
                             class_name(expected[i].class), class_name(got[i].class));
            return;
        }
    }
}

static bool compare_shape(const struct comparison *it) {
    if (it->expected->column_count != it->got->column_count) {
        (void)buf_printf(it->message, "%d columns are expected, not %d", it->expected->column_count,
                         it->got->column_count);
        return false;
    }
    for (int32_t i = 0; it->options->column_names && i < it->got->column_count; i++) {
        if (!str_eq_nocase(it->expected->names[i], it->got->names[i])) {
            (void)buf_printf(it->message, "column %d should be called " STR_FMT ", not " STR_FMT,
                             i + 1,
                             STR_ARG(str_utf8_prefix(it->expected->names[i], VALUE_BYTES_MAX)),
                             STR_ARG(str_utf8_prefix(it->got->names[i], VALUE_BYTES_MAX)));
            return false;
        }
    }
    return true;
}

static bool compare_ordered(const struct comparison *it) {
    int64_t both =
        it->expected->row_count < it->got->row_count ? it->expected->row_count : it->got->row_count;
    for (int64_t i = 0; i < both; i++) {
        const struct sql_value *expected = row_of(it->expected, i);
        const struct sql_value *got = row_of(it->got, i);
        if (rows_equal(expected, got, it->got->column_count)) {
            continue;
        }
        (void)buf_printf(it->message, "row %lld is wrong", (long long)i + 1);
        if (it->options->show) {
            (void)buf_append_c(it->message, ": expected ");
            add_row(it->message, expected, it->got->column_count);
            (void)buf_append_c(it->message, ", got ");
            add_row(it->message, got, it->got->column_count);
            add_type_hint(it, expected, got);
        }
        return false;
    }
    return true;
}

/* ---- rows as a bag ---- */

static int class_order(enum sql_class class) {
    return class == SQL_CLASS_NULL ? 0 : is_number(class) ? 1 : 2;
}

/* An order in which rows that are equal stand together; of an answer without types, a number is
 * what looks like one. */
static int compare_values(const struct sql_value *a, const struct sql_value *b) {
    bool numbers = (is_number(a->class) || sql_number_is(a->text)) &&
                   (is_number(b->class) || sql_number_is(b->text));
    int order = class_order(a->class) == 0 || class_order(b->class) == 0
                    ? class_order(a->class) - class_order(b->class)
                    : 0;
    if (order != 0 || a->class == SQL_CLASS_NULL) {
        return order;
    }
    if (numbers) {
        double left = sql_number_value(a->text);
        double right = sql_number_value(b->text);
        order = left < right ? -1 : left > right;
        bool same = order == 0 || sql_number_equal(a->text, b->text);
        return same ? 0 : order;
    }
    return str_cmp(trimmed_time(a->text), trimmed_time(b->text));
}

static int compare_rows(const void *left, const void *right, void *columns) {
    const struct sql_value *a = *(const struct sql_value *const *)left;
    const struct sql_value *b = *(const struct sql_value *const *)right;
    int order = 0;
    for (int32_t i = 0; order == 0 && i < *(const int32_t *)columns; i++) {
        order = compare_values(&a[i], &b[i]);
    }
    return order;
}

static const struct sql_value **sorted_rows(const struct sql_table *table) {
    size_t count = (size_t)table->row_count;
    const struct sql_value **rows = calloc(count + 1, sizeof *rows);
    CHECK(rows != NULL);
    for (size_t i = 0; i < count; i++) {
        rows[i] = row_of(table, (int64_t)i);
    }
    int32_t columns = table->column_count;
    qsort_r(rows, count, sizeof *rows, compare_rows, &columns);
    return rows;
}

struct bags {
    const struct sql_value **expected; /* NULL: matched */
    const struct sql_value **got;
    int64_t expected_count;
    int64_t got_count;
    int32_t columns;
};

/* Both sorted: matches what stands at the same place as they are walked. */
static void match_sorted(struct bags *bags) {
    int64_t i = 0;
    int64_t j = 0;
    while (i < bags->expected_count && j < bags->got_count) {
        if (rows_equal(bags->expected[i], bags->got[j], bags->columns)) {
            bags->expected[i++] = NULL;
            bags->got[j++] = NULL;
        } else if (compare_rows(&bags->expected[i], &bags->got[j], &bags->columns) < 0) {
            i++;
        } else {
            j++;
        }
    }
}

static int64_t pack(const struct sql_value **rows, int64_t count) {
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++) {
        if (rows[i] != NULL) {
            rows[left++] = rows[i];
        }
    }
    return left;
}

/* What a tolerance lets be equal may have been sorted apart. */
static void match_each(struct bags *bags) {
    if (bags->expected_count > PAIRING_ROWS_MAX || bags->got_count > PAIRING_ROWS_MAX) {
        return;
    }
    for (int64_t i = 0; i < bags->expected_count; i++) {
        for (int64_t j = 0; j < bags->got_count && bags->expected[i] != NULL; j++) {
            if (bags->got[j] != NULL &&
                rows_equal(bags->expected[i], bags->got[j], bags->columns)) {
                bags->expected[i] = NULL;
                bags->got[j] = NULL;
            }
        }
    }
}

static void describe_bags(const struct comparison *it, const struct bags *bags) {
    if (!it->options->show) {
        (void)buf_append_c(it->message, "these are not the expected rows");
        return;
    }
    if (bags->expected_count > 0) {
        (void)buf_append_c(it->message, "expected a row ");
        add_row(it->message, bags->expected[0], bags->columns);
    }
    if (bags->got_count > 0) {
        (void)buf_append_c(it->message,
                           bags->expected_count > 0 ? ", got " : "got a row too many ");
        add_row(it->message, bags->got[0], bags->columns);
    }
    if (bags->expected_count > 0 && bags->got_count > 0) {
        add_type_hint(it, bags->expected[0], bags->got[0]);
    } else if (bags->expected_count > 0) {
        (void)buf_append_c(it->message, ", which is not there");
    }
}

static bool compare_bags(const struct comparison *it) {
    struct bags bags = {.expected = sorted_rows(it->expected),
                        .got = sorted_rows(it->got),
                        .expected_count = it->expected->row_count,
                        .got_count = it->got->row_count,
                        .columns = it->got->column_count};
    match_sorted(&bags);
    bags.expected_count = pack(bags.expected, bags.expected_count);
    bags.got_count = pack(bags.got, bags.got_count);
    match_each(&bags);
    bags.expected_count = pack(bags.expected, bags.expected_count);
    bags.got_count = pack(bags.got, bags.got_count);
    bool same = bags.expected_count == 0 && bags.got_count == 0;
    if (!same) {
        describe_bags(it, &bags);
    }
    free(bags.expected);
    free(bags.got);
    return same;
}

static bool compare_table(const struct comparison *it) {
    if (!compare_shape(it)) {
        return false;
    }
    if (it->expected->row_count != it->got->row_count && !it->options->show) {
        (void)buf_append_c(it->message, "the number of rows is wrong");
        return false;
    }
    if (it->expected->row_count != it->got->row_count) {
        (void)buf_printf(it->message, "%lld rows are expected, not %lld; ",
                         (long long)it->expected->row_count, (long long)it->got->row_count);
        if (it->options->ordered && compare_ordered(it)) {
            (void)buf_append_c(it->message, "the rows in front are right");
        } else if (!it->options->ordered) {
            (void)compare_bags(it);
        }
        return false;
    }
    return it->options->ordered ? compare_ordered(it) : compare_bags(it);
}

bool sql_compare(const struct sql_tables *expected, const struct sql_tables *got,
                 const struct sql_compare_options *options, struct buf *message) {
    if (expected->count != got->count) {
        (void)buf_printf(message, "%d results are expected, not %d", expected->count, got->count);
        return false;
    }
    for (int32_t i = 0; i < expected->count; i++) {
        own_buf words;
        buf_init(&words, 4096);
        struct comparison it = {.expected = &expected->items[i],
                                .got = &got->items[i],
                                .options = options,
                                .message = &words};
        if (!compare_table(&it)) {
            if (expected->count > 1) {
                (void)buf_printf(message, "result %d: ", i + 1);
            }
            (void)buf_append(message, buf_str(&words));
            return false;
        }
    }
    return true;
}
