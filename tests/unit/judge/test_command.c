/* Command lines and names. */
#include "judge/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static void arguments_split_at_white_space(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    struct command_words words = {0};
    struct err err = {0};

    assert_true(command_split(STR("  float_tolerance\t1e-6 \n x "), arena, &words, &err));
    assert_int_equal(words.count, 3);
    assert_string_equal(words.words[0], "float_tolerance");
    assert_string_equal(words.words[1], "1e-6");
    assert_string_equal(words.words[2], "x");
    assert_true(command_split(STR(" "), arena, &words, &err));
    assert_int_equal(words.count, 0);
    assert_true(command_split(STR("\"a b\""), arena, &words, &err));
    assert_int_equal(words.count, 2); /* there is no quoting */
}

static void too_many_words_and_nuls_are_refused(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    struct command_words words = {0};
    struct err err = {0};
    char many[2 * COMMAND_WORDS_MAX + 2];
    for (size_t i = 0; i < sizeof many; i++) {
        many[i] = i % 2 == 0 ? 'a' : ' ';
    }

    assert_true(command_split(str_of(many, 2 * COMMAND_WORDS_MAX), arena, &words, &err));
    assert_int_equal(words.count, COMMAND_WORDS_MAX);
    assert_false(command_split(str_of(many, sizeof many), arena, &words, &err));
    assert_int_equal(err.kind, ERR_INVALID);
    assert_false(command_split(STR("a\0b"), arena, &words, &err));
}

static void placeholders_are_filled(void **state) {
    (void)state;
    static const char *const argv[] = {"/usr/bin/cc", "-o",           "main", LANGUAGE_SOURCES,
                                       "-lm",         LANGUAGE_ENTRY, NULL};
    static const char *const names[] = {"a.c", "b.c"};
    static const char *const more[] = {"x"};
    own(arena) arena = arena_create(64 * KIB);
    const char *const *built = NULL;
    struct err err = {0};
    struct language_command command = {.argv = argv};

    struct command_fill fill = {.sources = {.words = names, .count = 2},
                                .entry = "a.c",
                                .extra = {.words = more, .count = 1}};

    assert_true(command_build(&command, &fill, arena, &built, &err));

    static const char *const expected[] = {"/usr/bin/cc", "-o",  "main", "a.c",
                                           "b.c",         "-lm", "a.c",  "x"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_string_equal(built[i], expected[i]);
    }
    assert_null(built[sizeof expected / sizeof expected[0]]);
}

static void a_name_is_never_an_option_or_a_path(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool name_safe;
        bool path_safe;
    } rows[] = {
        {"main.cpp", true, true},    {"Solution_2.c++", true, true},
        {"_a-b.py", true, true},     {"7.c", true, true},
        {"sub/main.c", false, true}, {"a/b/c.h", false, true},
        {"", false, false},          {"-o", false, false},
        {"@args", false, false},     {".hidden", false, false},
        {"..", false, false},        {"../a.c", false, false},
        {"a/../b.c", false, false},  {"/a.c", false, false},
        {"a/", false, false},        {"a//b", false, false},
        {"a/-b.c", false, false},    {"a b.c", false, false},
        {"a\\b.c", false, false},    {"a\nb.c", false, false},
        {"$(x).c", false, false},    {"\xe4\xbd\xa0.c", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct str name = str_from(rows[i].name);
        if (command_name_is_safe(name) != rows[i].name_safe ||
            command_path_is_safe(name) != rows[i].path_safe) {
            fail_msg("\"%s\"", rows[i].name);
        }
    }
    char longest[256];
    memset(longest, 'a', sizeof longest);
    assert_true(command_name_is_safe(str_of(longest, 255)));
    assert_false(command_name_is_safe(str_of(longest, 256)));
    assert_false(command_name_is_safe(STR("a\0b")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_split_at_white_space),
        cmocka_unit_test(too_many_words_and_nuls_are_refused),
        cmocka_unit_test(placeholders_are_filled),
        cmocka_unit_test(a_name_is_never_an_option_or_a_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
