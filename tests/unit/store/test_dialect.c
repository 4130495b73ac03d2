/* Migrations are written once for both databases. */
#include "store/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void each_database_gets_its_own_words(void **state) {
    (void)state;
    static const char sql[] =
        "CREATE TABLE t (id @i64, n @i32, s @text(64), b @bytes(32), c @blob, "
        "l @longtext) @table";
    struct err err = {0};
    own_buf sqlite = {0};
    own_buf mysql = {0};
    buf_init(&sqlite, 1000);
    buf_init(&mysql, 1000);

    assert_true(dialect_expand(DIALECT_SQLITE, str_from(sql), &sqlite, &err));
    assert_true(dialect_expand(DIALECT_MYSQL, str_from(sql), &mysql, &err));

    assert_string_equal(
        buf_c(&sqlite),
        "CREATE TABLE t (id INTEGER, n INTEGER, s TEXT, b BLOB, c BLOB, l TEXT) STRICT");
    assert_string_equal(buf_c(&mysql),
                        "CREATE TABLE t (id BIGINT, n INT, s VARCHAR(64), b VARBINARY(32), c "
                        "MEDIUMBLOB, l MEDIUMTEXT) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 "
                        "COLLATE=utf8mb4_bin");
}

static void a_word_that_nobody_knows_is_refused(void **state) {
    (void)state;
    static const char *const rows[] = {"x @i128", "x @text", "x @text()", "x @text(1", "x @"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = {0};
        own_buf out = {0};
        buf_init(&out, 1000);

        assert_false(dialect_expand(DIALECT_SQLITE, str_from(rows[i]), &out, &err));

        assert_int_equal(err.kind, ERR_INVALID);
        assert_string_equal(err.code, "bad_migration");
    }
}

static void a_text_over_the_maximum_is_refused(void **state) {
    (void)state;
    struct err err = {0};
    own_buf out = {0};
    buf_init(&out, 4);

    assert_false(dialect_expand(DIALECT_SQLITE, STR("x @i64"), &out, &err));

    assert_int_equal(err.kind, ERR_TOO_LARGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_database_gets_its_own_words),
        cmocka_unit_test(a_word_that_nobody_knows_is_refused),
        cmocka_unit_test(a_text_over_the_maximum_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
