#include "box/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static struct supervisor box;

static struct stream open_stream(int64_t bytes_max, bool keep, int *ret_end) {
    struct stream stream = {.from = -1, .kept = -1, .keep = keep, .bytes_max = bytes_max};
    struct err err = {0};
    assert_true(stream_open(&stream, geteuid(), ret_end, &err));
    return stream;
}

static void what_is_written_is_counted_and_kept(void **state) {
    (void)state;
    char text[16] = "";
    int end = -1;
    struct stream stream = open_stream(100, true, &end);
    assert_int_equal(write(end, "hello", 5), 5);

    assert_true(stream_drain(&stream));
    close(end);
    assert_true(stream_drain(&stream));

    assert_int_equal(stream.bytes, 5);
    assert_int_equal(stream.from, -1);
    int taken = stream_take(&box, &stream);
    assert_int_equal(read(taken, text, sizeof(text)), 5);
    assert_string_equal(text, "hello");
    assert_int_equal(pwrite(taken, "x", 1, 0), -1);
    assert_int_equal(errno, EPERM); /* sealed */
    close(taken);
    stream_close(&stream);
}

static void exactly_the_maximum_is_right_and_one_more_is_not(void **state) {
    (void)state;
    int end = -1;
    struct stream stream = open_stream(5, true, &end);
    assert_int_equal(write(end, "12345", 5), 5);
    assert_true(stream_drain(&stream));

    assert_int_equal(write(end, "6", 1), 1);
    assert_false(stream_drain(&stream));

    assert_int_equal(stream.bytes, 6);
    int taken = stream_take(&box, &stream);
    assert_int_equal(lseek(taken, 0, SEEK_END), 5);
    close(taken);
    close(end);
    stream_close(&stream);
}

static void a_stream_that_is_not_kept_is_counted_all_the_same(void **state) {
    (void)state;
    int end = -1;
    struct stream stream = open_stream(3, false, &end);
    assert_int_equal(write(end, "1234", 4), 4);

    assert_false(stream_drain(&stream));

    assert_int_equal(stream.bytes, 4);
    assert_int_equal(stream.kept, -1);
    close(end);
    stream_close(&stream);
}

static void the_programs_end_blocks_and_ours_does_not(void **state) {
    (void)state;
    int end = -1;
    struct stream stream = open_stream(3, true, &end);

    assert_true(stream_drain(&stream)); /* nothing there: comes back at once */

    assert_int_equal(fcntl(end, F_GETFL) & O_NONBLOCK, 0);
    close(end);
    stream_close(&stream);
}

static void a_memory_file_is_sealed_and_read_from_its_start(void **state) {
    (void)state;
    struct err err = {0};
    char text[8] = "";
    int memory = memfd_create("m", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    own_fd first = -1;
    own_fd second = -1;
    assert_int_equal(write(memory, "abc", 3), 3);

    assert_true(stream_input(memory, &first, &err));
    assert_true(stream_input(memory, &second, &err));

    assert_int_equal(read(first, text, sizeof(text)), 3);
    assert_int_equal(read(second, text, sizeof(text)), 3); /* each has its own offset */
    assert_int_equal(pwrite(memory, "x", 1, 0), -1);
    assert_int_equal(write(first, "x", 1), -1);
    close(memory);
}

static void a_memory_file_that_cannot_be_sealed_is_copied(void **state) {
    (void)state;
    struct err err = {0};
    char text[8] = "";
    int memory = memfd_create("m", MFD_CLOEXEC); /* sealed against seals */
    own_fd input = -1;
    assert_int_equal(write(memory, "abc", 3), 3);

    assert_true(stream_input(memory, &input, &err));
    assert_int_equal(pwrite(memory, "x", 1, 0), 1);

    assert_int_equal(read(input, text, sizeof(text)), 3);
    assert_string_equal(text, "abc");
    close(memory);
}

static void folders_and_devices_are_no_input(void **state) {
    (void)state;
    static const char *const paths[] = {"/", "/dev/zero"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct err err = {0};
        int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
        int input = -1;

        assert_false(stream_input(fd, &input, &err));

        assert_int_equal(err.kind, ERR_INVALID);
        close(fd);
    }
}

static int set_up(void **state) {
    (void)state;
    box.empty = memfd_create("empty", MFD_CLOEXEC);
    return box.empty < 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_counted_and_kept),
        cmocka_unit_test(exactly_the_maximum_is_right_and_one_more_is_not),
        cmocka_unit_test(a_stream_that_is_not_kept_is_counted_all_the_same),
        cmocka_unit_test(the_programs_end_blocks_and_ours_does_not),
        cmocka_unit_test(a_memory_file_is_sealed_and_read_from_its_start),
        cmocka_unit_test(a_memory_file_that_cannot_be_sealed_is_copied),
        cmocka_unit_test(folders_and_devices_are_no_input),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
