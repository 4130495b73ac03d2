#include "base/file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64];
static int dir = -1;

static int set_up(void **state) {
    (void)state;
    memcpy(path, "/tmp/file-test-XXXXXX", sizeof("/tmp/file-test-XXXXXX"));
    dir = mkdtemp(path) == NULL ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = openat(dir, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    close(file);
    return dir < 0;
}

static int tear_down(void **state) {
    (void)state;
    struct err err = {0};
    close(dir);
    return file_remove_tree(path, &err) ? 0 : 1;
}

static void a_text_comes_back_cut_at_the_room(void **state) {
    (void)state;
    struct err err = {0};
    char text[4];
    assert_true(file_write_at(dir, "f", "abcdef", &err));

    assert_true(file_read_at(dir, "f", text, sizeof(text)));

    assert_string_equal(text, "abc");
}

static void a_number_comes_back(void **state) {
    (void)state;
    struct err err = {0};
    int64_t value = 0;
    assert_true(file_write_i64_at(dir, "f", 1234567890123, &err));

    assert_true(file_read_i64_at(dir, "f", &value));

    assert_int_equal(value, 1234567890123);
    assert_true(file_write_at(dir, "f", "max\n         ", &err));
    assert_false(file_read_i64_at(dir, "f", &value));
}

static void a_number_that_the_kernel_changes_is_told(void **state) {
    (void)state;
    struct err err = {0};
    assert_true(file_set_i64_at(dir, "f", 123, &err));

    /* The last digits of a longer number stay: not what was written. */
    assert_true(file_write_at(dir, "f", "99999", &err));
    assert_false(file_set_i64_at(dir, "f", 123, &err));

    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_non_null(strstr(err.text, "12399"));
}

static void a_missing_file_and_a_link_are_refused(void **state) {
    (void)state;
    struct err err = {0};
    char text[8] = "x";
    assert_false(file_read_at(dir, "missing", text, sizeof(text)));
    assert_string_equal(text, "");
    assert_false(file_write_at(dir, "missing", "x", &err));
    assert_int_equal(symlinkat("f", dir, "link"), 0);
    assert_false(file_read_at(dir, "link", text, sizeof(text)));
    assert_false(file_write_at(dir, "link", "x", &err));
}

static int visited;

static bool visit(int parent, const char *name) {
    assert_int_equal(parent, dir);
    visited++;
    return strcmp(name, "b") != 0;
}

static void folders_are_visited_and_files_are_not(void **state) {
    (void)state;
    visited = 0;
    assert_true(file_each_folder(dir, visit));
    assert_int_equal(visited, 0);
    assert_int_equal(mkdirat(dir, "a", 0700), 0);
    assert_true(file_each_folder(dir, visit));
    assert_int_equal(mkdirat(dir, "b", 0700), 0);

    assert_false(file_each_folder(dir, visit));

    assert_int_equal(visited, 3);
    assert_false(file_each_folder(-1, visit));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_text_comes_back_cut_at_the_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_number_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_number_that_the_kernel_changes_is_told, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_missing_file_and_a_link_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_are_visited_and_files_are_not, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
