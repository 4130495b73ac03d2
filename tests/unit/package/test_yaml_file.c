/* What several YAML files of a package have in common. */
#include "fixture.h"

#include "package/reader_internal.h"

static bool words_of(struct arena *arena, struct package_reader *reader, const char *text,
                     struct str *ret_words, struct err *err) {
    const struct yaml *root = NULL;
    reader->arena = arena;
    return yr_parse(arena, "x.yaml", str_from(text), &root, err) &&
           yaml_words(reader, yr_get(root, "a"), ret_words, err);
}

static void texts_and_lists_become_words(void **state) {
    (void)state;
    const struct {
        const char *yaml, *words; /* NULL: refused */
    } rows[] = {
        {"a: one two\n", "one two"},
        {"a: '  one   two '\n", "one two"},
        {"a: [one, two]\n", "one two"},
        {"a: []\n", ""},
        {"a:\n", ""},
        {"b: x\n", ""},
        {"a: ''\n", ""},
        {"a: 5\n", "5"},
        {"a: ['']\n", NULL},
        {"a: [a b]\n", NULL},
        {"a: \"it's\"\n", NULL},
        {"a: '\"x\"'\n", NULL},
        {"a: {b: c}\n", NULL},
        {"a: [[b]]\n", NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        own(arena) arena = arena_create(YAML_ARENA_BYTES);
        struct package_reader reader = {.arena = NULL};
        struct str words = STR("");
        struct err err = {0};
        bool ok = words_of(arena, &reader, rows[i].yaml, &words, &err);
        assert_int_equal(ok, rows[i].words != NULL);
        if (ok) {
            assert_true(str_eq_c(words, rows[i].words));
        } else {
            assert_non_null(strstr(err.text, "x.yaml:1"));
        }
    }
}

static void long_arguments_are_refused(void **state) {
    (void)state;
    own(arena) arena = arena_create(2 * YAML_ARENA_BYTES);
    struct package_reader reader = {.arena = NULL};
    struct str words = STR("");
    struct err err = {0};
    char text[2000] = "a: ";
    memset(text + 3, 'x', sizeof(text) - 5);
    text[sizeof(text) - 2] = '\n';

    assert_false(words_of(arena, &reader, text, &words, &err));

    reader.args_bytes = 2 * MIB;
    memset(&err, 0, sizeof(err));
    assert_false(words_of(arena, &reader, "a: b\n", &words, &err));
    assert_non_null(strstr(err.text, "the arguments of all cases together are too long"));
}

static void a_yaml_file_over_its_size_is_refused(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    assert_int_equal(truncate(fixture_path(&f, "problem.yaml"), YAML_BYTES_MAX + 1), 0);

    assert_false(fixture_read(&f));

    assert_int_equal(f.err.kind, ERR_TOO_LARGE);
    assert_non_null(strstr(f.err.text, "problem.yaml"));
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_and_lists_become_words),
        cmocka_unit_test(long_arguments_are_refused),
        cmocka_unit_test(a_yaml_file_over_its_size_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
