#include "base/limits.h"
#include "sql/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static const struct sql_bounds bounds = {.rows_max = 10, .bytes_max = 1000};

static void an_answer_has_names_rows_and_nulls(void **state) {
    (void)state;
    own(arena) arena = arena_create(MIB);
    struct sql_tables tables = {.count = 0};
    struct err err = {0};

    assert_true(sql_answer_read(STR("a\tb\n1\t\\N\nx\\ty\t\n--\nc\n\\--\n"), &bounds, arena,
                                &tables, &err));

    assert_int_equal(tables.count, 2);
    const struct sql_table *first = &tables.items[0];
    assert_int_equal(first->row_count, 2);
    assert_int_equal(first->values[0].class, SQL_CLASS_ANY);
    assert_int_equal(first->values[1].class, SQL_CLASS_NULL);
    assert_true(str_eq_c(first->values[2].text, "x\ty"));
    assert_true(str_eq_c(first->values[3].text, ""));
    assert_true(str_eq_c(tables.items[1].values[0].text, "--"));
}

static void other_answers_are_refused(void **state) {
    (void)state;
    own(arena) arena = arena_create(MIB);
    struct sql_tables tables = {.count = 0};
    struct err err = {0};
    const struct sql_bounds small = {.rows_max = 1, .bytes_max = 1000};

    assert_false(sql_answer_read(STR("a\tb\n1\n"), &bounds, arena, &tables, &err));
    assert_string_equal(err.code, "bad_answer");
    assert_false(sql_answer_read(STR("a\n1\n2\n"), &small, arena, &tables, &err));
    assert_string_equal(err.code, "result_too_large");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_has_names_rows_and_nulls),
        cmocka_unit_test(other_answers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
