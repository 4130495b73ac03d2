/* Which prepared folders go, and which never do. */
#include "base/file.h"
#include "base/own.h"
#include "judge/prepared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DAY_S 86400

static char above[64];

static int setup(void **state) {
    (void)state;
    (void)snprintf(above, sizeof above, "/tmp/assize-prepared-XXXXXX");
    return mkdtemp(above) == NULL ? -1 : 0;
}

static int teardown(void **state) {
    struct err err = {0};
    (void)state;
    return file_remove_tree(above, &err) ? 0 : -1;
}

static const char *path_of(const char *name) {
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", above, name);
    return path;
}

/* With a file in it, last used at that second. */
static void make(const char *name, int64_t used_s) {
    const struct timespec times[2] = {{.tv_sec = used_s}, {.tv_sec = used_s}};
    char inside[32];
    struct err err = {0};
    (void)snprintf(inside, sizeof inside, "%s/bits", name);
    assert_true(file_make_dirs(path_of(inside), 0755, &err));
    assert_int_equal(utimensat(AT_FDCWD, path_of(name), times, 0), 0);
}

static bool is_there(const char *name) {
    struct stat status;
    return stat(path_of(name), &status) == 0;
}

static void what_was_not_used_for_longest_goes(void **state) {
    (void)state;
    make("b", 200);
    make("a", 100);
    make("d", 400);
    make("c", 300);

    prepared_prune(above, 2, 0);

    assert_false(is_there("a"));
    assert_false(is_there("b"));
    assert_true(is_there("c"));
    assert_true(is_there("d"));
}

static void what_somebody_uses_never_goes(void **state) {
    (void)state;
    own_fd held = -1;
    make("a", 100);
    make("b", 200);
    assert_true(prepared_hold(path_of("a"), &held));
    const struct timespec old[2] = {{.tv_sec = 100}, {.tv_sec = 100}};
    assert_int_equal(futimens(held, old), 0);

    prepared_prune(above, 0, 0);

    assert_true(is_there("a"));
    assert_false(is_there("b"));
    fd_cleanup(&held);
    held = -1;
    prepared_prune(above, 0, 0);
    assert_false(is_there("a"));
}

static void using_a_folder_keeps_it_from_being_the_oldest(void **state) {
    (void)state;
    own_fd held = -1;
    make("a", 100);
    make("b", 200);
    assert_true(prepared_hold(path_of("a"), &held));
    fd_cleanup(&held);
    held = -1;

    prepared_prune(above, 1, 0);

    assert_true(is_there("a"));
    assert_false(is_there("b"));
}

static void a_folder_that_is_gone_is_not_held(void **state) {
    (void)state;
    int held = -1;

    assert_false(prepared_hold(path_of("a"), &held));

    assert_int_equal(held, -1);
}

/* One judge opens a folder that another is just removing: whether it comes to wait for the lock or
 * finds nothing, it has none. */
static void what_is_being_removed_is_not_held(void **state) {
    (void)state;
    make("a", 100);
    own_fd remover = open(path_of("a"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(remover, LOCK_EX), 0);
    pid_t waiter = fork();
    if (waiter == 0) {
        int held = -1;
        (void)close(remover); /* else the lock would be this process's, too */
        _exit(prepared_hold(path_of("a"), &held) ? 1 : 0);
    }
    assert_true(waiter > 0);
    int status = 0;
    struct err err = {0};
    assert_true(file_remove_tree(path_of("a"), &err));
    fd_cleanup(&remover);
    remover = -1;

    assert_int_equal(waitpid(waiter, &status, 0), waiter);
    assert_int_equal(status, 0);
}

static void what_was_left_half_made_goes_after_a_day(void **state) {
    (void)state;
    make("a.12-0", 100);
    make("b.13-1", 100 + DAY_S);

    prepared_prune(above, 0, (int64_t)(200 + DAY_S) * 1000);

    assert_false(is_there("a.12-0"));
    assert_true(is_there("b.13-1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_not_used_for_longest_goes, setup, teardown),
        cmocka_unit_test_setup_teardown(what_somebody_uses_never_goes, setup, teardown),
        cmocka_unit_test_setup_teardown(using_a_folder_keeps_it_from_being_the_oldest, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_folder_that_is_gone_is_not_held, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_being_removed_is_not_held, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_left_half_made_goes_after_a_day, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
