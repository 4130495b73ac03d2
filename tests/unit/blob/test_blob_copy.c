/* Copying what is to be stored. Limits and digests: the contract of every kind of store. */
#include "blob/blob_copy.h"

#include "base/file.h"
#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void a_spooled_file_has_no_name_and_takes_what_is_copied(void **state) {
    (void)state;
    own_fd fd = -1;
    struct stat status;
    struct blob_source source = {.bytes = STR("hello"), .fd = -1, .bytes_max = 5};
    struct blob_info info = {0};
    struct digest expected = digest_of(STR("hello"));
    char text[8] = {0};
    struct err err = {0};

    assert_true(blob_spool("/tmp", &fd, &err));
    assert_true(blob_copy(fd, &source, &info, &err));

    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_nlink, 0);
    assert_int_equal(info.bytes, 5);
    assert_true(digest_equal(&info.digest, &expected));
    assert_int_equal(pread(fd, text, sizeof text, 0), 5);
    assert_memory_equal(text, "hello", 5);
}

static void a_descriptor_that_cannot_be_read_is_an_error(void **state) {
    (void)state;
    own_fd fd = -1;
    own_fd closed = -1;
    struct blob_info info = {.bytes = -5};
    struct err err = {0};
    assert_true(blob_spool("/tmp", &fd, &err));
    assert_true(file_open_read("/tmp", &closed, &err)); /* a folder */
    struct blob_source source = {.fd = closed, .bytes_max = 5};

    assert_false(blob_copy(fd, &source, &info, &err));

    assert_string_equal(err.code, "blob_failed");
    assert_int_equal(info.bytes, -5);
}

static void a_folder_that_is_not_there_is_named(void **state) {
    (void)state;
    own_fd fd = -1;
    struct err err = {0};

    assert_false(blob_spool("/nonexistent/spool", &fd, &err));

    assert_non_null(strstr(err.text, "/nonexistent/spool"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spooled_file_has_no_name_and_takes_what_is_copied),
        cmocka_unit_test(a_descriptor_that_cannot_be_read_is_an_error),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
