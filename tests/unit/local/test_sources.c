/* The files of a submission and their language. */
#include "local/sources.h"

#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *source_file(struct arena *arena, const char *folder, const char *name,
                               struct str content) {
    struct err err = {0};
    const char *path = arena_printf(arena, "%s/%s", folder, name);
    assert_true(file_save_atomic(path, content, 0644, &err));
    return path;
}

static struct language_set *languages(void) {
    struct language_set *set = NULL;
    struct err err = {0};
    char folder[4096];
    snprintf(folder, sizeof(folder), "%s/languages", getenv("ASSIZE_SOURCE_ROOT"));
    bool ok = language_set_load(folder, &set, &err);
    assert_string_equal(err.text, "");
    assert_true(ok);
    return set;
}

static void files_are_called_by_their_base_names(void **state) {
    (void)state;
    char folder[] = "/tmp/assize-sources-XXXXXX";
    struct err err = {0};
    struct sources sources = {.count = 0};
    own(arena) arena = arena_create(MIB);
    assert_non_null(mkdtemp(folder));
    const char *paths[] = {
        source_file(arena, folder, "a.c", STR("int a;\n")),
        source_file(arena, folder, "a.h", STR("")),
    };

    assert_true(sources_load(paths, 2, arena, &sources, &err));

    assert_int_equal(sources.count, 2);
    assert_true(str_eq_c(sources.items[0].name, "a.c"));
    assert_true(str_eq_c(sources.items[0].text, "int a;\n"));
    assert_true(file_remove_tree(folder, &err));
}

static void bad_sources_are_refused(void **state) {
    (void)state;
    char folder[] = "/tmp/assize-sources-XXXXXX";
    static char large[SOURCE_BYTES_MAX + 1];
    struct err err = {0};
    struct sources sources = {.count = 0};
    own(arena) arena = arena_create(2 * MIB);
    assert_non_null(mkdtemp(folder));
    memset(large, 'x', sizeof(large));
    const char *empty[] = {source_file(arena, folder, "empty.c", STR(""))};
    const char *huge[] = {source_file(arena, folder, "huge.c", str_of(large, sizeof(large)))};
    const char *just[] = {source_file(arena, folder, "just.c", str_of(large, SOURCE_BYTES_MAX))};
    const char *twice[] = {just[0], just[0]};
    const char *missing[] = {"/nonexistent/a.c"};

    assert_false(sources_load(empty, 1, arena, &sources, &err));
    assert_non_null(strstr(err.text, "the source is empty"));
    assert_false(sources_load(huge, 1, arena, &sources, &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_true(sources_load(just, 1, arena, &sources, &err));
    assert_false(sources_load(twice, 2, arena, &sources, &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_false(sources_load(missing, 1, arena, &sources, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_false(sources_load(missing, 0, arena, &sources, &err));
    assert_true(file_remove_tree(folder, &err));
}

static void two_files_of_one_name_are_refused(void **state) {
    (void)state;
    char folder[] = "/tmp/assize-sources-XXXXXX";
    struct err err = {0};
    struct sources sources = {.count = 0};
    own(arena) arena = arena_create(MIB);
    assert_non_null(mkdtemp(folder));
    const char *path = source_file(arena, folder, "a.c", STR("int a;\n"));
    const char *paths[] = {path, path};

    assert_false(sources_load(paths, 2, arena, &sources, &err));

    assert_non_null(strstr(err.text, "two files of the submission are called a.c"));
    assert_true(file_remove_tree(folder, &err));
}

static void the_language_follows_from_the_names(void **state) {
    (void)state;
    static const struct {
        const char *names[3];
        const char *id, *language; /* NULL: refused */
    } rows[] = {
        {{"a.c"}, "", "c"},           {{"a.cpp", "a.h"}, "", "cpp"}, {{"a.c", "b.cc"}, "", "cpp"},
        {{"b.cc", "a.c"}, "", "cpp"}, {{"a.py"}, "", "python3"},     {{"a.txt"}, "cpp", "cpp"},
        {{"a.txt"}, "", NULL},        {{"a.py", "a.c"}, "", NULL},   {{"a.c"}, "cobol", NULL},
    };
    own(language_set) set = languages();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct judge_source items[3] = {{STR(""), STR("")}};
        struct manifest manifest = {.kinds = PROBLEM_PASS_FAIL};
        struct sources sources = {.items = items, .count = 0};
        const struct language *language = NULL;
        struct err err = {0};
        for (; sources.count < 3 && rows[i].names[sources.count] != NULL; sources.count++) {
            items[sources.count].name = str_from(rows[i].names[sources.count]);
        }
        bool ok = sources_language(set, &manifest, &sources, str_from(rows[i].id), &language, &err);
        assert_int_equal(ok, rows[i].language != NULL);
        if (ok) {
            assert_string_equal(language->id, rows[i].language);
        } else {
            assert_string_equal(err.code, "unknown_language");
        }
        manifest.kinds |= PROBLEM_SUBMIT_ANSWER;
        assert_true(sources_language(set, &manifest, &sources, STR("cpp"), &language, &err));
        assert_string_equal(language->id, "text");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_called_by_their_base_names),
        cmocka_unit_test(bad_sources_are_refused),
        cmocka_unit_test(two_files_of_one_name_are_refused),
        cmocka_unit_test(the_language_follows_from_the_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
