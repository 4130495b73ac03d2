#include "base/limits.h"
#include "sql/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static const struct sql_bounds bounds = {.rows_max = 3, .bytes_max = 100};

static void what_is_written_is_read_back(void **state) {
    (void)state;
    own(arena) arena = arena_create(MIB);
    own_buf form;
    struct sql_tables tables = {.count = 0};
    struct err err = {0};
    buf_init(&form, MIB);
    sql_form_table(&form, 2);
    sql_form_name(&form, STR("id"));
    sql_form_name(&form, STR("a:b"));
    sql_form_row(&form);
    sql_form_value(&form, SQL_CLASS_INTEGER, STR("42"));
    sql_form_value(&form, SQL_CLASS_NULL, STR(""));
    sql_form_table(&form, 1);
    sql_form_name(&form, STR(""));
    sql_form_end(&form);

    assert_true(sql_form_read(buf_str(&form), &bounds, arena, &tables, &err));

    assert_int_equal(tables.count, 2);
    assert_int_equal(tables.items[0].row_count, 1);
    assert_true(str_eq_c(tables.items[0].names[1], "a:b"));
    assert_true(str_eq_c(tables.items[0].values[0].text, "42"));
    assert_int_equal(tables.items[0].values[1].class, SQL_CLASS_NULL);
    assert_int_equal(tables.items[1].row_count, 0);
}

static void other_forms_are_refused(void **state) {
    (void)state;
    static const char *const forms[] = {
        "",
        "T1\n",
        "R.",
        "T1\nN2:a",
        "T1\nN1:aR.",
        "T1\nN1:aRi9:1.",
        "T0\n.",
        "T1\nN1:aRx1:1.",
        "T99999\n.",
        "T-1\n.",
        "T1\nN1:a.x",
        "T1\nN99999999999999999999:a.",
        "T1\nN1:aRi1:1Ri1:1Ri1:1Ri1:1.",
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        own(arena) arena = arena_create(MIB);
        struct sql_tables tables = {.count = 0};
        struct err err = {0};
        if (sql_form_read(str_from(forms[i]), &bounds, arena, &tables, &err)) {
            fail_msg("read: %s", forms[i]);
        }
    }
}

static void tables_grow_and_have_a_limit(void **state) {
    (void)state;
    own(arena) arena = arena_create(16 * MIB);
    struct sql_tables tables = {.count = 0};
    static const struct str names[] = {{"a", 1}};
    struct sql_table *table = sql_tables_add(&tables, arena, names, 1);
    for (int i = 0; i < 100; i++) {
        sql_table_add_row(table, arena)->text = STR("x");
    }

    assert_int_equal(table->row_count, 100);
    assert_true(str_eq_c(table->values[0].text, "x"));
    assert_null(sql_tables_add(&tables, arena, names, SQL_COLUMNS_MAX + 1));
    assert_null(sql_tables_add(&tables, arena, names, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(tables_grow_and_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
