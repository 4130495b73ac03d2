/* The rate of durable writes. */
#include "base/file.h"
#include "bench/disk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void a_folder_is_measured_and_left_empty(void **state) {
    (void)state;
    char folder[] = "/tmp/assize-disk-XXXXXX";
    struct disk_rate rate = {0};
    struct err err = {0};
    assert_non_null(mkdtemp(folder));

    assert_true(disk_rate_measure(folder, 10, &rate, &err));

    assert_true(rate.overwrites > 0);
    assert_true(rate.appends > 0);
    assert_int_equal(rmdir(folder), 0);
}

static void a_missing_folder_is_an_error(void **state) {
    (void)state;
    struct disk_rate rate = {0};
    struct err err = {0};

    assert_false(disk_rate_measure("/tmp/no-such-folder-here", 10, &rate, &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_is_measured_and_left_empty),
        cmocka_unit_test(a_missing_folder_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
