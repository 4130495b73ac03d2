#include "data/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const char *const names[] = {"server.listen", "server.workers", "judge.pool",
                                    "log.level",     "pool",           NULL};

static const char *nearest_to(const char *word) {
    struct suggest nearest = suggest_for(str_from(word));
    for (size_t i = 0; names[i] != NULL; i++) {
        suggest_offer(&nearest, names[i]);
    }
    return nearest.name == NULL ? "" : nearest.name;
}

static void slips_find_the_name_that_was_meant(void **state) {
    (void)state;
    static const struct {
        const char *word, *name;
    } cases[] = {
        {"server.listne", "server.listen"}, /* two neighbours swapped */
        {"server.liste", "server.listen"},
        {"serverlisten", "server.listen"},
        {"judge.pools", "judge.pool"},
        {"opol", "pool"},
        {"pool", "pool"},
        {"color", ""},
        {"x", ""},
        {"", ""},
        {"something.else", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(nearest_to(cases[i].word), cases[i].name);
    }
}

static void the_nearest_wins_and_then_the_first(void **state) {
    (void)state;
    struct suggest nearest = suggest_for(STR("abcdef"));

    suggest_offer(&nearest, "abcdxx");
    suggest_offer(&nearest, "abcdex");
    suggest_offer(&nearest, "abcdey");

    assert_string_equal(nearest.name, "abcdex");
    assert_int_equal(nearest.distance, 1);
}

static void distances_are_those_of_the_definition(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        int distance;
    } cases[] = {{"kitten-word", "sitting-word", 3},
                 {"abcdefghi", "badcfehgi", -1},
                 {"abcdefghi", "badcefghi", 2},
                 {"abcdef", "abcdef", 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct suggest nearest = suggest_for(str_from(cases[i].a));
        suggest_offer(&nearest, cases[i].b);
        if (cases[i].distance < 0) {
            assert_null(nearest.name);
        } else {
            assert_int_equal(nearest.distance, cases[i].distance);
        }
    }
}

static void endless_words_get_no_suggestion(void **state) {
    (void)state;
    char word[300];
    memset(word, 'a', sizeof(word));
    struct suggest nearest = suggest_for(str_of(word, sizeof(word)));
    word[66] = '\0';

    suggest_offer(&nearest, "aaaa");
    suggest_offer(&nearest, word);

    assert_null(nearest.name);
}

static void the_text_is_ready_to_append(void **state) {
    (void)state;
    char text[SUGGEST_TEXT_BYTES];
    struct suggest nearest = suggest_for(STR("poool"));

    suggest_text(&nearest, text);
    assert_string_equal(text, "");

    suggest_offer(&nearest, "pool");
    suggest_text(&nearest, text);
    assert_string_equal(text, " (did you mean `pool`?)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_find_the_name_that_was_meant),
        cmocka_unit_test(the_nearest_wins_and_then_the_first),
        cmocka_unit_test(distances_are_those_of_the_definition),
        cmocka_unit_test(endless_words_get_no_suggestion),
        cmocka_unit_test(the_text_is_ready_to_append),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
