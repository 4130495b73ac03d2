#include "base/own.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"
#include <errno.h>
#include <stdlib.h>

static void leaving_the_scope_closes_the_descriptor(void **state) {
    (void)state;
    int seen = -1;
    {
        own_fd fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        seen = fd;
        assert_true(fcntl(seen, F_GETFD) >= 0);
    }
    assert_int_equal(fcntl(seen, F_GETFD), -1);
    assert_int_equal(errno, EBADF);
}

static void a_taken_descriptor_stays_open(void **state) {
    (void)state;
    int taken = -1;
    {
        own_fd fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        taken = take_fd(&fd);
        assert_int_equal(fd, -1);
    }
    assert_true(fcntl(taken, F_GETFD) >= 0);
    close(taken);
}

static void closing_keeps_errno(void **state) {
    (void)state;
    errno = ENOENT;
    {
        own_fd bad = 9999;
        assert_int_equal(bad, 9999);
    }
    assert_int_equal(errno, ENOENT);
}

static void a_taken_pointer_leaves_null_behind(void **state) {
    (void)state;
    char *kept = NULL;
    {
        own_text text = malloc(4);
        assert_non_null(text);
        kept = take(text);
        assert_null(text);
    }
    kept[0] = 'x'; /* still ours: the address sanitizer would tell */
    free(kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaving_the_scope_closes_the_descriptor),
        cmocka_unit_test(a_taken_descriptor_stays_open),
        cmocka_unit_test(closing_keeps_errno),
        cmocka_unit_test(a_taken_pointer_leaves_null_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
