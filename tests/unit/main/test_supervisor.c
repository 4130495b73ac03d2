/* Children that end, fail, linger and must not be left behind. Each test runs the supervisor in a
 * process of its own; memory shared with it tells what happened. */
#include "base/clock.h"
#include "base/command.h"
#include "base/log.h"
#include "main/process.h"
#include "main/supervisor.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define CHILDREN_MAX 3
#define EVENTS_MAX 32

struct shared {
    struct supervised children[CHILDREN_MAX];
    atomic_int event_count;
    char events[EVENTS_MAX]; /* 'A' child 0 started, 'a' it ended in good order */
    atomic_int starts[CHILDREN_MAX];
    atomic_int pids[CHILDREN_MAX];
};

static struct shared *shared;

static void note(char event) {
    shared->events[atomic_fetch_add(&shared->event_count, 1)] = event;
}

static int number_of(const void *context) {
    return (int)((const struct supervised *)context - shared->children);
}

static void note_start(int number) {
    atomic_store(&shared->pids[number], getpid());
    atomic_fetch_add(&shared->starts[number], 1);
    note((char)('A' + number));
}

/* Works until it is told to stop. */
static int work(void *context) {
    struct err err = {0};
    int stop_fd = -1;
    int number = number_of(context);
    if (!process_stop_fd(&stop_fd, &err)) {
        return EXIT_STATUS_FAILED;
    }
    note_start(number);
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    (void)poll(&stop, 1, 10000);
    note((char)('a' + number));
    return EXIT_STATUS_OK;
}

static int fail_at_once(void *context) {
    note_start(number_of(context));
    return EXIT_STATUS_FAILED;
}

static int fail_once(void *context) {
    return atomic_load(&shared->starts[number_of(context)]) == 0 ? fail_at_once(context)
                                                                 : work(context);
}

static int ignore_the_end(void *context) {
    struct err err = {0};
    int stop_fd = -1;
    if (process_stop_fd(&stop_fd, &err)) { /* blocks SIGTERM; nobody reads it */
        note_start(number_of(context));
        clock_sleep_ms(&clock_real, 10000);
    }
    return EXIT_STATUS_FAILED;
}

static int become_nobody_and_work(void *context) {
    struct err err = {0};
    struct run_user user = {0};
    return run_user_choose("nobody", "", &user, &err) && run_user_become(&user, &err)
               ? work(context)
               : EXIT_STATUS_FAILED;
}

static pid_t start_supervisor(int (*const runs[])(void *), int essential, int64_t stop_ms) {
    int count = 0;
    for (; count < CHILDREN_MAX && runs[count] != NULL; count++) {
        shared->children[count] = (struct supervised){.name = "child",
                                                      .run = runs[count],
                                                      .context = &shared->children[count],
                                                      .essential = count == essential};
    }
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        _exit(supervisor_run(shared->children, count, stop_ms));
    }
    return pid;
}

static void wait_events(int count) {
    for (int i = 0; i < 1000 && atomic_load(&shared->event_count) < count; i++) {
        clock_sleep_ms(&clock_real, 5);
    }
    assert_true(atomic_load(&shared->event_count) >= count);
}

