#include "box/box.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The client with a box behind it is tested in tests/box, as root. */

static void a_result_closes_what_it_owns(void **state) {
    (void)state;
    struct box_result result;
    box_result_init(&result);
    result.run = 1;
    result.stream_fds[1] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    result.output_fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int first = result.stream_fds[1];
    int second = result.output_fds[0];

    box_result_done(&result);

    assert_int_equal(fcntl(first, F_GETFD), -1);
    assert_int_equal(fcntl(second, F_GETFD), -1);
    box_result_done(&result);
    box_result_done(NULL);
    struct box_result zeroed = {0};
    box_result_done(&zeroed);
    assert_true(fcntl(0, F_GETFD) >= 0); /* a zeroed result owns no descriptor 0 */
}

static void wrong_options_are_refused_before_anything_starts(void **state) {
    (void)state;
    static const struct box_options wrong[] = {
        {.slots = 0},
        {.slots = -1},
        {.slots = BOX_SLOTS_MAX + 1},
        {.slots = 1, .cgroup_name = ""},
        {.slots = 1, .cgroup_name = "a/b"},
        {.slots = 1, .cgroup_name = ".."},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct err err = {0};
        struct box *box = NULL;

        assert_false(box_open(&wrong[i], &box, &err));

        assert_int_equal(err.kind, ERR_INVALID);
        assert_null(box);
    }
}

static void closing_nothing_is_fine(void **state) {
    (void)state;
    struct box *box = NULL;
    box_close(box);
    assert_null(box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_closes_what_it_owns),
        cmocka_unit_test(wrong_options_are_refused_before_anything_starts),
        cmocka_unit_test(closing_nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
