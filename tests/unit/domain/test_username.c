#include "domain/username.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void letters_digits_and_three_signs_make_a_name(void **state) {
    (void)state;
    static const char *const names[] = {
        "a",
        "Z9",
        "2023-student.007_x",
        "\xe5\xbc\xa0\xe4\xb8\x89",         /* Chinese */
        "J\xc3\xbcrgen",                    /* u with diaeresis, composed */
        "\xd0\x98\xd0\xb2\xd0\xb0\xd0\xbd", /* Cyrillic */
        "\xec\x9d\xb4",                     /* Hangul */
        "0123456789012345678901234567890123456789012345678901234567890123",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct err err = {0};

        bool ok = username_check(str_from(names[i]), &err);

        if (!ok) {
            fail_msg("%s: %s", names[i], err.text);
        }
    }
}

static void anything_else_is_refused(void **state) {
    (void)state;
    static const char *const names[] = {
        "",
        ".a",
        "-a",
        "_a",
        "a b",
        "a\tb",
        "a@b",
        "a/b",
        "a\\b",
        "a:b",
        "a\"b",
        "a<b",
        "a'b",
        "a\x7f",
        "a\xc2\xa0",         /* no-break space */
        "e\xcc\x81",         /* combining acute */
        "a\xe2\x80\x8b",     /* zero width space */
        "a\xe2\x80\xae",     /* right-to-left override */
        "a\xe3\x80\x80",     /* ideographic space */
        "a\xef\xbb\xbf",     /* byte order mark */
        "a\xf0\x9f\x98\x80", /* emoji */
        "a\xee\x80\x80",     /* private use */
        "a\xff",
        "a\xc0\x80",
        "01234567890123456789012345678901234567890123456789012345678901234",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct err err = {0};

        if (username_check(str_from(names[i]), &err)) {
            fail_msg("row %zu was taken", i);
        }

        assert_string_equal(err.code, "bad_field");
        assert_non_null(strstr(err.text, "username"));
    }
}

static void a_nul_inside_is_refused(void **state) {
    (void)state;
    struct err err = {0};

    assert_false(username_check(str_of("a\0b", 3), &err));
}

static void names_that_differ_in_case_fold_to_the_same(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const char *folded;
    } rows[] = {
        {"Admin", "admin"},
        {"ADMIN-9", "admin-9"},
        {"J\xc3\x9cRGEN", "j\xc3\xbcrgen"},
        {"\xce\x91\xce\xa3", "\xce\xb1\xcf\x83"},
        {"\xce\xb1\xcf\x82", "\xce\xb1\xcf\x83"},
        {"\xd0\x98\xd0\x92\xd0\x90\xd0\x9d", "\xd0\xb8\xd0\xb2\xd0\xb0\xd0\xbd"},
        {"\xd0\x81", "\xd1\x91"},
        {"\xc5\xbd\xc4\x8c", "\xc5\xbe\xc4\x8d"},
        {"\xef\xbc\xa1", "\xef\xbd\x81"},
        {"\xe5\xbc\xa0", "\xe5\xbc\xa0"},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"a\xff", "a\xff"},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        own_buf folded = {0};
        buf_init(&folded, 1 * KIB);

        text_fold(str_from(rows[i].name), &folded);

        assert_string_equal(buf_c(&folded), rows[i].folded);
    }
}

static void folding_twice_changes_nothing_more(void **state) {
    (void)state;
    for (uint32_t point = 0x80; point < 0x2000; point++) {
        char text[3] = {(char)(0xc0 | point >> 6), (char)(0x80 | (point & 0x3f)), 0};
        if (point >= 0x800) {
            text[0] = (char)(0xe0 | point >> 12);
            text[1] = (char)(0x80 | (point >> 6 & 0x3f));
            text[2] = (char)(0x80 | (point & 0x3f));
        }
        own_buf once = {0};
        own_buf twice = {0};
        buf_init(&once, 16);
        buf_init(&twice, 16);

        text_fold(str_of(text, point < 0x800 ? 2 : 3), &once);
        text_fold(buf_str(&once), &twice);

        assert_true(str_eq(buf_str(&once), buf_str(&twice)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_digits_and_three_signs_make_a_name),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(a_nul_inside_is_refused),
        cmocka_unit_test(names_that_differ_in_case_fold_to_the_same),
        cmocka_unit_test(folding_twice_changes_nothing_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
