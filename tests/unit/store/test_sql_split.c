/* A script is cut where a statement ends, and nowhere else. */
#include "store/sql_split.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void statements_are_cut_at_their_own_semicolons(void **state) {
    (void)state;
    static const struct {
        const char *script;
        const char *pieces[4];
    } rows[] = {
        {"", {NULL}},
        {" ; ;\n;", {NULL}},
        {"SELECT 1", {"SELECT 1"}},
        {"SELECT 1; SELECT 2;", {"SELECT 1", "SELECT 2"}},
        {"SELECT ';'; SELECT \";\", `;`", {"SELECT ';'", "SELECT \";\", `;`"}},
        {"SELECT 'it''s; so'; X", {"SELECT 'it''s; so'", "X"}},
        {"-- a; b\nA; /* c; d */ B", {"-- a; b\nA", "/* c; d */ B"}},
        {"A; -- the end; really", {"A"}},
        {"A; /* never closed", {"A"}},
        {"A 'never; closed", {"A 'never; closed"}},
        {"A /* x */ -- y\n;B", {"A /* x */ -- y", "B"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct str rest = str_from(rows[i].script);
        struct str piece = {0};
        for (int n = 0; rows[i].pieces[n] != NULL; n++) {
            assert_true(sql_next(&rest, &piece));
            assert_true(str_eq_c(piece, rows[i].pieces[n]));
        }
        assert_false(sql_next(&rest, &piece));
        assert_int_equal(rest.len, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_are_cut_at_their_own_semicolons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
