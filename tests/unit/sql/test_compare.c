#include "base/limits.h"
#include "sql/compare.h"
#include "sql/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

/* "i1 t'x' | n" : rows separated by "|", values by a space: class letter, then the text. */
static struct sql_tables tables_of(struct arena *arena, const char *text, int32_t columns) {
    struct sql_tables tables = {.count = 0};
    struct str *names = arena_array(arena, (size_t)columns, sizeof *names);
    struct str rest = str_from(text);
    struct str word = STR("");
    struct sql_value *row = NULL;
    int32_t at = columns;
    for (int32_t i = 0; i < columns; i++) {
        names[i] = STR("c");
    }
    struct sql_table *table = sql_tables_add(&tables, arena, names, columns);
    while (str_next_word(&rest, &word)) {
        if (at == columns) {
            row = sql_table_add_row(table, arena);
            at = 0;
        }
        row[at++] = (struct sql_value){.class = (enum sql_class)word.ptr[0],
                                       .text = str_sub(word, 1, word.len)};
    }
    return tables;
}

static void rows_are_compared_by_value_and_type(void **state) {
    (void)state;
    static const struct {
        const char *expected;
        const char *got;
        int32_t columns;
        bool ordered;
        bool same;
    } rows[] = {
        {"i1", "d1.00", 1, true, true},
        {"d0.1", "r0.1000000000001", 1, true, true},
        {"d0.1", "d0.1000000000001", 1, true, false},
        {"i1", "t1", 1, true, false},
        {"n", "n", 1, true, true},
        {"n", "t", 1, true, false},
        {"tA", "ta", 1, true, false},
        {"D2024-01-01", "D2024-01-01", 1, true, true},
        {"D2024-01-01", "t2024-01-01", 1, true, false},
        {"T01:00:00.000", "T01:00:00", 1, true, true},
        {"b1", "t1", 1, true, false},
        {"a1.0", "i1", 1, true, true},
        {"ax", "i1", 1, true, false},
        {"ax", "tx", 1, true, true},
        {"a2024-01-01", "D2024-01-01", 1, true, true},
        {"a", "n", 1, true, false},
        {"i1 i2", "i2 i1", 1, true, false},
        {"i1 i2", "i2 i1", 1, false, true},
        {"i1 i1 i2", "i1 i2 i2", 1, false, false},
        {"i1 i1 i2", "i1 i2", 1, false, false},
        {"i1 ta i2 tb", "i2 tb i1 ta", 2, false, true},
        {"i1 ta i2 tb", "i1 tb i2 ta", 2, false, false},
        {"a1 a10 a9", "i9 i10 i1", 1, false, true},
        {"r0.1 tb r0.1000000000001 ta", "r0.1 ta r0.1000000000001 tb", 2, false, true},
        {"n i1 n i2", "n i2 n i1", 2, false, true},
        {"", "", 1, false, true},
        {"", "i1", 1, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own(arena) arena = arena_create(MIB);
        own_buf message;
        struct sql_tables expected = tables_of(arena, rows[i].expected, rows[i].columns);
        struct sql_tables got = tables_of(arena, rows[i].got, rows[i].columns);
        const struct sql_compare_options options = {.ordered = rows[i].ordered, .show = true};
        buf_init(&message, 4096);

        bool same = sql_compare(&expected, &got, &options, &message);

        if (same != rows[i].same || same != (message.len == 0)) {
            fail_msg("row %zu: " STR_FMT, i, STR_ARG(buf_str(&message)));
        }
    }
}

static const char *message_for(const char *expected, const char *got, bool ordered, bool show,
                               char out[512]) {
    own(arena) arena = arena_create(MIB);
    own_buf message;
    struct sql_tables left = tables_of(arena, expected, 2);
    struct sql_tables right = tables_of(arena, got, 2);
    const struct sql_compare_options options = {.ordered = ordered, .show = show};
    buf_init(&message, 511);
    assert_false(sql_compare(&left, &right, &options, &message));
    (void)snprintf(out, 512, "%s", buf_c(&message));
    return out;
}

static void the_first_difference_is_shown_where_it_may_be(void **state) {
    (void)state;
    char out[512];

    assert_string_equal(message_for("i1 ta i2 tb", "i1 ta i2 tc", true, true, out),
                        "row 2 is wrong: expected (2, 'b'), got (2, 'c')");
    assert_string_equal(message_for("i1 ta i2 tb", "i1 ta i2 tc", true, false, out),
                        "row 2 is wrong");
    assert_string_equal(message_for("i1 n", "i1 ta", false, true, out),
                        "expected a row (1, NULL), got (1, 'a'); column 2 should be NULL and is a "
                        "text");
    assert_string_equal(message_for("i1 tsecret", "i1 ta", false, false, out),
                        "these are not the expected rows");
    assert_string_equal(message_for("i1 ta", "i1 ta i2 tb", false, true, out),
                        "1 rows are expected, not 2; got a row too many (2, 'b')");
    assert_string_equal(message_for("i1 tsecret", "", false, false, out),
                        "the number of rows is wrong");
}

static void names_and_counts_are_compared_when_asked(void **state) {
    (void)state;
    own(arena) arena = arena_create(MIB);
    own_buf message;
    struct str left_names[] = {STR("Total")};
    struct str right_names[] = {STR("total")};
    struct str other_names[] = {STR("sum")};
    struct sql_tables left = {.count = 0};
    struct sql_tables right = {.count = 0};
    struct sql_tables other = {.count = 0};
    struct sql_tables none = {.count = 0};
    const struct sql_compare_options names = {.column_names = true};
    const struct sql_compare_options no_names = {.column_names = false};
    buf_init(&message, 4096);
    (void)sql_tables_add(&left, arena, left_names, 1);
    (void)sql_tables_add(&right, arena, right_names, 1);
    (void)sql_tables_add(&other, arena, other_names, 1);

    assert_true(sql_compare(&left, &right, &names, &message));
    assert_true(sql_compare(&left, &other, &no_names, &message));
    assert_false(sql_compare(&left, &other, &names, &message));
    assert_non_null(strstr(buf_c(&message), "should be called Total, not sum"));
    assert_false(sql_compare(&left, &none, &no_names, &message));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_compared_by_value_and_type),
        cmocka_unit_test(the_first_difference_is_shown_where_it_may_be),
        cmocka_unit_test(names_and_counts_are_compared_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
