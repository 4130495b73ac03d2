/* Anonymous files. */
#include "package/scratch.h"

#include "base/file.h"
#include "base/limits.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void a_scratch_file_has_no_name(void **state) {
    (void)state;
    struct err err = {0};
    struct stat status = {0};
    own_fd fd = -1;

    assert_true(scratch_create(&fd, &err));

    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_nlink, 0);
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

static void it_works_where_no_folder_takes_it(void **state) {
    (void)state;
    struct err err = {0};
    own_fd fd = -1;
    setenv("TMPDIR", "/proc", 1);

    assert_true(scratch_create(&fd, &err));

    unsetenv("TMPDIR");
    assert_true(file_write_all(fd, STR("x"), &err));
}

static void a_range_becomes_a_file_of_its_own(void **state) {
    (void)state;
    const size_t sizes[] = {0, 1, 100, 64 * KIB, 2 * MIB + 7};
    struct err err = {0};
    own_fd from = -1;
    size_t total = 3 * (size_t)MIB;
    char *content = malloc(total);
    assert_non_null(content);
    for (size_t i = 0; i < total; i++) {
        content[i] = (char)(i * 7 + i / 251);
    }
    assert_true(scratch_create(&from, &err));
    assert_true(file_write_all(from, str_of(content, total), &err));

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        own_fd copy = -1;
        own_buf text;
        buf_init(&text, total);
        assert_true(scratch_copy(from, 12345, (int64_t)sizes[i], &copy, &err));
        assert_true(file_read_all(copy, total, &text, &err));
        assert_int_equal(text.len, sizes[i]);
        assert_true(str_eq(buf_str(&text), str_of(content + 12345, sizes[i])));
    }
    free(content);
}

static void a_range_beyond_the_end_is_an_error(void **state) {
    (void)state;
    struct err err = {0};
    own_fd from = -1;
    int copy = -1;
    assert_true(scratch_create(&from, &err));
    assert_true(file_write_all(from, STR("short"), &err));

    assert_false(scratch_copy(from, 2, 100, &copy, &err));

    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_int_equal(copy, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scratch_file_has_no_name),
        cmocka_unit_test(it_works_where_no_folder_takes_it),
        cmocka_unit_test(a_range_becomes_a_file_of_its_own),
        cmocka_unit_test(a_range_beyond_the_end_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
