/* Tables of values, and their form: "T2\n" columns, "N4:name" a name, "R" a row, "i2:42" a value,
 * "." the end. */
#include "sql/result.h"
#include "base/limits.h"

#include <string.h>

struct sql_table *sql_tables_add(struct sql_tables *tables, struct arena *arena,
                                 const struct str *names, int32_t column_count) {
    if (tables->count == SQL_TABLES_MAX || column_count < 1 || column_count > SQL_COLUMNS_MAX) {
        return NULL;
    }
    if (tables->items == NULL) {
        tables->items = arena_array(arena, SQL_TABLES_MAX, sizeof *tables->items);
    }
    struct sql_table *table = &tables->items[tables->count++];
    *table = (struct sql_table){.names = names, .column_count = column_count};
    return table;
}

struct sql_value *sql_table_add_row(struct sql_table *table, struct arena *arena) {
    size_t columns = (size_t)table->column_count;
    if (table->row_count == table->row_capacity) {
        int64_t capacity = table->row_capacity == 0 ? 16 : 2 * table->row_capacity;
        struct sql_value *values =
            arena_array(arena, (size_t)capacity * columns, sizeof *table->values);
        if (table->row_count > 0) {
            memcpy(values, table->values, (size_t)table->row_count * columns * sizeof *values);
        }
        table->values = values;
        table->row_capacity = capacity;
    }
    return &table->values[(size_t)table->row_count++ * columns];
}

/* ---- writing ---- */

void sql_form_table(struct buf *into, int32_t column_count) {
    (void)buf_printf(into, "T%d\n", column_count);
}

static void add_text(struct buf *into, char mark, struct str text) {
    (void)buf_printf(into, "%c%zu:", mark, text.len);
    (void)buf_append(into, text);
}

void sql_form_name(struct buf *into, struct str name) {
    add_text(into, 'N', name);
}

void sql_form_row(struct buf *into) {
    (void)buf_append_char(into, 'R');
}

void sql_form_value(struct buf *into, enum sql_class class, struct str text) {
    add_text(into, (char)class, text);
}

void sql_form_end(struct buf *into) {
    (void)buf_append_char(into, '.');
}

/* ---- reading ---- */

struct reader {
    struct str rest;
    struct arena *arena;
    struct sql_bounds left;
    struct sql_tables *tables;
};

static bool bad(struct err *err) {
    return err_set(err, ERR_INVALID, "bad_result", "the result has no known form");
}

static char take_char(struct reader *reader) {
    char c = '\0';
    if (reader->rest.len > 0) {
        c = reader->rest.ptr[0];
        reader->rest = str_sub(reader->rest, 1, reader->rest.len);
    }
    return c;
}

static bool take_number(struct reader *reader, char end, int64_t max, int64_t *ret_number,
                        struct err *err) {
    struct str digits = STR("");
    struct str tail = STR("");
    struct str head = str_sub(reader->rest, 0, 24);
    if (!str_cut(head, end, &digits, &tail) || !str_to_i64(digits, 0, max, ret_number, err)) {
        return bad(err);
    }
    reader->rest = str_sub(reader->rest, digits.len + 1, reader->rest.len);
    return true;
}

static bool take_text(struct reader *reader, struct str *ret_text, struct err *err) {
    int64_t length = 0;
    if (!take_number(reader, ':', (int64_t)reader->rest.len, &length, err) ||
        (size_t)length > reader->rest.len) {
        return bad(err);
    }
    *ret_text = str_sub(reader->rest, 0, (size_t)length);
    reader->rest = str_sub(reader->rest, (size_t)length, reader->rest.len);
    return true;
}

static bool read_table(struct reader *reader, struct err *err) {
    int64_t count = 0;
    if (!take_number(reader, '\n', SQL_COLUMNS_MAX, &count, err)) {
        return false;
    }
    struct str *names = arena_array(reader->arena, (size_t)count + 1, sizeof *names);
    for (int64_t i = 0; i < count; i++) {
        if (take_char(reader) != 'N' || !take_text(reader, &names[i], err)) {
            return bad(err);
        }
    }
    return sql_tables_add(reader->tables, reader->arena, names, (int32_t)count) != NULL ||
           err_set(err, ERR_TOO_LARGE, "result_too_large",
                   "there are too many results, or one without columns");
}

static bool is_class(char c) {
    return c != '\0' && strchr("nidrtbDTa", c) != NULL;
}

static bool read_row(struct reader *reader, struct err *err) {
    if (reader->tables->count == 0) {
        return bad(err);
    }
    struct sql_table *table = &reader->tables->items[reader->tables->count - 1];
    if (reader->left.rows_max-- <= 0) {
        return err_set(err, ERR_TOO_LARGE, "result_too_large", "there are too many rows");
    }
    struct sql_value *values = sql_table_add_row(table, reader->arena);
    for (int32_t i = 0; i < table->column_count; i++) {
        char class = take_char(reader);
        if (!is_class(class) || !take_text(reader, &values[i].text, err)) {
            return bad(err);
        }
        values[i].class = (enum sql_class) class;
        reader->left.bytes_max -= (int64_t)values[i].text.len;
    }
    return reader->left.bytes_max >= 0 ||
           err_set(err, ERR_TOO_LARGE, "result_too_large", "the results are too large");
}

bool sql_form_read(struct str form, const struct sql_bounds *bounds, struct arena *arena,
                   struct sql_tables *ret_tables, struct err *err) {
    struct sql_tables tables = {.count = 0};
    struct reader reader = {.rest = form, .arena = arena, .left = *bounds, .tables = &tables};
    for (;;) {
        switch (take_char(&reader)) {
        case 'T':
            if (!read_table(&reader, err)) {
                return false;
            }
            break;
        case 'R':
            if (!read_row(&reader, err)) {
                return false;
            }
            break;
        case '.': *ret_tables = tables; return reader.rest.len == 0 || bad(err);
        default: return bad(err);
        }
    }
}
