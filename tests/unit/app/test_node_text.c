/* A node's languages as stored. */
#include "app/node_text.h"
#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void languages_come_back(void **state) {
    (void)state;
    own(arena) arena = arena_create(MIB);
    own_buf text = {0};
    buf_init(&text, KIB);
    struct err err = {0};
    const struct node_language languages[] = {{STR("c"), STR("gcc (Debian) 12.2")},
                                              {STR("cpp"), STR("")}};

    assert_true(node_languages_write(languages, 2, &text, &err));
    struct node_language *read = NULL;
    int count = node_languages_read(buf_str(&text), arena, &read);

    assert_int_equal(count, 2);
    assert_true(str_eq_c(read[0].version, "gcc (Debian) 12.2"));
    assert_true(str_eq_c(read[1].id, "cpp"));
    assert_int_equal(read[1].version.len, 0);
}

static void what_would_break_a_line_is_refused(void **state) {
    (void)state;
    static const struct node_language rows[] = {
        {STR(""), STR("1")}, {STR("c\n"), STR("1")}, {STR("c"), STR("1\t2")}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own_buf text = {0};
        buf_init(&text, KIB);
        struct err err = {0};

        assert_false(node_languages_write(&rows[i], 1, &text, &err));

        assert_string_equal(err.code, "bad_field");
    }
}

static void too_many_are_refused_and_never_read(void **state) {
    (void)state;
    own(arena) arena = arena_create(MIB);
    own_buf text = {0};
    buf_init(&text, 16 * KIB);
    struct err err = {0};
    struct node_language many[LANGUAGES_MAX + 1];
    for (int i = 0; i <= LANGUAGES_MAX; i++) {
        many[i] = (struct node_language){STR("c"), STR("1")};
        buf_append(&text, STR("c\t1\n"));
    }

    assert_false(node_languages_write(many, LANGUAGES_MAX + 1, &text, &err));
    struct node_language *read = NULL;

    assert_int_equal(node_languages_read(buf_str(&text), arena, &read), LANGUAGES_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(languages_come_back),
        cmocka_unit_test(what_would_break_a_line_is_refused),
        cmocka_unit_test(too_many_are_refused_and_never_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
