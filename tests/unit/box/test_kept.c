#include "box/supervisor.h"

#include "base/frozen.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define FILES 12

static int frozen[FILES];
static struct launcher_handle launcher;
static struct launch_order order;

static int make(bool seal) {
    int fd = memfd_create("kept-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(write(fd, "bytes", 5), 5);
    assert_true(!seal || fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) == 0);
    return fd;
}

static int set_up(void **state) {
    (void)state;
    memset(&launcher, 0, sizeof(launcher));
    for (int i = 0; i < FILES; i++) {
        frozen[i] = make(true);
    }
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (int i = 0; i < FILES; i++) {
        close(frozen[i]);
    }
    return 0;
}

static void choose(const int *fds, uint32_t count, uint8_t bits) {
    memset(&order, 0, sizeof(order));
    order.start.file_count = count;
    memset(order.start.file_bits, bits, count);
    kept_choose(&launcher, &order, fds);
}

static void a_file_is_put_once_and_found_again(void **state) {
    (void)state;
    choose(frozen, 1, FILE_KEPT);
    int place = order.places[0];
    assert_true(place >= 0);
    assert_true(order.put_first[0]);

    choose(frozen, 1, FILE_KEPT);

    assert_int_equal(order.places[0], place);
    assert_false(order.put_first[0]);
}

static void the_executable_is_another_file(void **state) {
    (void)state;
    choose(frozen, 1, FILE_KEPT);
    int place = order.places[0];

    choose(frozen, 1, FILE_KEPT | FILE_EXECUTABLE);

    assert_true(order.put_first[0]);
    assert_int_not_equal(order.places[0], place);
}

static void what_can_change_is_copied(void **state) {
    (void)state;
    int open_file = make(false);
    choose(&open_file, 1, FILE_KEPT);
    assert_int_equal(order.places[0], -1);

    choose(frozen, 1, FILE_KEPT | FILE_WRITABLE);
    assert_int_equal(order.places[0], -1);
    choose(frozen, 1, 0);
    assert_int_equal(order.places[0], -1);
    close(open_file);
}

/* An order that finds one file and puts others must not put one over it. */
static void one_order_never_uses_a_place_twice(void **state) {
    (void)state;
    for (int turn = 0; turn < 20; turn++) {
        int fds[FILES];
        bool used[LAUNCH_KEPT_MAX] = {false};
        int copied = 0;
        for (int i = 0; i < FILES; i++) {
            fds[i] = frozen[(i * 5 + turn * 7) % FILES];
        }
        choose(fds, FILES, FILE_KEPT);
        for (int i = 0; i < FILES; i++) {
            if (order.places[i] < 0) {
                copied++;
                continue;
            }
            assert_false(used[order.places[i]]);
            used[order.places[i]] = true;
        }
        assert_int_equal(copied, FILES - LAUNCH_KEPT_MAX);
    }
}

static void an_old_file_makes_room(void **state) {
    (void)state;
    for (int i = 0; i <= LAUNCH_KEPT_MAX; i++) {
        choose(&frozen[i], 1, FILE_KEPT);
        assert_true(order.put_first[0]);
    }

    choose(&frozen[0], 1, FILE_KEPT); /* its place was taken by the last one */

    assert_true(order.put_first[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_is_put_once_and_found_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_executable_is_another_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_can_change_is_copied, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_order_never_uses_a_place_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_old_file_makes_room, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
