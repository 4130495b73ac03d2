#include "sql/verb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void each_statement_has_its_verb(void **state) {
    (void)state;
    static const struct {
        enum sql_dialect dialect;
        const char *statement;
        const char *verb; /* NULL: none */
        bool with;
    } rows[] = {
        {SQL_MYSQL, "select 1", "SELECT", false},
        {SQL_MYSQL, "((SELECT 1) UNION (SELECT 2))", "SELECT", false},
        {SQL_MYSQL, "WITH a AS (SELECT 1) SELECT * FROM a", "SELECT", true},
        {SQL_SQLITE, "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", "INSERT", true},
        {SQL_MYSQL, "CREATE OR REPLACE VIEW v AS SELECT 1", "CREATE_VIEW", false},
        {SQL_MYSQL, "CREATE ALGORITHM=MERGE VIEW v AS SELECT 1", "CREATE_VIEW", false},
        {SQL_MYSQL, "create unique index i on t (a)", "CREATE_INDEX", false},
        {SQL_MYSQL, "CREATE TEMPORARY TABLE t (a INT)", "CREATE_TABLE", false},
        {SQL_MYSQL, "DROP PROCEDURE p", "DROP_PROCEDURE", false},
        {SQL_MYSQL, "CREATE DEFINER=root@localhost PROCEDURE p() SELECT 1", NULL, false},
        {SQL_MYSQL, "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1", NULL, false},
        {SQL_MYSQL, "CREATE USER u", NULL, false},
        {SQL_MYSQL, "CREATE DATABASE d", NULL, false},
        {SQL_MYSQL, "ALTER USER u", NULL, false},
        {SQL_MYSQL, "BEGIN", "BEGIN", false},
        {SQL_MYSQL, "BEGIN WORK", "BEGIN", false},
        {SQL_MYSQL, "BEGIN NOT ATOMIC SELECT 1", NULL, false},
        {SQL_MYSQL, "SET max_statement_time = 0", NULL, false},
        {SQL_MYSQL, "XA START 'a'", NULL, false},
        {SQL_MYSQL, "SHOW TABLES", NULL, false},
        {SQL_MYSQL, "`SELECT` 1", NULL, false},
        {SQL_SQLITE, "PRAGMA x", NULL, false},
        {SQL_MYSQL, "WITH a AS (SELECT 1", NULL, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool with = false;

        const struct sql_verb *verb =
            sql_verb_of(rows[i].dialect, str_from(rows[i].statement), &with);

        assert_int_equal(with, rows[i].with);
        if (rows[i].verb == NULL) {
            assert_null(verb);
        } else {
            assert_non_null(verb);
            assert_string_equal(verb->name, rows[i].verb);
        }
    }
}

static void words_and_groups_become_verbs_in_order(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    struct str names = STR("");
    struct err err = {0};

    assert_true(sql_verb_list(STR("view select Insert select"), arena, &names, &err));

    assert_true(str_eq_c(names, "CREATE_VIEW DROP_VIEW INSERT SELECT VALUES WITH"));
    assert_false(sql_verb_list(STR("select grant"), arena, &names, &err));
    assert_string_equal(err.code, "bad_sql");
}

static void rights_are_what_the_verbs_need(void **state) {
    (void)state;

    assert_int_equal(sql_verb_rights(STR("SELECT WITH")), 0);
    assert_int_equal(sql_verb_rights(STR("INSERT SELECT UPDATE")),
                     SQL_RIGHT_INSERT | SQL_RIGHT_UPDATE);
    assert_true(sql_verb_find(STR("CREATE_TRIGGER"))->stores_code);
    assert_false(sql_verb_find(STR("CREATE_VIEW"))->stores_code);
    assert_null(sql_verb_find(STR("GRANT")));
    assert_true(str_eq_c(sql_verb_word(SQL_MYSQL, STR("/* x */ grant all")), "grant"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_statement_has_its_verb),
        cmocka_unit_test(words_and_groups_become_verbs_in_order),
        cmocka_unit_test(rights_are_what_the_verbs_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
