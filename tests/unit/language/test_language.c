/* Reading language specs: what is shipped, and each kind of mistake. */
#include "toy.h"

static void a_spec_is_read_field_by_field(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    struct err err = {0};
    add_language(folder, "toy", good_spec);

    assert_true(language_set_load(folder->path, &set, &err));

    assert_int_equal(language_count(set), 1);
    const struct language *toy = language_at(set, 0);
    assert_string_equal(toy->id, "toy");
    assert_string_equal(toy->name, "Toy");
    assert_string_equal(toy->pool, "more");
    assert_string_equal(toy->editor_mode, "toy");
    assert_string_equal(toy->source_name, "main.toy");
    assert_string_equal(toy->extensions[1], ".ty");
    assert_null(toy->extensions[2]);
    assert_string_equal(toy->compile.argv[3], LANGUAGE_SOURCES);
    assert_null(toy->compile.argv[4]);
    assert_string_equal(toy->compile.roots[0], "/usr");
    assert_null(toy->run.roots[0]);
    assert_string_equal(toy->version.roots[0], "/usr");
    assert_string_equal(toy->artifacts[0], "main");
    assert_string_equal(toy->env[0], "PATH=/usr/bin");
    assert_int_equal(toy->profile, LANGUAGE_PROFILE_NATIVE);
    assert_int_equal(toy->pids_max, 5);
    assert_int_equal(toy->time_permille, 1500);
    assert_int_equal(toy->memory_extra_kib, 3 * KIB);
}

static void a_language_without_compile_step_runs_its_sources(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    struct err err = {0};
    add_changed(folder, "toy",
                "compile:\n  command: [/usr/bin/toyc, -o, main, \"{sources}\"]\n  roots: [/usr]\n"
                "  produces: [main]\n",
                "");

    assert_true(language_set_load(folder->path, &set, &err));

    assert_null(language_at(set, 0)->compile.argv);
    assert_null(language_at(set, 0)->artifacts[0]);
    assert_null(language_at(set, 0)->version.roots[0]);
}

static void each_mistake_is_refused_with_file_and_line(void **state) {
    struct folder *folder = *state;
    static const struct {
        const char *from;
        const char *to;
        const char *says[2];
    } rows[] = {
        {"pool: more", "poll: more", {"language.yaml:2", "poll"}},
        {"name: Toy", "name: ''", {"language.yaml:1", "empty"}},
        {"editor: toy\n", "", {"language.yaml", "editor"}},
        {"[.toy, .ty]", "[]", {"language.yaml:4", "extensions"}},
        {"[.toy, .ty]", "[toy]", {"language.yaml:4", "toy"}},
        {"main.toy\n", "../main.toy\n", {"language.yaml:5", "plain"}},
        {"main.toy\n", "main.c\n", {"language.yaml:5", "extensions"}},
        {"[PATH=/usr/bin]", "[PATH]", {"language.yaml:6", "NAME=value"}},
        {"/usr/bin/toyc, -o", "toyc, -o", {"language.yaml:8", "absolute"}},
        {"/usr/bin/toyc, -o", "/usr/../bin/toyc, -o", {"language.yaml:8", "absolute"}},
        {"{sources}", "{source}", {"language.yaml:8", "{source}"}},
        {"roots: [/usr]", "roots: [/]", {"language.yaml:9", "below"}},
        {"roots: [/usr]", "roots: [usr]", {"language.yaml:9", "usr"}},
        {"produces: [main]", "produces: [../main]", {"language.yaml:10", "plain"}},
        {"profile: native", "profile: fast", {"language.yaml:14", "native or managed"}},
        {"  profile: native\n", "", {"language.yaml", "profile"}},
        {"processes: 5", "processes: 0", {"language.yaml:15", "processes"}},
        {"1.5", "0", {"language.yaml:16", "time_multiplier"}},
        {"1.5", "x", {"language.yaml:16", ""}},
        {"memory_extra", "memory_xtra", {"language.yaml:17", "memory_xtra"}},
        {"hello: hello.toy", "hello: bye.toy", {"language.yaml:20", "bye.toy"}},
        {"hello: hello.toy", "hello: ../toy0/hello.toy", {"language.yaml:20", "hello.toy"}},
        {"pool: more", "pool: &a more", {"language.yaml:2", ""}},
        {"name: Toy", "name: [", {"language.yaml", ""}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own(language_set) set = NULL;
        struct err err = {0};
        add_changed(folder, "toy", rows[i].from, rows[i].to);

        bool loaded = language_set_load(folder->path, &set, &err);

        if (loaded || err.kind != ERR_INVALID || strstr(err.text, rows[i].says[0]) == NULL ||
            strstr(err.text, rows[i].says[1]) == NULL) {
            fail_msg("row %zu (%s): %s", i, rows[i].to, loaded ? "was accepted" : err.text);
        }
        assert_true(file_remove_tree(folder->path, &err));
        assert_int_equal(mkdir(folder->path, 0755), 0);
    }
}

static void one_broken_language_fails_the_whole_load(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    struct err err = {0};
    add_language(folder, "a", good_spec);
    add_changed(folder, "b", "pool: more\n", "");

    assert_false(language_set_load(folder->path, &set, &err));

    assert_non_null(strstr(err.text, "b/language.yaml"));
    assert_null(set);
}

static void odd_folders_are_refused_and_files_are_passed_over(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    struct err err = {0};

    assert_false(language_set_load(folder->path, &set, &err)); /* empty */
    assert_string_equal(err.code, "no_languages");
    put(folder, "README.md", STR("text"));
    add_language(folder, ".hidden", "broken");
    add_language(folder, "toy", good_spec);
    assert_true(language_set_load(folder->path, &set, &err));
    assert_int_equal(language_count(set), 1);
    add_language(folder, "Toy++", good_spec);
    own(language_set) second = NULL;
    assert_false(language_set_load(folder->path, &second, &err));
    assert_string_equal(err.code, "bad_language");
}

static void a_missing_folder_says_so(void **state) {
    (void)state;
    own(language_set) set = NULL;
    struct err err = {0};

    assert_false(language_set_load("/nonexistent/languages", &set, &err));

    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, "/nonexistent/languages"));
}