static int end_of(pid_t pid) {
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int stop(pid_t pid) {
    assert_int_equal(kill(pid, SIGTERM), 0);
    return end_of(pid);
}

static bool is_alive(int pid) {
    return kill(pid, 0) == 0;
}

static void wait_dead(int pid) {
    for (int i = 0; i < 1000 && is_alive(pid); i++) {
        clock_sleep_ms(&clock_real, 5);
    }
    assert_false(is_alive(pid));
}

static void children_start_in_order_and_end_in_reverse(void **state) {
    (void)state;
    pid_t pid = start_supervisor((int (*const[])(void *)){work, work, work}, 0, 5000);
    wait_events(3);

    int status = stop(pid);

    assert_int_equal(status, EXIT_STATUS_OK);
    assert_int_equal(atomic_load(&shared->event_count), 6);
    assert_memory_equal(shared->events + 3, "cba", 3); /* nodes before the server */
}

static void a_child_that_ends_is_started_again_later_each_time(void **state) {
    (void)state;
    pid_t pid = start_supervisor((int (*const[])(void *)){fail_at_once, work, NULL}, 1, 5000);

    wait_events(3); /* child 0 twice, child 1 once */
    clock_sleep_ms(&clock_real, 150);
    int status = stop(pid);

    assert_int_equal(status, EXIT_STATUS_OK);
    assert_int_equal(atomic_load(&shared->starts[0]), 2);
    assert_int_equal(atomic_load(&shared->starts[1]), 1);
    assert_int_equal(shared->children[0].pause_ms, 1000); /* 500, then twice that */
}

static void an_essential_child_that_cannot_start_ends_all(void **state) {
    (void)state;

    int status =
        end_of(start_supervisor((int (*const[])(void *)){fail_at_once, work, NULL}, 0, 5000));

    assert_int_equal(status, EXIT_STATUS_FAILED);
    assert_int_equal(atomic_load(&shared->starts[0]), 1);
    assert_true(atomic_load(&shared->pids[1]) == 0 || !is_alive(atomic_load(&shared->pids[1])));
}

static void nobody_waits_long_for_the_others_when_the_essential_child_cannot_start(void **state) {
    (void)state;
    int64_t started_ms = clock_mono_ms(&clock_real);

    int status = end_of(
        start_supervisor((int (*const[])(void *)){fail_at_once, ignore_the_end, NULL}, 0, 9000));

    assert_int_equal(status, EXIT_STATUS_FAILED);
    assert_true(clock_mono_ms(&clock_real) - started_ms < 5000);
}

static void an_essential_child_that_is_killed_is_started_again(void **state) {
    (void)state;
    pid_t pid = start_supervisor((int (*const[])(void *)){work, NULL}, 0, 5000);
    wait_events(1);

    assert_int_equal(kill(atomic_load(&shared->pids[0]), SIGKILL), 0);

    wait_events(2);
    assert_int_equal(stop(pid), EXIT_STATUS_OK);
    assert_int_equal(atomic_load(&shared->starts[0]), 2);
}

static void another_child_may_fail_at_first(void **state) {
    (void)state;
    pid_t pid = start_supervisor((int (*const[])(void *)){work, fail_once, NULL}, 0, 5000);

    wait_events(3);

    assert_int_equal(stop(pid), EXIT_STATUS_OK);
    assert_int_equal(atomic_load(&shared->starts[1]), 2);
}

static void a_child_that_does_not_stop_is_killed_after_its_time(void **state) {
    (void)state;
    pid_t pid = start_supervisor((int (*const[])(void *)){ignore_the_end, NULL}, 0, 200);
    wait_events(1);
    int64_t before_ms = clock_mono_ms(&clock_real);

    int status = stop(pid);

    int64_t took_ms = clock_mono_ms(&clock_real) - before_ms;
    assert_int_equal(status, EXIT_STATUS_OK);
    assert_in_range(took_ms, 200, 3000);
    assert_false(is_alive(atomic_load(&shared->pids[0])));
}

static void a_killed_supervisor_leaves_no_child_behind(void **state) {
    (void)state;
    bool root = geteuid() == 0; /* else there are no rights that a child could give up */
    pid_t pid = start_supervisor(
        (int (*const[])(void *)){work, root ? become_nobody_and_work : work, NULL}, 0, 5000);
    wait_events(2);

    assert_int_equal(kill(pid, SIGKILL), 0);
    (void)end_of(pid);

    wait_dead(atomic_load(&shared->pids[0]));
    wait_dead(atomic_load(&shared->pids[1]));
    assert_int_equal(atomic_load(&shared->event_count), 4); /* both ended in good order */
}

static void a_child_does_not_get_the_terminals_interrupt(void **state) {
    (void)state;
    pid_t pid = start_supervisor((int (*const[])(void *)){work, NULL}, 0, 5000);
    wait_events(1);

    assert_int_equal(getpgid(atomic_load(&shared->pids[0])), atomic_load(&shared->pids[0]));

    assert_int_equal(stop(pid), EXIT_STATUS_OK);
}

static int set_up(void **state) {
    (void)state;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED ? -1 : 0;
}

static int tear_down(void **state) {
    (void)state;
    return munmap(shared, sizeof *shared);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    log_setup(LOG_ERROR, LOG_FORMAT_JSON, 2, "test");
    const struct CMUnitTest tests[] = {
        TEST(children_start_in_order_and_end_in_reverse),
        TEST(a_child_that_ends_is_started_again_later_each_time),
        TEST(an_essential_child_that_cannot_start_ends_all),
        TEST(nobody_waits_long_for_the_others_when_the_essential_child_cannot_start),
        TEST(an_essential_child_that_is_killed_is_started_again),
        TEST(another_child_may_fail_at_first),
        TEST(a_child_that_does_not_stop_is_killed_after_its_time),
        TEST(a_killed_supervisor_leaves_no_child_behind),
        TEST(a_child_does_not_get_the_terminals_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
