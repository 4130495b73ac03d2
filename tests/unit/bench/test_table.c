/* Tables as text and as Markdown. */
#include "bench/table.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void make(struct table *table) {
    table_init(table, "what|median ms|n");
    table_cell(table, "a run");
    table_number(table, 1234567, 6, 2);
    table_number(table, 500, 0, 0);
    table_cell(table, "bubblewrap");
    table_number(table, -15500000, 6, 2);
    table_cell(table, "-");
}

static void text_stands_left_and_numbers_right(void **state) {
    (void)state;
    own_table table;
    own_buf out;
    buf_init(&out, KIB);
    make(&table);

    table_print(&table, BENCH_TEXT, &out);

    assert_string_equal(buf_c(&out), "what        median ms    n\n"
                                     "----------  ---------  ---\n"
                                     "a run            1.23  500\n"
                                     "bubblewrap     -15.50    -\n");
}

static void markdown_is_a_table_of_its_own(void **state) {
    (void)state;
    own_table table;
    own_buf out;
    buf_init(&out, KIB);
    make(&table);

    table_print(&table, BENCH_MARKDOWN, &out);

    assert_string_equal(buf_c(&out), "| what       | median ms |   n |\n"
                                     "| --- | --: | --: |\n"
                                     "| a run      |      1.23 | 500 |\n"
                                     "| bubblewrap |    -15.50 |   - |\n");
}

static void numbers_are_rounded_half_away_from_zero(void **state) {
    (void)state;
    static const struct {
        int64_t value;
        int digits, shown;
        const char *text;
    } rows[] = {
        {1005, 3, 2, "1.01"}, {-1005, 3, 2, "-1.01"}, {1004, 3, 2, "1.00"}, {999999, 6, 3, "1.000"},
        {-4, 3, 2, "0.00"},   {15, 1, 0, "2"},        {7, 0, 0, "7"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        own_table table;
        table_init(&table, "x");

        table_number(&table, rows[i].value, rows[i].digits, rows[i].shown);

        assert_string_equal(table.cells[1], rows[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_stands_left_and_numbers_right),
        cmocka_unit_test(markdown_is_a_table_of_its_own),
        cmocka_unit_test(numbers_are_rounded_half_away_from_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
