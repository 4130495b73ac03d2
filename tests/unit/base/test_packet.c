#include "base/packet.h"

#include "base/own.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct note {
    uint32_t number;
    char text[60];
};

static void make_pair(int pair[2]) {
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
}

static size_t open_fds(void) {
    size_t count = 0;
    for (int fd = 0; fd < 256; fd++) {
        count += fcntl(fd, F_GETFD) >= 0;
    }
    return count;
}

static void a_packet_arrives_with_its_descriptors(void **state) {
    (void)state;
    struct err err = {0};
    struct note sent = {.number = 7, .text = "seven"};
    struct note got = {0};
    int pair[2];
    int ends[2];
    int fds[4];
    size_t count = 0;
    char byte = 0;
    make_pair(pair);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);

    assert_true(packet_send(pair[0], &sent, sizeof(sent), ends, 2, &err));
    assert_int_equal(packet_receive(pair[1], &got, sizeof(got), fds, 4, &count), PACKET_GOT);

    assert_memory_equal(&got, &sent, sizeof(sent));
    assert_int_equal(count, 2);
    assert_int_equal(write(fds[1], "x", 1), 1);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_true((fcntl(fds[0], F_GETFD) & FD_CLOEXEC) != 0);
    fds_close(fds, 2);
    assert_int_equal(fds[0], -1);
    fds_close(ends, 2);
    fds_close(pair, 2);
}

static void a_packet_of_another_size_is_bad_and_leaks_nothing(void **state) {
    (void)state;
    struct err err = {0};
    struct note got = {0};
    int pair[2];
    int fds[4];
    size_t count = 9;
    make_pair(pair);
    size_t before = open_fds();

    assert_true(packet_send(pair[0], "short", 5, pair, 2, &err));
    assert_int_equal(packet_receive(pair[1], &got, sizeof(got), fds, 4, &count), PACKET_BAD);

    assert_int_equal(count, 0);
    assert_int_equal(open_fds(), before);
    fds_close(pair, 2);
}

static void too_many_descriptors_are_bad_and_closed(void **state) {
    (void)state;
    struct err err = {0};
    struct note note = {0};
    int pair[2];
    int many[6];
    int fds[2];
    size_t count = 0;
    make_pair(pair);
    for (int i = 0; i < 6; i++) {
        many[i] = pair[0];
    }
    size_t before = open_fds();

    assert_true(packet_send(pair[0], &note, sizeof(note), many, 6, &err));
    assert_int_equal(packet_receive(pair[1], &note, sizeof(note), fds, 2, &count), PACKET_BAD);

    assert_int_equal(open_fds(), before);
    fds_close(pair, 2);
}

static void an_empty_socket_has_nothing_and_a_closed_one_ends(void **state) {
    (void)state;
    struct err err = {0};
    struct note note = {0};
    int pair[2];
    int fds[1];
    size_t count = 0;
    make_pair(pair);
    assert_int_equal(fcntl(pair[1], F_SETFL, O_NONBLOCK), 0);

    assert_int_equal(packet_receive(pair[1], &note, sizeof(note), fds, 1, &count), PACKET_NONE);
    fds_close(&pair[0], 1);
    assert_int_equal(packet_receive(pair[1], &note, sizeof(note), fds, 1, &count), PACKET_END);
    assert_false(packet_send(pair[1], &note, sizeof(note), NULL, 0, &err));

    assert_int_equal(err.kind, ERR_SYSTEM);
    fds_close(&pair[1], 1);
}

static void a_copy_shares_the_offset_and_a_reopened_file_does_not(void **state) {
    (void)state;
    struct err err = {0};
    char path[] = "/tmp/packet-test-XXXXXX";
    char text[8] = "";
    int fd = mkostemp(path, O_CLOEXEC);
    own_fd copy = -1;
    own_fd again = -1;
    assert_int_equal(write(fd, "abc", 3), 3);

    assert_true(fd_copy(fd, &copy, &err));
    assert_true(fd_reopen(fd, O_RDONLY, &again, &err));

    assert_int_equal(read(copy, text, sizeof(text)), 0);
    assert_int_equal(read(again, text, sizeof(text)), 3);
    assert_true(copy >= 3);
    assert_int_equal(write(again, "x", 1), -1);
    unlink(path);
    close(fd);
    assert_false(fd_copy(-1, &copy, &err));
    assert_false(fd_reopen(-1, O_RDONLY, &again, &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_arrives_with_its_descriptors),
        cmocka_unit_test(a_packet_of_another_size_is_bad_and_leaks_nothing),
        cmocka_unit_test(too_many_descriptors_are_bad_and_closed),
        cmocka_unit_test(an_empty_socket_has_nothing_and_a_closed_one_ends),
        cmocka_unit_test(a_copy_shares_the_offset_and_a_reopened_file_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
