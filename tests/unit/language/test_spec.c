/* What a spec says of preparing, of placeholders and of variants. */
#include "toy.h"

#define PREPARE                                                                                    \
    "prepare:\n  command: [/usr/bin/toyc, --warm]\n  roots: [/usr]\n"                              \
    "  produces: [warm/up.bin]\n  optional: true\n"

static const struct language *load_one(const struct folder *folder, struct language_set **set) {
    struct err err = {0};
    if (!language_set_load(folder->path, set, &err)) {
        fail_msg("%s", err.text);
    }
    return language_at(*set, 0);
}

static void what_is_prepared_is_read(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    add_changed(folder, "toy", "version:", PREPARE "support: [hello.toy]\nversion:");

    const struct language *toy = load_one(folder, &set);

    assert_string_equal(toy->prepare.command.argv[1], "--warm");
    assert_string_equal(toy->prepare.command.roots[0], "/usr");
    assert_string_equal(toy->prepare.produces[0], "warm/up.bin");
    assert_null(toy->prepare.produces[1]);
    assert_true(toy->prepare.optional);
    assert_string_equal(toy->support[0], "hello.toy");
    assert_null(toy->support[1]);
}

static void a_plain_spec_prepares_nothing(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    add_language(folder, "toy", good_spec);

    const struct language *toy = load_one(folder, &set);

    assert_null(toy->prepare.command.argv);
    assert_null(toy->prepare.produces[0]);
    assert_null(toy->support[0]);
    assert_null(toy->variant_of);
    assert_int_equal(toy->memory_signal, 0);
}

static void a_compiler_can_be_started_ahead(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    add_changed(folder, "toy", "version:", "standby:\n  command: [/usr/bin/toyc, -w]\nversion:");

    const struct language *toy = load_one(folder, &set);

    assert_string_equal(toy->standby.argv[1], "-w");
    assert_ptr_equal(toy->standby.roots, toy->compile.roots);
}

static void without_a_compiler_none_can_wait(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    struct err err = {0};
    add_changed(folder, "toy",
                "compile:\n  command: [/usr/bin/toyc, -o, main, \"{sources}\"]\n  roots: [/usr]\n"
                "  produces: [main]\n",
                "standby:\n  command: [/usr/bin/toyc, -w]\n");

    assert_false(language_set_load(folder->path, &set, &err));

    assert_non_null(strstr(err.text, "`standby` needs `compile`"));
}

static void a_changed_support_file_is_another_language(void **state) {
    struct folder *folder = *state;
    own(language_set) before = NULL;
    own(language_set) after = NULL;
    add_changed(folder, "toy", "version:", "support: [hello.toy]\nversion:");
    const struct language *was = load_one(folder, &before);

    put(folder, "toy/hello.toy", STR("another hello\n"));

    assert_memory_not_equal(was->digest, load_one(folder, &after)->digest, sizeof was->digest);
}

static void a_variant_leaves_the_files_to_the_language_it_varies(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    struct err err = {0};
    add_language(folder, "toy", good_spec);
    add_changed(folder, "toy2", "pool: more\n", "pool: more\nvariant_of: toy\n");

    assert_true(language_set_load(folder->path, &set, &err));

    assert_string_equal(language_by_file(set, STR("a.toy"))->id, "toy");
    assert_string_equal(language_find(set, STR("toy2"))->variant_of, "toy");
}

/* Whoever lists the languages takes the first that fits a file name. */
static void a_variant_stands_behind_the_language_it_varies(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    struct err err = {0};
    add_changed(folder, "a", "pool: more\n", "pool: more\nvariant_of: toy\n");
    add_language(folder, "toy", good_spec);
    add_language(folder, "zoo", good_spec);

    assert_true(language_set_load(folder->path, &set, &err));

    assert_string_equal(language_at(set, 0)->id, "toy");
    assert_string_equal(language_at(set, 1)->id, "a");
    assert_string_equal(language_at(set, 2)->id, "zoo");
}

static void a_variant_of_nothing_is_refused(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    struct err err = {0};
    add_changed(folder, "toy2", "pool: more\n", "pool: more\nvariant_of: toy\n");
    assert_false(language_set_load(folder->path, &set, &err));
    assert_non_null(strstr(err.text, "variant_of"));
}

static void the_runtime_says_how_its_memory_ends(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    add_changed(folder, "toy", "  processes: 5\n", "  processes: 5\n  out_of_memory_signal: 6\n");
    assert_int_equal(load_one(folder, &set)->memory_signal, 6);
}

static void mistakes_are_refused(void **state) {
    struct folder *folder = *state;
    static const struct {
        const char *from;
        const char *to;
        const char *says;
    } rows[] = {
        {"version:", "support: [none.toy]\nversion:", "there is no file"},
        {"version:", "support: [../toy/hello.toy]\nversion:", "no plain file name"},
        {"  produces: [main]", "  produces: [/main]", "no plain file name"},
        {"  produces: [main]", "  produces: [a/../main]", "no plain file name"},
        {"[/w/main]", "[/w/main, \"{prepare}\"]", "is unknown"},
        {"[/w/main]", "[/w/main, \"-x{sources}\"]", "is unknown"},
        {"[/w/main]", "[/w/main, \"-I{prepared}\"]", "is empty without"},
        {"  processes: 5\n", "  out_of_memory_signal: 0\n", "out_of_memory_signal"},
        {"pool: more\n", "pool: more\nvariant_of: ''\n", "empty"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char id[8];
        own(language_set) set = NULL;
        struct err err = {0};
        (void)snprintf(id, sizeof id, "t%zu", i);
        add_changed(folder, id, rows[i].from, rows[i].to);
        assert_false(language_set_load(folder->path, &set, &err));
        if (strstr(err.text, rows[i].says) == NULL) {
            fail_msg("row %zu: %s", i, err.text);
        }
        char path[256];
        (void)snprintf(path, sizeof path, "%s/%s", folder->path, id);
        assert_true(file_remove_tree(path, &err));
    }
}

static void placeholders_may_stand_inside_a_word(void **state) {
    struct folder *folder = *state;
    own(language_set) set = NULL;
    add_changed(folder, "toy", "[/w/main]\n", "[/w/main, \"-m{memory_mib}:{prepared}/x\"]\n");
    struct err err = {0};
    assert_false(language_set_load(folder->path, &set, &err)); /* nothing is prepared */
    char path[256];
    (void)snprintf(path, sizeof path, "%s/toy", folder->path);
    assert_true(file_remove_tree(path, &err));
    add_changed(folder, "toy", "[/w/main]\n", "[/w/main, \"-m{memory_mib}m{memory_mib}\"]\n");
    assert_string_equal(load_one(folder, &set)->run.argv[1], "-m{memory_mib}m{memory_mib}");
}

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(what_is_prepared_is_read),
        FOLDER_TEST(a_plain_spec_prepares_nothing),
        FOLDER_TEST(a_compiler_can_be_started_ahead),
        FOLDER_TEST(without_a_compiler_none_can_wait),
        FOLDER_TEST(a_changed_support_file_is_another_language),
        FOLDER_TEST(a_variant_leaves_the_files_to_the_language_it_varies),
        FOLDER_TEST(a_variant_stands_behind_the_language_it_varies),
        FOLDER_TEST(a_variant_of_nothing_is_refused),
        FOLDER_TEST(the_runtime_says_how_its_memory_ends),
        FOLDER_TEST(mistakes_are_refused),
        FOLDER_TEST(placeholders_may_stand_inside_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
