#include "sql/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static bool passes(enum sql_dialect dialect, const char *verbs, const char *text,
                   bool *ret_stores_code) {
    own(arena) arena = arena_create((size_t)4 * MIB);
    struct sql_script script = {.count = 0};
    struct err err = {0};
    const struct sql_policy policy = {
        .dialect = dialect, .verbs = str_from(verbs), .statements_max = 3};
    bool good = sql_script_split(dialect, str_from(text), arena, &script, &err) &&
                sql_policy_check(&policy, &script, ret_stores_code, &err);
    if (!good && err.kind != ERR_INVALID) {
        fail_msg("%s: %s", text, err.text);
    }
    return good;
}

static const char everything[] =
    "ALTER_TABLE BEGIN CALL CREATE_FUNCTION CREATE_PROCEDURE CREATE_TABLE CREATE_TRIGGER "
    "CREATE_VIEW DELETE INSERT SELECT START UPDATE WITH";

static void ordinary_statements_pass(void **state) {
    (void)state;
    static const char *const texts[] = {
        "SELECT a.sleep, `mysql`, 'SLEEP(1)' FROM t AS a",
        "SELECT COUNT(*) FROM t WHERE name = 'INTO OUTFILE' -- OUTFILE",
        "WITH x AS (SELECT 1) SELECT * FROM x",
        "SELECT REPLACE(a, 'b', 'c'), IF(a, 1, 2), LEFT(a, 3) FROM t",
        "SELECT @n := 1",
        "INSERT INTO t SELECT * FROM u ON DUPLICATE KEY UPDATE a = 1",
        "SELECT `password`, t.execute FROM t",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bool code = true;
        if (!passes(SQL_MYSQL, everything, texts[i], &code)) {
            fail_msg("refused: %s", texts[i]);
        }
        assert_false(code);
    }
}

static void what_no_problem_needs_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "SELECT SLEEP(1)",
        "SELECT sleep (1)",
        "SELECT `sleep`(1)",
        "SELECT BENCHMARK(1, 1)",
        "SELECT GET_LOCK('a', 1)",
        "SELECT LOAD_FILE('/etc/passwd')",
        "SELECT 1 INTO OUTFILE '/tmp/x'",
        "SELECT 1 INTO/**/DUMPFILE '/tmp/x'",
        "SELECT @@datadir",
        "SELECT @ @global.x",
        "SELECT * FROM mysql.user",
        "SELECT * FROM `mysql` . user",
        "SELECT * FROM INFORMATION_SCHEMA.TABLES",
        "CREATE TABLE t (a INT) DATA DIRECTORY='/tmp'",
        "CREATE PROCEDURE p() EXECUTE IMMEDIATE 'x'",
        "CREATE PROCEDURE p() SET GLOBAL x = 1",
        "CREATE DEFINER=root PROCEDURE p() SELECT 1",
        "DROP TABLE t",
        "GRANT ALL ON *.* TO u",
        "",
        "SELECT 1; SELECT 2; SELECT 3; SELECT 4",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bool code = false;
        if (passes(SQL_MYSQL, everything, texts[i], &code)) {
            fail_msg("passed: %s", texts[i]);
        }
    }
}

static void a_problem_decides_what_statements_begin_with(void **state) {
    (void)state;
    bool code = false;

    assert_true(passes(SQL_MYSQL, "SELECT", "SELECT 1", &code));
    assert_false(passes(SQL_MYSQL, "SELECT", "WITH a AS (SELECT 1) SELECT * FROM a", &code));
    assert_false(passes(SQL_MYSQL, "SELECT WITH", "INSERT INTO t VALUES (1)", &code));
    assert_false(passes(SQL_SQLITE, "SELECT WITH", "WITH a AS (SELECT 1) DELETE FROM t", &code));
    assert_false(passes(SQL_SQLITE, "SELECT", "SELECT load_extension('x')", &code));
    assert_false(passes(SQL_SQLITE, "SELECT", "SELECT 1; ATTACH 'x' AS y", &code));
}

static void stored_code_is_noticed(void **state) {
    (void)state;
    bool code = false;

    assert_true(passes(SQL_MYSQL, everything, "CREATE PROCEDURE p() SELECT 1; CALL p()", &code));

    assert_true(code);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_statements_pass),
        cmocka_unit_test(what_no_problem_needs_is_refused),
        cmocka_unit_test(a_problem_decides_what_statements_begin_with),
        cmocka_unit_test(stored_code_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
