/* Problems whose submissions are statements. */
#include "fixture.h"

static void put_problem(struct fixture *f, const char *options) {
    char yaml[512];
    fixture_init(f);
    (void)snprintf(yaml, sizeof yaml, "problem_format_version: 2025-09\nname: T\ntype: sql\n%s",
                   options);
    fixture_put(f, "problem.yaml", yaml);
    fixture_put(f, "sql/schema.sql", "CREATE TABLE t (a INT);\r\n");
    fixture_put(f, "data/sample/1.sql", "INSERT INTO t VALUES (1);\n");
    fixture_put(f, "data/sample/1.out", "a\n1\n");
    fixture_put(f, "data/secret/2.sql", "");
}

static void all_options_and_texts_are_read(void **state) {
    (void)state;
    struct fixture f;
    put_problem(&f, "sql:\n  dialect: mysql\n  statements: [select, dml]\n  ordered: true\n"
                    "  column_names: true\n  seed_version: 4\n  rows: 7\n  result_bytes: 900\n");
    fixture_put(&f, "sql/seed.sql", "INSERT INTO t VALUES (2);\n");
    fixture_put(&f, "sql/reference.sql", "SELECT a FROM t;\n");
    fixture_put(&f, "sql/check.sql", "SELECT 1;\n");
    fixture_put(&f, "data/secret/3.sql", "INSERT INTO t VALUES (3);\n");
    fixture_put(&f, "data/secret/3.ans", "a\n3\n");
    fixture_put(&f, "submissions/accepted/a.sql", "SELECT a FROM t;\n");

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_int_equal(manifest->kinds, PROBLEM_PASS_FAIL | PROBLEM_SQL);
    assert_true(str_eq_c(manifest->languages, "mysql"));
    assert_true(
        str_eq_c(manifest->sql.statements, "DELETE INSERT REPLACE SELECT UPDATE VALUES WITH"));
    assert_true(manifest->sql.ordered);
    assert_true(manifest->sql.column_names);
    assert_int_equal(manifest->sql.seed_version, 4);
    assert_int_equal(manifest->sql.rows_max, 7);
    assert_int_equal(manifest->sql.result_bytes_max, 900);
    assert_true(str_eq_c(fixture_content(&f, &manifest->sql.ddl), "CREATE TABLE t (a INT);\n"));
    assert_true(str_eq_c(fixture_content(&f, &manifest->sql.check), "SELECT 1;\n"));
    assert_int_equal(manifest->case_count, 3);
    assert_true(str_eq_c(manifest->cases[0].name, "sample/1"));
    assert_int_equal(manifest->cases[0].answer.bytes, -1);
    assert_true(str_eq_c(manifest->cases[2].name, "secret/3"));
    assert_int_equal(manifest->cases[2].answer.bytes, 4);
    assert_true(str_eq_c(f.problem.samples[0].answer, "a\n1\n"));
    assert_int_equal(f.problem.submission_count, 1);
    fixture_done(&f);
}

static void reading_is_what_is_allowed_without_a_word(void **state) {
    (void)state;
    struct fixture f;
    put_problem(&f, "sql: {dialect: sqlite}\n");
    fixture_put(&f, "sql/reference.sql", "SELECT a FROM t;\n");

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.manifest.sql.statements, "SELECT VALUES WITH"));
    assert_int_equal(f.problem.manifest.sql.rows_max, SQL_ROWS_DEFAULT);
    fixture_done(&f);
}

static void each_fault_is_named(void **state) {
    (void)state;
    static const struct {
        const char *options;
        const char *file; /* another one; NULL: none */
        const char *content;
        const char *text;
    } rows[] = {
        {"", NULL, NULL, "problem.yaml:3: a problem of `type: sql` needs the map `sql`"},
        {"sql: {dialect: oracle}\n", NULL, NULL, "problem.yaml:4: `dialect` is mysql or sqlite"},
        {"sql: {dialect: mysql, statements: [grant]}\n", NULL, NULL,
         "problem.yaml:4: there is no statement or group grant"},
        {"sql: {dialect: mysql}\n", "sql/reference.sql", "SELECT 'a",
         "sql/reference.sql: line 1: a quote is not closed"},
        {"sql: {dialect: mysql}\n", NULL, NULL, "sample/1: it needs an answer (NAME.ans)"},
        {"sql: {dialect: mysql}\n", "data/sample/1.ans", "a\tb\n1\n",
         "data/sample/1.ans: line 2 of the answer"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        put_problem(&f, rows[i].options);
        if (rows[i].file != NULL) {
            fixture_put(&f, rows[i].file, rows[i].content);
        }

        fixture_must_refuse(&f, "bad_package", rows[i].text);
        fixture_done(&f);
    }
}

static void a_problem_without_a_secret_case_is_refused(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_put(&f, "problem.yaml", "name: T\ntype: sql\nsql: {dialect: mysql}\n");
    fixture_put(&f, "sql/schema.sql", "CREATE TABLE t (a INT);");
    fixture_put(&f, "sql/reference.sql", "SELECT 1");

    fixture_must_refuse(&f, "bad_package", "data/secret: there is no secret case");
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_options_and_texts_are_read),
        cmocka_unit_test(reading_is_what_is_allowed_without_a_word),
        cmocka_unit_test(each_fault_is_named),
        cmocka_unit_test(a_problem_without_a_secret_case_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
