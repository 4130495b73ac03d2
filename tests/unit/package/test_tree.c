/* The list of a package's files. */
#include "fixture.h"

static void open_folder(struct fixture *f) {
    bool ok = package_tree_open(f->folder, &f->tree, &f->err);
    assert_string_equal(f->err.text, "");
    assert_true(ok);
}

static void files_come_folder_by_folder_in_byte_order(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b/1", "b/10", "b/2", "b/x/y", "b-c", "b.d", "z"};
    struct fixture f;
    fixture_init(&f);
    for (size_t i = sizeof(names) / sizeof(names[0]); i > 0; i--) {
        fixture_put(&f, names[i - 1], names[i - 1]);
    }

    open_folder(&f);

    assert_int_equal(package_tree_count(f.tree), sizeof(names) / sizeof(names[0]));
    for (size_t i = 0; i < package_tree_count(f.tree); i++) {
        assert_true(str_eq_c(package_tree_at(f.tree, i)->name, names[i]));
    }
    fixture_done(&f);
}

static void files_are_found_and_read(void **state) {
    (void)state;
    struct fixture f;
    struct str text = STR("");
    fixture_init(&f);
    fixture_put(&f, "data/secret/1.in", "hello");
    open_folder(&f);

    const struct package_file *file = package_tree_find(f.tree, STR("data/secret/1.in"));

    assert_non_null(file);
    assert_int_equal(file->bytes, 5);
    assert_true(package_tree_text(f.tree, file, 5, f.arena, &text, &f.err));
    assert_true(str_eq_c(text, "hello"));
    assert_false(package_tree_text(f.tree, file, 4, f.arena, &text, &f.err));
    assert_int_equal(f.err.kind, ERR_TOO_LARGE);
    assert_non_null(strstr(f.err.text, "data/secret/1.in"));
    assert_null(package_tree_find(f.tree, STR("data/secret")));
    assert_null(package_tree_find(f.tree, STR("data/secret/1.i")));
    fixture_done(&f);
}

static void a_folder_is_a_range(void **state) {
    (void)state;
    struct fixture f;
    size_t from = 0;
    size_t to = 0;
    fixture_init(&f);
    fixture_put(&f, "a/1", "");
    fixture_put(&f, "b/1", "");
    fixture_put(&f, "b/c/2", "");
    fixture_put(&f, "b-other/1", "");
    open_folder(&f);

    package_tree_below(f.tree, STR("b"), &from, &to);
    assert_int_equal(from, 1);
    assert_int_equal(to, 3);
    package_tree_below(f.tree, STR("nothing"), &from, &to);
    assert_int_equal(from, to);
    package_tree_below(f.tree, STR(""), &from, &to);
    assert_int_equal(to - from, 4);
    fixture_done(&f);
}

static void one_folder_around_the_package_is_taken_off(void **state) {
    (void)state;
    struct fixture f;
    struct str text = STR("");
    fixture_init(&f);
    fixture_put(&f, "sum/problem.yaml", "name: Sum\n");
    fixture_put(&f, "sum/data/secret/1.in", "1");
    open_folder(&f);

    const struct package_file *file = package_tree_find(f.tree, STR("data/secret/1.in"));

    assert_true(str_eq_c(package_tree_name(f.tree), "sum"));
    assert_non_null(file);
    assert_true(package_tree_text(f.tree, file, 10, f.arena, &text, &f.err));
    assert_true(str_eq_c(text, "1"));
    fixture_done(&f);
}

static void a_top_folder_stays_when_it_is_not_the_package(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_put(&f, "data/secret/1.in", "1");
    fixture_put(&f, "data/secret/1.ans", "1");
    open_folder(&f);

    assert_true(str_eq_c(package_tree_name(f.tree), ""));
    assert_non_null(package_tree_find(f.tree, STR("data/secret/1.in")));
    fixture_done(&f);
}

static void what_systems_leave_behind_is_ignored(void **state) {
    (void)state;
    static const char *const names[] = {"__MACOSX/._x", ".DS_Store",   "data/.DS_Store",
                                        ".git/config",  "Thumbs.db",   "data/._1.in",
                                        "desktop.ini",  "x/.svn/wc.db"};
    struct fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        fixture_put(&f, names[i], "x");
    }
    fixture_put(&f, ".timelimit", "1");
    open_folder(&f);

    assert_int_equal(package_tree_count(f.tree), 1);
    assert_true(str_eq_c(package_tree_at(f.tree, 0)->name, ".timelimit"));
    assert_int_equal(package_tree_ignored(f.tree), sizeof(names) / sizeof(names[0]));
    fixture_done(&f);
}

static void names_that_no_package_may_hold_are_left_out(void **state) {
    (void)state;
    static const char *const names[] = {"a\\b", "bell\a", "bad\xff", "bad\nfolder/file"};
    struct fixture f;
    fixture_init(&f);
    fixture_put(&f, "good", "x");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        fixture_put(&f, names[i], "x");
    }
    open_folder(&f);

    assert_int_equal(package_tree_count(f.tree), 1);
    assert_int_equal(package_tree_ignored(f.tree), sizeof(names) / sizeof(names[0]));
    fixture_done(&f);
}

static void a_path_that_is_too_long_is_refused(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    char name[200];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    fixture_put(&f, arena_printf(f.arena, "%s/%s/%s", name, name, name), "x");

    assert_false(package_tree_open(f.folder, &f.tree, &f.err));

    assert_string_equal(f.err.code, "bad_package");
    assert_non_null(strstr(f.err.text, "this name is not allowed in a package"));
    fixture_done(&f);
}

static void a_missing_package_is_said_to_be_missing(void **state) {
    (void)state;
    struct package_tree *tree = NULL;
    struct err err = {0};

    assert_false(package_tree_open("/nonexistent/package", &tree, &err));

    assert_int_equal(err.kind, ERR_MISSING);
    assert_null(tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_folder_by_folder_in_byte_order),
        cmocka_unit_test(files_are_found_and_read),
        cmocka_unit_test(a_folder_is_a_range),
        cmocka_unit_test(one_folder_around_the_package_is_taken_off),
        cmocka_unit_test(a_top_folder_stays_when_it_is_not_the_package),
        cmocka_unit_test(what_systems_leave_behind_is_ignored),
        cmocka_unit_test(names_that_no_package_may_hold_are_left_out),
        cmocka_unit_test(a_path_that_is_too_long_is_refused),
        cmocka_unit_test(a_missing_package_is_said_to_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
