#include "box/message.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct box_request request;

static void set_right(void) {
    request = (struct box_request){
        .magic = MESSAGE_MAGIC,
        .kind = REQUEST_START,
        .slot = 1,
        .start = {.profile = BOX_PROFILE_NATIVE,
                  .limits = {.cpu_ms = 1000,
                             .wall_ms = 3000,
                             .memory_bytes = 64 * MIB,
                             .file_bytes = MIB,
                             .work_bytes = MIB,
                             .work_inodes = 100,
                             .pids_max = 1,
                             .open_files_max = 16},
                  .streams = {{.kind = BOX_STREAM_FD},
                              {.kind = BOX_STREAM_CAPTURE, .bytes_max = 100},
                              {.kind = BOX_STREAM_NULL, .bytes_max = 100}},
                  .argc = 2,
                  .argv = "/w/prog\0-x",
                  .envc = 1,
                  .env = "HOME=/w",
                  .root_count = 1,
                  .roots = {"/usr"},
                  .file_count = 1,
                  .file_bits = {FILE_EXECUTABLE | FILE_KEPT},
                  .output_count = 1,
                  .names = "prog\0out",
                  .output_file_bytes_max = 100},
    };
}

static bool is_right(size_t fd_count) {
    struct err err = {0};
    bool right = message_check(&request, 4, fd_count, &err);
    assert_true(right || (err.kind == ERR_INVALID && err.text[0] != '\0'));
    return right;
}

static void a_right_request_passes(void **state) {
    (void)state;
    set_right();
    assert_true(is_right(2));
    request.start.service = 1;
    request.start.streams[1].kind = BOX_STREAM_FD;
    assert_true(is_right(3));
    request.start.profile = BOX_PROFILE_SERVER;
    request.start.service_fd_count = BOX_SERVICE_FDS_MAX;
    assert_true(is_right(3 + BOX_SERVICE_FDS_MAX));
    request.kind = REQUEST_KILL;
    assert_true(is_right(0));
}

/* Each spoils one field of a right request. */
static void spoil_magic(void) {
    request.magic ^= 1;
}
static void spoil_kind(void) {
    request.kind = 77;
}
static void spoil_slot(void) {
    request.slot = 4;
}
static void spoil_negative_slot(void) {
    request.slot = -1;
}
static void spoil_profile(void) {
    request.start.profile = 0;
}
static void spoil_profile_high(void) {
    request.start.profile = BOX_PROFILE_COUNT;
}
static void spoil_service(void) {
    request.start.service = 2;
}
static void spoil_argc(void) {
    request.start.argc = 0;
}
static void spoil_argc_high(void) {
    request.start.argc = MESSAGE_ARGS_MAX + 1;
}
static void spoil_argv_relative(void) {
    request.start.argv[0] = 'w';
}
static void spoil_argv_end(void) {
    memset(request.start.argv + 1, 'x', BOX_ARGV_BYTES_MAX - 1);
}
static void spoil_env_end(void) {
    memset(request.start.env, 'x', BOX_ENV_BYTES_MAX);
}
static void spoil_envc(void) {
    request.start.envc = UINT32_MAX;
}
static void spoil_root_count(void) {
    request.start.root_count = BOX_ROOTS_MAX + 1;
}
static void spoil_root(void) {
    memcpy(request.start.roots[0], "/../etc", 8);
}
static void spoil_root_relative(void) {
    memcpy(request.start.roots[0], "usr", 4);
}
static void spoil_root_top(void) {
    memcpy(request.start.roots[0], "/", 2);
}
static void spoil_root_end(void) {
    memset(request.start.roots[0], 'x', MESSAGE_ROOT_BYTES_MAX);
}
static void spoil_file_count(void) {
    request.start.file_count = BOX_FILES_MAX + 1;
}
static void spoil_file(void) {
    memcpy(request.start.names, "../x\0out", 9);
}
static void spoil_file_absolute(void) {
    memcpy(request.start.names, "/etc/x\0out", 11);
}
static void spoil_file_end(void) {
    memset(request.start.names, 'x', BOX_NAMES_BYTES_MAX);
}
static void spoil_output(void) {
    memcpy(request.start.names, "prog\0a/../../b", 15);
}
static void spoil_output_count(void) {
    request.start.output_count = UINT32_MAX;
}
static void spoil_output_max(void) {
    request.start.output_file_bytes_max = -1;
}
static void spoil_file_bits(void) {
    request.start.file_bits[0] = FILE_BITS + 1;
}
static void spoil_server(void) {
    request.start.profile = BOX_PROFILE_SERVER; /* of no service */
}
static void spoil_service_fds(void) {
    request.start.service_fd_count = 1; /* of no service; the descriptor is the file's */
    request.start.file_count = 0;
    request.start.output_count = 2;
}
static void spoil_service_fd_count(void) {
    request.start.service = 1;
    request.start.service_fd_count = UINT32_MAX; /* one less than none */
    request.start.file_count = 2;
    request.start.output_count = 0;
}
static void spoil_stream_kind(void) {
    request.start.streams[2].kind = 9;
}
static void spoil_stream_in(void) {
    request.start.streams[0].kind = BOX_STREAM_CAPTURE;
}
static void spoil_stream_max(void) {
    request.start.streams[1].bytes_max = 0;
}
static void spoil_stream_fd(void) {
    request.start.streams[1].kind = BOX_STREAM_FD;
}
static void spoil_pipe(void) {
    request.start.streams[1] = (struct message_stream){.kind = BOX_STREAM_PIPE, .pipe = 8};
}
static void spoil_pipe_negative(void) {
    request.start.streams[1] = (struct message_stream){.kind = BOX_STREAM_PIPE, .pipe = -1};
}
static void spoil_two_pipes(void) {
    request.start.streams[1] = (struct message_stream){.kind = BOX_STREAM_PIPE};
    request.start.streams[2] = (struct message_stream){.kind = BOX_STREAM_PIPE, .pipe = 1};
}

