/* Titles are stored as lines and come back as they were. */
#include "app/titles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void titles_come_back_as_they_were(void **state) {
    (void)state;
    own(arena) arena = arena_create(10000);
    own_buf stored = {0};
    buf_init(&stored, 1000);
    struct err err = {0};
    const struct text_by_language titles[] = {{STR("en"), STR("A + B")},
                                              {STR("zh"), STR("\xe5\x8a\xa0\xe6\xb3\x95")}};

    assert_true(titles_write(titles, 2, &stored, &err));
    struct text_by_language *read = NULL;
    int count = titles_read(buf_str(&stored), arena, &read);

    assert_int_equal(count, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(str_eq(read[i].language, titles[i].language));
        assert_true(str_eq(read[i].text, titles[i].text));
    }
}

static void a_line_break_in_a_title_breaks_no_line(void **state) {
    (void)state;
    own(arena) arena = arena_create(10000);
    own_buf stored = {0};
    buf_init(&stored, 1000);
    struct err err = {0};
    const struct text_by_language title = {STR("en"), STR("A\nB\tC")};

    assert_true(titles_write(&title, 1, &stored, &err));
    struct text_by_language *read = NULL;

    assert_int_equal(titles_read(buf_str(&stored), arena, &read), 1);
    assert_true(str_eq_c(read[0].text, "A B C"));
}

static void nothing_and_nonsense_give_no_titles(void **state) {
    (void)state;
    own(arena) arena = arena_create(10000);
    struct text_by_language *read = NULL;

    assert_int_equal(titles_read(STR(""), arena, &read), 0);
    assert_int_equal(titles_read(STR("no tab here\n"), arena, &read), 0);
}

static void titles_over_the_maximum_are_refused(void **state) {
    (void)state;
    own_buf stored = {0};
    buf_init(&stored, 5);
    struct err err = {0};
    const struct text_by_language title = {STR("en"), STR("A + B")};

    assert_false(titles_write(&title, 1, &stored, &err));

    assert_int_equal(err.kind, ERR_TOO_LARGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(titles_come_back_as_they_were),
        cmocka_unit_test(a_line_break_in_a_title_breaks_no_line),
        cmocka_unit_test(nothing_and_nonsense_give_no_titles),
        cmocka_unit_test(titles_over_the_maximum_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
