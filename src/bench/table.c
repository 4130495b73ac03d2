/* Tables of measurements. */
#include "bench/table.h"

#include "base/check.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *next_cell(struct table *table) {
    CHECK(table->count < TABLE_ROWS_MAX * table->columns);
    return table->cells[table->count++];
}

void table_init(struct table *table, const char *head) {
    struct str rest = str_from(head);
    struct str name = STR("");
    *table = (struct table){.columns = 1};
    for (const char *at = head; *at != '\0'; at++) {
        table->columns += *at == '|';
    }
    CHECK(table->columns <= TABLE_COLUMNS_MAX);
    table->cells = calloc((size_t)TABLE_ROWS_MAX * (size_t)table->columns, TABLE_CELL_BYTES);
    CHECK(table->cells != NULL);
    for (bool more = true; more;) {
        more = str_cut(rest, '|', &name, &rest);
        table_cell(table, STR_FMT, STR_ARG(name));
    }
}

void table_done(struct table *table) {
    if (table != NULL) {
        free(table->cells);
        *table = (struct table){.cells = NULL};
    }
}

void table_cell(struct table *table, const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)vsnprintf(next_cell(table), TABLE_CELL_BYTES, format, args);
    va_end(args);
}

void table_number(struct table *table, int64_t value, int digits, int shown) {
    int64_t unit = 1;
    int64_t scale = 1;
    CHECK(shown <= digits);
    for (int i = shown; i < digits; i++) {
        unit *= 10;
    }
    for (int i = 0; i < shown; i++) {
        scale *= 10;
    }
    int64_t size = value < 0 ? -value : value;
    int64_t rounded = (size + unit / 2) / unit;
    const char *sign = value < 0 && rounded > 0 ? "-" : "";
    if (shown == 0) {
        table_cell(table, "%s%lld", sign, (long long)rounded);
    } else {
        table_cell(table, "%s%lld.%0*lld", sign, (long long)(rounded / scale), shown,
                   (long long)(rounded % scale));
    }
}

static int width_of(const struct table *table, int column) {
    size_t width = 3; /* "--:" of Markdown */
    for (int i = column; i < table->count; i += table->columns) {
        size_t length = strlen(table->cells[i]);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_row(const struct table *table, int row, enum bench_format format,
                      struct buf *out) {
    const char *bar = format == BENCH_MARKDOWN ? "| " : "";
    for (int column = 0; column < table->columns; column++) {
        const char *text = table->cells[row * table->columns + column];
        int width = width_of(table, column);
        buf_printf(out, "%s%*s%s", column == 0 ? bar : "", column == 0 ? -width : width, text,
                   column + 1 == table->columns ? ""
                   : format == BENCH_MARKDOWN   ? " | "
                                                : "  ");
    }
    buf_append_c(out, format == BENCH_MARKDOWN ? " |\n" : "\n");
}

static void print_rule(const struct table *table, enum bench_format format, struct buf *out) {
    for (int column = 0; column < table->columns; column++) {
        if (format == BENCH_MARKDOWN) {
            buf_append_c(out, column == 0 ? "| --- |" : " --: |");
        } else {
            buf_printf(out, "%.*s%s", width_of(table, column),
                       "--------------------------------------------------------------------------"
                       "------",
                       column + 1 < table->columns ? "  " : "");
        }
    }
    buf_append_c(out, "\n");
}

void table_print(const struct table *table, enum bench_format format, struct buf *out) {
    CHECK(table->count % table->columns == 0);
    CHECK(format != BENCH_JSON);
    for (int row = 0; row < table->count / table->columns; row++) {
        print_row(table, row, format, out);
        if (row == 0) {
            print_rule(table, format, out);
        }
    }
}
