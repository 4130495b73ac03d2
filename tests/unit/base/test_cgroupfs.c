#include "base/cgroupfs.h"

#include "base/str.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char hybrid[] = "9:name=systemd:/\n"
                             "8:pids:/a\n"
                             "4:memory:/process/82b1\n"
                             "2:cpu,cpuacct:/b:c\n"
                             "0::/d\n";

static void assert_own(const char *text, const char *controller, const char *expected) {
    struct str own = cgroupfs_own(str_from(text), controller);
    if (!str_eq_c(own, expected)) {
        fail_msg("%s is " STR_FMT ", not %s", controller, STR_ARG(own), expected);
    }
}

static void the_own_group_is_found_by_its_controller(void **state) {
    (void)state;
    assert_own(hybrid, "memory", "/process/82b1");
    assert_own(hybrid, "pids", "/a");
    assert_own(hybrid, "cpuacct", "/b:c");
    assert_own(hybrid, "", "/d");
}

static void a_tree_that_is_not_named_counts_from_its_top(void **state) {
    (void)state;
    assert_own(hybrid, "freezer", "/");
    assert_own("0::/user.slice\n", "memory", "/");
    assert_own("", "", "/");
    assert_own("nonsense\n1:x\n:::\n", "memory", "/");
    assert_own("7:memory", "memory", "/");
}

static void a_word_of_a_list_is_not_a_part_of_a_word(void **state) {
    (void)state;
    assert_own("2:cpuacct:/a\n1:cpu:/b\n", "cpu", "/b");
}

static void removing_a_missing_tree_is_fine_and_a_folder_with_a_file_is_not(void **state) {
    (void)state;
    char path[] = "/tmp/cgroup-test-XXXXXX";
    assert_non_null(mkdtemp(path));
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(cgroupfs_remove(dir, "nothing"));
    assert_int_equal(mkdirat(dir, "a", 0700), 0);
    assert_int_equal(mkdirat(dir, "a/b", 0700), 0);

    assert_true(cgroupfs_remove(dir, "a"));

    assert_int_equal(mkdirat(dir, "c", 0700), 0);
    int file = openat(dir, "c/f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    close(file);
    assert_false(cgroupfs_remove(dir, "c")); /* real groups hold no files that could be unlinked */
    assert_int_equal(unlinkat(dir, "c/f", 0), 0);
    assert_true(cgroupfs_remove(dir, "c"));
    close(dir);
    rmdir(path);
}

static void a_group_can_be_made_twice(void **state) {
    (void)state;
    char path[] = "/tmp/cgroup-test-XXXXXX";
    struct err err = {0};
    int first = -1;
    int second = -1;
    assert_non_null(mkdtemp(path));
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_true(cgroupfs_make(dir, "g", &first, &err));
    assert_true(cgroupfs_make(dir, "g", &second, &err));
    assert_false(cgroupfs_make(dir, "missing/g", &second, &err));

    assert_int_equal(err.kind, ERR_SYSTEM);
    close(first);
    assert_true(cgroupfs_remove(dir, "g"));
    close(dir);
    rmdir(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_own_group_is_found_by_its_controller),
        cmocka_unit_test(a_tree_that_is_not_named_counts_from_its_top),
        cmocka_unit_test(a_word_of_a_list_is_not_a_part_of_a_word),
        cmocka_unit_test(removing_a_missing_tree_is_fine_and_a_folder_with_a_file_is_not),
        cmocka_unit_test(a_group_can_be_made_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