static void (*const spoilers[])(void) = {
    spoil_magic,         spoil_kind,          spoil_slot,          spoil_negative_slot,
    spoil_profile,       spoil_profile_high,  spoil_service,       spoil_argc,
    spoil_argc_high,     spoil_argv_relative, spoil_argv_end,      spoil_env_end,
    spoil_envc,          spoil_root_count,    spoil_root,          spoil_root_relative,
    spoil_root_top,      spoil_root_end,      spoil_file_count,    spoil_file,
    spoil_file_absolute, spoil_file_end,      spoil_output,        spoil_output_count,
    spoil_output_max,    spoil_stream_kind,   spoil_stream_in,     spoil_stream_max,
    spoil_stream_fd,     spoil_pipe,          spoil_pipe_negative, spoil_two_pipes,
    spoil_file_bits,     spoil_server,        spoil_service_fds,   spoil_service_fd_count,
};

static void every_spoilt_field_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(spoilers) / sizeof(spoilers[0]); i++) {
        set_right();
        assert_true(is_right(2));

        spoilers[i]();

        if (is_right(2)) {
            fail_msg("spoiler %zu was not noticed", i);
        }
    }
}

static void descriptors_must_be_as_many_as_the_request_names(void **state) {
    (void)state;
    set_right();
    assert_false(is_right(1));
    assert_false(is_right(3));
    request.kind = REQUEST_SLOT_OPEN;
    assert_false(is_right(1));
    assert_true(is_right(0));
}

static void limits_have_both_bounds(void **state) {
    (void)state;
    static const int64_t wide[] = {INT64_MIN, -1, INT64_MAX};
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
        int64_t *fields[] = {
            &request.start.limits.cpu_ms,         &request.start.limits.wall_ms,
            &request.start.limits.file_bytes,     &request.start.limits.memory_bytes,
            &request.start.limits.work_bytes,     &request.start.limits.stack_bytes,
            &request.start.limits.work_inodes,    &request.start.limits.pids_max,
            &request.start.limits.open_files_max,
        };
        for (size_t j = 0; j < sizeof(fields) / sizeof(fields[0]); j++) {
            set_right();
            *fields[j] = wide[i];
            assert_false(is_right(2));
        }
    }
    set_right();
    request.start.limits.cpu_ms = 0;
    assert_false(is_right(2));
}

static void an_error_becomes_a_number(void **state) {
    (void)state;
    struct err err = {0};
    struct box_answer answer = {0};
    (void)err_set(&err, ERR_BUSY, "box_slot_full", "full");
    message_error_to(&err, &answer);
    assert_int_equal(answer.error_kind, ERR_BUSY);
    assert_int_equal(answer.error_code, CODE_SLOT_FULL);

    (void)err_set(&err, ERR_SYSTEM, "another_code", "disk");
    message_error_to(&err, &answer);

    assert_int_equal(answer.error_code, CODE_FAILED);
    assert_string_equal(answer.error_text, "disk");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_request_passes),
        cmocka_unit_test(every_spoilt_field_is_refused),
        cmocka_unit_test(descriptors_must_be_as_many_as_the_request_names),
        cmocka_unit_test(limits_have_both_bounds),
        cmocka_unit_test(an_error_becomes_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