static void the_digest_follows_the_text(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    struct err err = {0};
    add_language(folder, "a", good_spec);
    add_language(folder, "b", good_spec);
    add_changed(folder, "c", "Toy", "Toy2");

    assert_true(language_set_load(folder->path, &set, &err));

    assert_memory_equal(language_at(set, 0)->digest, language_at(set, 1)->digest, 32);
    assert_memory_not_equal(language_at(set, 0)->digest, language_at(set, 2)->digest, 32);
}

static void a_file_name_chooses_its_language_only_when_it_is_clear(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    struct err err = {0};
    add_language(folder, "a", good_spec);
    add_changed(folder, "b", "[.toy, .ty]", "[.toy, .tb]");
    assert_true(language_set_load(folder->path, &set, &err));

    assert_string_equal(language_by_file(set, STR("x.ty"))->id, "a");
    assert_string_equal(language_by_file(set, STR("x.y.tb"))->id, "b");
    assert_null(language_by_file(set, STR("x.toy"))); /* two fit */
    assert_null(language_by_file(set, STR("x.TY")));
    assert_null(language_by_file(set, STR(".ty"))); /* no name before it */
    assert_null(language_by_file(set, STR("")));
    assert_string_equal(language_find(set, STR("b"))->id, "b");
    assert_null(language_find(set, STR("c")));
}

static void the_shipped_languages_load(void **state) {
    (void)state;
    own(language_set) set = NULL;
    struct err err = {0};
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/languages", getenv("ASSIZE_SOURCE_ROOT"));

    if (!language_set_load(path, &set, &err)) {
        fail_msg("%s", err.text);
    }

    static const char *const ids[] = {"c", "cpp", "python3"};
    static const char *const files[] = {"a.c", "a.cc", "a.py"};
    for (size_t i = 0; i < 3; i++) {
        const struct language *language = language_find(set, str_from(ids[i]));
        assert_non_null(language);
        assert_ptr_equal(language_by_file(set, str_from(files[i])), language);
    }
    assert_null(language_by_file(set, STR("a.h")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_spec_is_read_field_by_field, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_language_without_compile_step_runs_its_sources,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(each_mistake_is_refused_with_file_and_line, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(one_broken_language_fails_the_whole_load, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(odd_folders_are_refused_and_files_are_passed_over,
                                        make_folder, remove_folder),
        cmocka_unit_test(a_missing_folder_says_so),
        cmocka_unit_test_setup_teardown(the_digest_follows_the_text, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_file_name_chooses_its_language_only_when_it_is_clear,
                                        make_folder, remove_folder),
        cmocka_unit_test(the_shipped_languages_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
