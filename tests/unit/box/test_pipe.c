#include "box/supervisor.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cmocka.h>

static struct supervisor box;
static struct slot *slot;

static int set_up(void **state) {
    (void)state;
    sigset_t pipe_signal; /* the box blocks every signal */
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe_signal, NULL);
    box.epoll = epoll_create1(EPOLL_CLOEXEC);
    slot = &box.slots[0];
    /* The pipes then belong to this user, which needs no right. */
    *slot = (struct slot){.box = &box, .state = SLOT_OPEN, .uid_base = geteuid() - 1};
    return box.epoll < 0;
}

static int tear_down(void **state) {
    (void)state;
    pipe_close(&slot->pipes[0]);
    return close(box.epoll);
}

static int writer(int64_t bytes_max) {
    struct message_stream stream = {.kind = BOX_STREAM_PIPE, .pipe = 0, .bytes_max = bytes_max};
    struct err err = {0};
    int end = -1;
    assert_true(pipe_writer(slot, &stream, &end, &err));
    return end;
}

static int reader(void) {
    struct err err = {0};
    int end = -1;
    assert_true(pipe_reader(slot, 0, &end, &err));
    return end;
}

static void without_a_maximum_the_two_share_one_pipe(void **state) {
    (void)state;
    char text[4] = "";
    int in = writer(0);
    assert_true(pipe_is_half_open(&slot->pipes[0]));
    int out = reader();

    assert_false(pipe_is_half_open(&slot->pipes[0]));
    assert_int_equal(write(in, "abc", 3), 3);
    assert_int_equal(read(out, text, 3), 3);
    close(in);
    assert_int_equal(read(out, text, 3), 0); /* the box holds no end open */
    close(out);
}

static void with_a_maximum_the_box_counts_in_between(void **state) {
    (void)state;
    char text[8] = "";
    int out = reader(); /* either end may come first */
    int in = writer(4);
    assert_int_equal(write(in, "abcd", 4), 4);
    assert_int_equal(pipe_written(&slot->pipes[0]), 4); /* waiting counts */

    assert_true(pipe_relay(&slot->pipes[0]));

    assert_int_equal(read(out, text, sizeof(text)), 4);
    assert_int_equal(write(in, "e", 1), 1);
    assert_false(pipe_relay(&slot->pipes[0]));
    assert_int_equal(pipe_written(&slot->pipes[0]), 5);
    close(in);
    close(out);
}

static void the_end_of_one_side_reaches_the_other(void **state) {
    (void)state;
    char byte = 0;
    int in = writer(100);
    int out = reader();
    close(in);
    assert_true(pipe_relay(&slot->pipes[0]));
    assert_int_equal(read(out, &byte, 1), 0);
    assert_true(slot->pipes[0].ended_ns < INT64_MAX);
    close(out);

    in = writer(100); /* a new pipe under the same number */
    out = reader();
    close(out);
    assert_int_equal(write(in, "x", 1), 1);
    assert_true(pipe_relay(&slot->pipes[0]));
    assert_true(slot->pipes[0].ended_ns == INT64_MAX); /* its writer is there */
    assert_int_equal(slot->pipes[0].from, -1);         /* so that the writer's next write fails */
    close(in);
}

static void an_end_is_given_once_until_its_job_is_over(void **state) {
    (void)state;
    struct message_stream stream = {.kind = BOX_STREAM_PIPE, .pipe = 0};
    struct message_start start = {.streams = {{.kind = BOX_STREAM_NULL},
                                              {.kind = BOX_STREAM_PIPE, .pipe = 0},
                                              {.kind = BOX_STREAM_NULL}}};
    struct err err = {0};
    int other = -1;
    int in = writer(0);

    assert_false(pipe_writer(slot, &stream, &other, &err));
    assert_int_equal(err.kind, ERR_INVALID);
    pipe_forget(slot, &start);

    assert_true(pipe_writer(slot, &stream, &other, &err));
    close(in);
    close(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_a_maximum_the_two_share_one_pipe, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(with_a_maximum_the_box_counts_in_between, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_end_of_one_side_reaches_the_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_end_is_given_once_until_its_job_is_over, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
