#include "base/buf.h"
#include "sql/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#define ARENA_BYTES ((size_t)4 * MIB)

/* The statements joined by "|". */
static void split(enum sql_dialect dialect, const char *text, char out[256]) {
    own(arena) arena = arena_create(ARENA_BYTES);
    struct sql_script script = {.count = 0};
    struct err err = {0};
    size_t length = 0;
    out[0] = '\0';
    if (!sql_script_split(dialect, str_from(text), arena, &script, &err)) {
        fail_msg("%s: %s", text, err.text);
    }
    for (int32_t i = 0; i < script.count; i++) {
        struct str one = script.statements[i].text;
        assert_in_range(length + one.len, 0, 250);
        if (i > 0) {
            out[length++] = '|';
        }
        memcpy(out + length, one.ptr, one.len);
        length += one.len;
        out[length] = '\0';
    }
}

static void statements_end_where_a_server_ends_them(void **state) {
    (void)state;
    static const struct {
        enum sql_dialect dialect;
        const char *text;
        const char *statements;
    } rows[] = {
        {SQL_MYSQL, "SELECT 1", "SELECT 1"},
        {SQL_MYSQL, " ; ;SELECT 1 ; -- x;y\n SELECT ';' ;;", "SELECT 1|SELECT ';'"},
        {SQL_MYSQL, "/* a; */ SELECT/* ; */2;", "SELECT/* ; */2"},
        {SQL_MYSQL, "CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END; CALL p()",
         "CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END|CALL p()"},
        {SQL_MYSQL,
         "CREATE FUNCTION f() RETURNS INT BEGIN IF 1 THEN SET @a=1; END IF; RETURN CASE 1 WHEN 1 "
         "THEN 2 END; END; SELECT 3",
         "CREATE FUNCTION f() RETURNS INT BEGIN IF 1 THEN SET @a=1; END IF; RETURN CASE 1 WHEN 1 "
         "THEN 2 END; END|SELECT 3"},
        {SQL_MYSQL,
         "CREATE PROCEDURE p() BEGIN CASE 1 WHEN 1 THEN SELECT 1; END CASE; END; SELECT 2",
         "CREATE PROCEDURE p() BEGIN CASE 1 WHEN 1 THEN SELECT 1; END CASE; END|SELECT 2"},
        {SQL_MYSQL, "DELIMITER //\nCREATE TRIGGER t BEGIN x; END//\nDELIMITER ;\nSELECT 1;",
         "CREATE TRIGGER t BEGIN x; END|SELECT 1"},
        {SQL_MYSQL, "DELIMITER $$\nSELECT 1; SELECT 2$$ SELECT 3$$", "SELECT 1; SELECT 2|SELECT 3"},
        {SQL_SQLITE, "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE b SET c=1; END; SELECT 1",
         "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE b SET c=1; END|SELECT 1"},
        {SQL_SQLITE, "BEGIN; INSERT INTO t VALUES (1); COMMIT;",
         "BEGIN|INSERT INTO t VALUES (1)|COMMIT"},
        {SQL_MYSQL, "SELECT CASE a WHEN 1 THEN 2 END; SELECT 1",
         "SELECT CASE a WHEN 1 THEN 2 END|SELECT 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[256];

        split(rows[i].dialect, rows[i].text, out);

        assert_string_equal(out, rows[i].statements);
    }
}

static void a_statement_knows_its_line(void **state) {
    (void)state;
    own(arena) arena = arena_create(ARENA_BYTES);
    struct sql_script script = {.count = 0};
    struct err err = {0};

    assert_true(
        sql_script_split(SQL_MYSQL, STR("SELECT 1;\n\n-- x\nSELECT\n2;"), arena, &script, &err));

    assert_int_equal(script.count, 2);
    assert_int_equal(script.statements[0].line, 1);
    assert_int_equal(script.statements[1].line, 4);
}

static void what_cannot_be_read_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"SELECT 'a", "SELECT \xff", "DELIMITER\nSELECT 1",
                                        "DELIMITER '\nSELECT 1", "SELECT 1 /*! */"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        own(arena) arena = arena_create(ARENA_BYTES);
        struct sql_script script = {.count = 0};
        struct err err = {0};

        assert_false(sql_script_split(SQL_MYSQL, str_from(texts[i]), arena, &script, &err));

        assert_string_equal(err.code, "bad_sql");
    }
}

static void a_nul_byte_is_refused_in_a_string_too(void **state) {
    (void)state;
    own(arena) arena = arena_create(ARENA_BYTES);
    struct sql_script script = {.count = 0};
    struct err err = {0};

    assert_false(
        sql_script_split(SQL_SQLITE, STR("SELECT 'a\0; DROP TABLE t'"), arena, &script, &err));

    assert_string_equal(err.code, "bad_sql");
}

static void there_is_a_limit_of_statements(void **state) {
    (void)state;
    own(arena) arena = arena_create(ARENA_BYTES);
    own_buf text;
    struct sql_script script = {.count = 0};
    struct err err = {0};
    buf_init(&text, MIB);
    for (int i = 0; i <= SQL_STATEMENTS_MAX; i++) {
        (void)buf_append_c(&text, "x;");
    }

    assert_false(sql_script_split(SQL_MYSQL, buf_str(&text), arena, &script, &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_end_where_a_server_ends_them),
        cmocka_unit_test(a_statement_knows_its_line),
        cmocka_unit_test(what_cannot_be_read_is_refused),
        cmocka_unit_test(a_nul_byte_is_refused_in_a_string_too),
        cmocka_unit_test(there_is_a_limit_of_statements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
