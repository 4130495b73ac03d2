/* A folder as a zip. */
#include "fixture.h"

static void zip_into(struct fixture *f, struct buf *zip, int *ret_fd) {
    own_fd fd = memfd_create("zip", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(package_zip_folder(f->folder, fd, &f->err));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_true(file_read_all(fd, 16 * MIB, zip, &f->err));
    if (ret_fd != NULL) {
        *ret_fd = take_fd(&fd);
    }
}

static void the_same_files_give_the_same_bytes(void **state) {
    (void)state;
    struct fixture a;
    struct fixture b;
    own_buf first;
    own_buf second;
    fixture_init(&a);
    fixture_init(&b);
    buf_init(&first, 16 * MIB);
    buf_init(&second, 16 * MIB);
    fixture_put(&a, "b", "2");
    fixture_put(&a, "a/x", "1");
    fixture_put(&b, "a/x", "1");
    fixture_put(&b, "b", "2");
    assert_int_equal(utimensat(AT_FDCWD, fixture_path(&b, "b"),
                               (const struct timespec[]){{1000000000, 0}, {1000000000, 0}}, 0),
                     0);

    zip_into(&a, &first, NULL);
    zip_into(&b, &second, NULL);

    assert_true(first.len > 0);
    assert_true(str_eq(buf_str(&first), buf_str(&second)));
    fixture_done(&a);
    fixture_done(&b);
}

static void what_went_in_comes_out(void **state) {
    (void)state;
    struct fixture f;
    struct str text = STR("");
    own_buf zip;
    own_fd fd = -1;
    fixture_init(&f);
    buf_init(&zip, 16 * MIB);
    fixture_put(&f, "\xe4\xb8\xad\xe6\x96\x87/\xe9\xa2\x98.txt", "content");
    fixture_put(&f, "empty", "");
    fixture_put(&f, "run", "#!/bin/sh\n");
    fixture_put(&f, ".git/config", "not sent");
    assert_int_equal(chmod(fixture_path(&f, "run"), 0755), 0);

    zip_into(&f, &zip, &fd);
    assert_true(package_tree_open_zip(fd, &f.tree, &f.err));

    assert_int_equal(package_tree_count(f.tree), 3);
    const struct package_file *file =
        package_tree_find(f.tree, STR("\xe4\xb8\xad\xe6\x96\x87/\xe9\xa2\x98.txt"));
    assert_non_null(file);
    assert_true(package_tree_text(f.tree, file, 100, f.arena, &text, &f.err));
    assert_true(str_eq_c(text, "content"));
    assert_true(package_tree_find(f.tree, STR("run"))->executable);
    assert_int_equal(package_tree_charset(f.tree).len, 0);
    fixture_done(&f);
}

static void an_unwritable_place_is_an_error(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_put(&f, "a", "x");
    own_fd fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);

    assert_false(package_zip_folder(f.folder, fd, &f.err));

    assert_int_equal(f.err.kind, ERR_SYSTEM);
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_files_give_the_same_bytes),
        cmocka_unit_test(what_went_in_comes_out),
        cmocka_unit_test(an_unwritable_place_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
