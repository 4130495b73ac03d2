/* What programs wrote, made fit to be shown. */
#include "base/file.h"
#include "base/limits.h"
#include "judge/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#define ROW(bytes, max, clean)                                                                     \
    { {"" bytes, sizeof(bytes) - 1}, max, clean }

static void bytes_become_valid_bounded_text(void **state) {
    (void)state;
    static const struct {
        struct str bytes;
        size_t max;
        const char *clean;
    } rows[] = {
        ROW("", 100, ""),
        ROW("plain\n\ttext\n\n", 100, "plain\n\ttext"),
        ROW("a\r\nb\rc", 100,
            "a\nb\xef\xbf\xbd"
            "c"),
        ROW("\xe4\xbd\xa0\xe5\xa5\xbd", 100, "\xe4\xbd\xa0\xe5\xa5\xbd"),
        ROW("\xff\xe4\xbd", 100, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"),
        ROW("a\0b", 100,
            "a\xef\xbf\xbd"
            "b"),
        ROW("\x1b[31m", 100, "\xef\xbf\xbd[31m"),
        ROW("123456", 10, "123456"),
        ROW("1234567", 10, "123456 ..."),
        ROW("12345\xe4\xbd\xa0", 10, "12345 ..."), /* no sequence is cut */
        ROW("12 \n  7890", 9, "12 ..."),
        ROW(" \n ", 100, ""),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own(arena) arena = arena_create(4096);

        struct str clean = text_clean(arena, rows[i].bytes, rows[i].max);

        if (!str_eq_c(clean, rows[i].clean)) {
            fail_msg("row %zu: \"" STR_FMT "\"", i, STR_ARG(clean));
        }
        assert_true(clean.len <= rows[i].max);
        assert_true(str_is_utf8(clean));
    }
}

static void a_file_is_read_from_its_start_and_only_as_far_as_needed(void **state) {
    (void)state;
    own(arena) arena = arena_create(8 * MIB);
    own_fd fd = -1;
    struct str text = {0};
    struct err err = {0};
    char *big = arena_alloc(arena, 1 * MIB);
    memset(big, 'x', 1 * MIB);
    assert_true(file_memory("test", str_of(big, 1 * MIB), true, &fd, &err));

    assert_true(text_from_file(arena, fd, 1000, &text, &err));
    assert_int_equal(text.len, 1000);
    assert_true(str_ends(text, STR("xxx ...")));
    assert_true(text_from_file(arena, fd, 1000, &text, &err)); /* the offset stayed */
    assert_int_equal(text.len, 1000);
    assert_true(text_from_file(arena, -1, 1000, &text, &err));
    assert_int_equal(text.len, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_valid_bounded_text),
        cmocka_unit_test(a_file_is_read_from_its_start_and_only_as_far_as_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
