/* Names of languages as the formats write them. */
#include "package/builder.h"

#include "fixture.h"

static void programming_languages_are_known_by_many_names(void **state) {
    (void)state;
    static const struct {
        const char *name, *id;
    } rows[] = {
        {"C++", "cpp"},
        {"cpp.g++17", "cpp"},
        {"cc.cc17o2", "cpp"},
        {"CPP14", "cpp"},
        {"C", "c"},
        {"c.gcc", "c"},
        {"Java", "java"},
        {"java11", "java"},
        {"JavaScript", "javascript"},
        {"Python3", "python3"},
        {"PY3", "python3"},
        {"PY2", "python2"},
        {"Golang", "go"},
        {"Pascal", "pascal"},
        {"RUST", "rust"},
        {"brainfuck", ""},
        {"", ""},
        {"clojure", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct str id = build_language_id(str_from(rows[i].name));
        if (!str_eq_c(id, rows[i].id)) {
            print_error("%s: " STR_FMT "\n", rows[i].name, STR_ARG(id));
        }
        assert_true(str_eq_c(id, rows[i].id));
    }
}

static void tongues_become_tags(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    assert_true(str_eq_c(build_language(f.arena, STR("russian")), "ru"));
    assert_true(str_eq_c(build_language(f.arena, STR("English")), "en"));
    assert_true(str_eq_c(build_language(f.arena, STR("zh_TW")), "zh-TW"));
    assert_true(str_eq_c(build_language(f.arena, STR("a/../b")), "a----b"));
    assert_true(str_eq_c(build_guess_language(STR("\xe5\x8a\xa0\xe6\xb3\x95")), "zh"));
    assert_true(str_eq_c(build_guess_language(STR("caf\xc3\xa9")), "en"));
    assert_string_equal(build_heading(STR("zh-CN"), HEADING_INPUT),
                        "\xe8\xbe\x93\xe5\x85\xa5\xe6\xa0\xbc\xe5\xbc\x8f");
    assert_string_equal(build_heading(STR("fr"), HEADING_NOTES), "Notes");
    fixture_done(&f);
}

static void sources_get_the_name_of_their_language(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    assert_true(str_eq_c(build_source_name(f.arena, "spj", STR("cpp")), "spj.cpp"));
    assert_true(str_eq_c(build_source_name(f.arena, "a", STR("python3")), "a.py"));
    assert_true(str_eq_c(build_source_name(f.arena, "a", STR("")), "a.txt"));
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programming_languages_are_known_by_many_names),
        cmocka_unit_test(tongues_become_tags),
        cmocka_unit_test(sources_get_the_name_of_their_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
