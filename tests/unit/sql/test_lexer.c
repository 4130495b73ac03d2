#include "sql/lexer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* Tokens as one text: kind letters, W word, Q quoted, S string, N number, the symbols themselves, !
 * for what is broken. */
static const char *shape(enum sql_dialect dialect, const char *text, char out[64]) {
    static const char kinds[] = {[SQL_TOKEN_WORD] = 'W',
                                 [SQL_TOKEN_QUOTED] = 'Q',
                                 [SQL_TOKEN_STRING] = 'S',
                                 [SQL_TOKEN_NUMBER] = 'N',
                                 [SQL_TOKEN_BROKEN] = '!'};
    struct sql_lexer lexer = {.dialect = dialect, .text = str_from(text)};
    size_t length = 0;
    for (;;) {
        struct sql_token token = sql_lexer_next(&lexer);
        if (token.kind == SQL_TOKEN_END) {
            break;
        }
        assert_in_range(length, 0, 62);
        out[length++] = token.kind == SQL_TOKEN_SYMBOL ? token.text.ptr[0] : kinds[token.kind];
    }
    out[length] = '\0';
    return out;
}

static void each_text_has_its_tokens(void **state) {
    (void)state;
    static const struct {
        enum sql_dialect dialect;
        const char *text;
        const char *shape;
    } rows[] = {
        {SQL_MYSQL, "SELECT a1, 1.5e3 FROM `t``x` WHERE b='it''s \\' ;'", "WW,NWQWW=S"},
        {SQL_MYSQL, "a \"b\" c", "WSW"},
        {SQL_SQLITE, "a \"b\" [c;d] 'e\\' f", "WQQSW"},
        {SQL_MYSQL, "a -- b ; c\n d # e\nf /* ; */ g", "WWWW"},
        {SQL_MYSQL, "5--3", "N--N"},
        {SQL_SQLITE, "5--3\n4", "NN"},
        {SQL_SQLITE, "a # b", "W#W"},
        {SQL_MYSQL, "a /*! SLEEP(1) */", "W!"},
        {SQL_MYSQL, "a /*M!100 SLEEP(1) */", "W!"},
        {SQL_MYSQL, "a /* never closed", "W!"},
        {SQL_MYSQL, "a 'never closed", "W!"},
        {SQL_MYSQL, "'ends in a backslash\\", "!"},
        {SQL_MYSQL, "\xe4\xb8\xad\xe6\x96\x87 = 1", "W=N"},
        {SQL_MYSQL, "@@global.x", "@@W.W"},
        {SQL_MYSQL, "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[64];

        assert_string_equal(shape(rows[i].dialect, rows[i].text, out), rows[i].shape);
    }
}

static void a_nul_byte_is_broken(void **state) {
    (void)state;
    struct sql_lexer lexer = {.dialect = SQL_MYSQL, .text = STR("\0 DROP")};

    struct sql_token token = sql_lexer_next(&lexer);

    assert_int_equal(token.kind, SQL_TOKEN_BROKEN);
    assert_int_equal(sql_lexer_next(&lexer).kind, SQL_TOKEN_END);
}

static void keywords_are_known_in_any_case_but_not_in_quotes(void **state) {
    (void)state;
    struct sql_lexer lexer = {.dialect = SQL_MYSQL, .text = STR("SeLeCt `select`")};

    struct sql_token word = sql_lexer_next(&lexer);
    struct sql_token quoted = sql_lexer_next(&lexer);

    assert_true(sql_token_is(&word, "SELECT"));
    assert_false(sql_token_is(&quoted, "SELECT"));
    assert_true(str_eq_c(quoted.text, "select"));
}

static void only_two_dialects_have_names(void **state) {
    (void)state;

    assert_int_equal(sql_dialect_of(STR("mysql")), SQL_MYSQL);
    assert_int_equal(sql_dialect_of(STR("sqlite")), SQL_SQLITE);
    assert_int_equal(sql_dialect_of(STR("oracle")), SQL_DIALECT_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_has_its_tokens),
        cmocka_unit_test(a_nul_byte_is_broken),
        cmocka_unit_test(keywords_are_known_in_any_case_but_not_in_quotes),
        cmocka_unit_test(only_two_dialects_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
