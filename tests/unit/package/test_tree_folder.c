/* Packages from folders: nothing outside is reachable. */
#include "fixture.h"

static void refuse_folder(struct fixture *f, const char *text) {
    assert_false(package_tree_open(f->folder, &f->tree, &f->err));
    assert_non_null(strstr(f->err.text, text));
}

static void links_inside_the_package_are_followed(void **state) {
    (void)state;
    struct fixture f;
    struct str text = STR("");
    fixture_init(&f);
    fixture_put(&f, "data/secret/1.in", "one");
    assert_int_equal(symlink("1.in", fixture_path(&f, "data/secret/2.in")), 0);
    assert_int_equal(symlink("secret", fixture_path(&f, "data/sample")), 0);

    assert_true(package_tree_open(f.folder, &f.tree, &f.err));

    const struct package_file *file = package_tree_find(f.tree, STR("data/sample/2.in"));
    assert_non_null(file);
    assert_true(package_tree_text(f.tree, file, 10, f.arena, &text, &f.err));
    assert_true(str_eq_c(text, "one"));
    assert_int_equal(package_tree_count(f.tree), 4);
    fixture_done(&f);
}

static void links_out_of_the_package_are_refused(void **state) {
    (void)state;
    static const char *const targets[] = {"/etc/passwd", "../../etc/passwd", "/", "../..",
                                          "/proc/self/fd/0"};
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        struct fixture f;
        fixture_init(&f);
        fixture_put(&f, "problem.yaml", "name: x\n");
        assert_int_equal(symlink(targets[i], fixture_path(&f, "link")), 0);

        refuse_folder(&f, "link: this link leads outside the package");

        assert_string_equal(f.err.code, "bad_package");
        fixture_done(&f);
    }
}

static void broken_and_circular_links_are_refused(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    assert_int_equal(symlink("nowhere", fixture_path(&f, "link")), 0);
    refuse_folder(&f, "leads to nothing");

    assert_int_equal(unlink(fixture_path(&f, "link")), 0);
    assert_int_equal(symlink("link", fixture_path(&f, "link")), 0);
    refuse_folder(&f, "leads to itself");
    fixture_done(&f);
}

static void a_link_to_a_folder_above_ends(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_put(&f, "a/file", "x");
    assert_int_equal(symlink("..", fixture_path(&f, "a/up")), 0);

    refuse_folder(&f, "this name is not allowed in a package");
    fixture_done(&f);
}

static void special_files_are_refused(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    assert_int_equal(mkfifo(fixture_path(&f, "pipe"), 0644), 0);

    refuse_folder(&f, "pipe: it is neither a plain file nor a folder");
    fixture_done(&f);
}

static void a_file_exchanged_for_a_link_is_not_followed_out(void **state) {
    (void)state;
    struct fixture f;
    int fd = -1;
    fixture_init(&f);
    fixture_put(&f, "data/1.in", "x");
    assert_true(package_tree_open(f.folder, &f.tree, &f.err));
    const struct package_file *file = package_tree_find(f.tree, STR("data/1.in"));
    assert_int_equal(unlink(fixture_path(&f, "data/1.in")), 0);
    assert_int_equal(symlink("/etc/passwd", fixture_path(&f, "data/1.in")), 0);

    assert_false(package_tree_read(f.tree, file, &fd, &f.err));

    assert_int_equal(fd, -1);
    fixture_done(&f);
}

static void too_large_a_file_is_refused_by_its_size(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_put(&f, "huge", "");
    assert_int_equal(truncate(fixture_path(&f, "huge"), PACKAGE_FILE_BYTES_MAX + 1), 0);

    refuse_folder(&f, "huge: the file is larger than");

    assert_int_equal(f.err.kind, ERR_TOO_LARGE);
    fixture_done(&f);
}

static void an_executable_file_is_known_as_such(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_put(&f, "run", "#!/bin/sh\n");
    fixture_put(&f, "text", "");
    assert_int_equal(chmod(fixture_path(&f, "run"), 0755), 0);

    assert_true(package_tree_open(f.folder, &f.tree, &f.err));

    assert_true(package_tree_find(f.tree, STR("run"))->executable);
    assert_false(package_tree_find(f.tree, STR("text"))->executable);
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_inside_the_package_are_followed),
        cmocka_unit_test(links_out_of_the_package_are_refused),
        cmocka_unit_test(broken_and_circular_links_are_refused),
        cmocka_unit_test(a_link_to_a_folder_above_ends),
        cmocka_unit_test(special_files_are_refused),
        cmocka_unit_test(a_file_exchanged_for_a_link_is_not_followed_out),
        cmocka_unit_test(too_large_a_file_is_refused_by_its_size),
        cmocka_unit_test(an_executable_file_is_known_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
