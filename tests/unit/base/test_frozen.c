#include "base/frozen.h"

#include "base/file.h"
#include "base/packet.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int plain_file(mode_t mode) {
    char path[] = "/tmp/frozen-test-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "before\n", 7), 7);
    assert_int_equal(fchmod(fd, mode), 0);
    unlink(path);
    return fd;
}

static void assert_text(int fd, const char *expected) {
    char text[32] = "";
    assert_true(pread(fd, text, sizeof(text) - 1, 0) >= 0);
    assert_string_equal(text, expected);
}

/* Neither by the descriptor nor by opening its file again. */
static void assert_unchangeable(int fd) {
    struct err err = {0};
    int again = -1;
    assert_int_equal(write(fd, "x", 1), -1);
    if (fd_reopen(fd, O_RDWR, &again, &err)) {
        assert_int_equal(write(again, "x", 1), -1);
        assert_int_equal(ftruncate(again, 0), -1);
        close(again);
    }
}

static void a_memory_file_is_sealed_itself(void **state) {
    (void)state;
    struct err err = {0};
    int file = -1;
    int frozen = -1;
    assert_true(file_memory("open", STR("before\n"), false, &file, &err));
    assert_false(fd_is_frozen(file));

    assert_true(fd_freeze(file, &frozen, &err));

    assert_true(fd_is_frozen(file));
    assert_true(fd_is_frozen(frozen));
    assert_unchangeable(frozen);
    assert_text(frozen, "before\n");
    close(file);
    close(frozen);
}

static void a_file_that_only_its_owner_reads_is_copied(void **state) {
    (void)state;
    struct err err = {0};
    int frozen = -1;
    int file = plain_file(0600);

    assert_true(fd_freeze(file, &frozen, &err));

    assert_true(fd_is_frozen(frozen));
    assert_int_equal(pwrite(file, "after!", 6, 0), 6);
    assert_text(frozen, "before\n");
    assert_unchangeable(frozen);
    close(file);
    close(frozen);
}

static void a_file_that_all_may_read_is_only_copied_when_asked(void **state) {
    (void)state;
    struct err err = {0};
    int same = -1;
    int copy = -1;
    int file = plain_file(0444);

    assert_true(fd_freeze(file, &same, &err));
    assert_true(fd_freeze_copy(file, &copy, &err));

    assert_false(fd_is_frozen(same));
    assert_true(fd_is_frozen(copy));
    assert_text(same, "before\n");
    assert_text(copy, "before\n");
    close(file);
    close(same);
    close(copy);
}

static void what_is_no_plain_file_is_refused(void **state) {
    (void)state;
    struct err err = {0};
    int frozen = -1;
    int ends[2];
    assert_int_equal(pipe(ends), 0);

    assert_false(fd_freeze(ends[0], &frozen, &err));

    assert_int_equal(err.kind, ERR_INVALID);
    close(ends[0]);
    close(ends[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_memory_file_is_sealed_itself),
        cmocka_unit_test(a_file_that_only_its_owner_reads_is_copied),
        cmocka_unit_test(a_file_that_all_may_read_is_only_copied_when_asked),
        cmocka_unit_test(what_is_no_plain_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
