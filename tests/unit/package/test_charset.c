/* File names in other character sets. */
#include "package/charset.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void each_name_is_read_in_the_set_it_fits(void **state) {
    (void)state;
    const struct {
        const char *raw, *text, *charset;
    } rows[] = {
        {"plain.in", "plain.in", NULL},
        {"\xe4\xb8\xad.in", "\xe4\xb8\xad.in", NULL},
        {"\xd6\xd0.in", "\xe4\xb8\xad.in", "GBK"},
        {"\x81.in", "\xc3\xbc.in", "CP437"}, /* u with two dots; no GBK sequence */
        {"", "", NULL},
    };
    own(arena) arena = arena_create(MIB);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *charset = "unset";
        struct str text = charset_decode(arena, str_from(rows[i].raw), &charset);
        assert_true(str_eq_c(text, rows[i].text));
        if (rows[i].charset == NULL) {
            assert_null(charset);
        } else {
            assert_string_equal(charset, rows[i].charset);
        }
    }
}

static void any_bytes_become_valid_utf8(void **state) {
    (void)state;
    own(arena) arena = arena_create(MIB);
    for (int first = 0; first < 256; first++) {
        for (int second = 0; second < 256; second += 5) {
            const char raw[2] = {(char)first, (char)second};
            const char *charset = NULL;
            assert_true(str_is_utf8(charset_decode(arena, str_of(raw, 2), &charset)));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_name_is_read_in_the_set_it_fits),
        cmocka_unit_test(any_bytes_become_valid_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
