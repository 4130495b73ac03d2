#include "box_client/pack.h"

#include "base/texts.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char *const argv[] = {"/w/prog", "-x", NULL};
static const char *const environment[] = {"HOME=/w", NULL};
static const char *const roots[] = {"/usr", "/lib64", NULL};
static const char *const outputs[] = {"a.out", "d/b.out", NULL};

static struct box_run_spec right_spec(void) {
    return (struct box_run_spec){
        .profile = BOX_PROFILE_NATIVE,
        .argv = argv,
        .env = environment,
        .roots = roots,
        .outputs = outputs,
        .output_file_bytes_max = 1000,
        .streams = {{.kind = BOX_STREAM_FD, .fd = 11},
                    {.kind = BOX_STREAM_CAPTURE, .bytes_max = 5},
                    {.kind = BOX_STREAM_PIPE, .pipe = 3}},
        .limits = {.cpu_ms = 1, .wall_ms = 2, .memory_bytes = 1 << 24},
    };
}

static void a_spec_arrives_as_it_was(void **state) {
    (void)state;
    static struct box_request request;
    struct box_file files[] = {{.name = "x", .fd = 20, .executable = true, .kept = true},
                               {.name = "d/y", .fd = 21, .writable = true}};
    struct box_run_spec spec = right_spec();
    const char *list[8];
    int fds[MESSAGE_FDS_MAX];
    size_t count = 0;
    struct err err = {0};
    spec.files = files;
    spec.file_count = 2;
    spec.service_fds = &(const int){9};
    spec.service_fd_count = 1;

    assert_true(pack_run(&spec, &request, fds, &count, &err));

    const struct message_start *start = &request.start;
    assert_int_equal(request.kind, REQUEST_START);
    assert_int_equal(count, 4);
    assert_int_equal(fds[0], 11);
    assert_int_equal(fds[1], 9);
    assert_int_equal(fds[3], 21);
    assert_int_equal(start->argc, 2);
    texts_unpack(start->argv, start->argc, list);
    assert_string_equal(list[1], "-x");
    assert_string_equal(start->roots[1], "/lib64");
    texts_unpack(start->names, start->file_count + start->output_count, list);
    assert_string_equal(list[1], "d/y");
    assert_string_equal(list[3], "d/b.out");
    assert_int_equal(start->file_bits[0], FILE_EXECUTABLE | FILE_KEPT);
    assert_int_equal(start->file_bits[1], FILE_WRITABLE);
    assert_int_equal(start->streams[2].pipe, 3);
    assert_int_equal(start->limits.memory_bytes, 1 << 24);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    static struct box_request request;
    static char long_text[BOX_ARGV_BYTES_MAX + BOX_NAMES_BYTES_MAX];
    const char *long_list[] = {long_text, NULL};
    int fds[MESSAGE_FDS_MAX];
    size_t count = 0;
    struct err err = {0};
    memset(long_text, 'a', sizeof(long_text) - 1);
    struct box_file file = {.name = long_text};
    for (int i = 0; i < 7; i++) {
        struct box_run_spec spec = right_spec();
        spec.argv = i == 0 ? long_list : spec.argv;
        spec.env = i == 1 ? long_list : spec.env;
        spec.roots = i == 2 ? long_list : spec.roots;
        spec.outputs = i == 3 ? long_list : spec.outputs;
        spec.files = i == 4 ? &file : NULL;
        spec.service_fd_count = i == 6 ? BOX_SERVICE_FDS_MAX + 1 : 0;
        spec.file_count = i == 4 ? 1 : i == 5 ? BOX_FILES_MAX + 1 : 0;

        assert_false(pack_run(&spec, &request, fds, &count, &err));

        assert_int_equal(err.kind, ERR_INVALID);
    }
}

static void an_error_crosses_with_its_kind_and_code(void **state) {
    (void)state;
    struct err sent = {0};
    struct err got = {0};
    struct box_answer answer = {0};
    (void)err_set(&sent, ERR_INVALID, "box_bad_run", "no such thing");
    message_error_to(&sent, &answer);

    assert_false(pack_error(&answer, &got));

    assert_int_equal(got.kind, ERR_INVALID);
    assert_string_equal(got.code, "box_bad_run");
    assert_string_equal(got.text, "no such thing");
    assert_int_equal(got.fault, FAULT_NONE);
}

static void an_error_of_the_system_is_the_nodes(void **state) {
    (void)state;
    struct err sent = {0};
    struct err got = {0};
    struct box_answer answer = {0};
    (void)err_set(&sent, ERR_SYSTEM, "file_failed", "disk");
    message_error_to(&sent, &answer);

    assert_false(pack_error(&answer, &got));

    assert_string_equal(got.code, "box_failed");
    assert_int_equal(got.fault, FAULT_NODE);
}

static void no_error_is_true_and_nonsense_is_a_broken_box(void **state) {
    (void)state;
    struct err err = {0};
    struct box_answer answer = {0};
    assert_true(pack_error(&answer, &err));
    answer.error_kind = 999;

    assert_false(pack_error(&answer, &err));

    assert_string_equal(err.code, "box_broken");
    memset(answer.error_text, 'x', sizeof(answer.error_text));
    answer.error_kind = ERR_SYSTEM;
    answer.error_code = CODE_FAILED;
    assert_false(pack_error(&answer, &err)); /* a text without its NUL */
    assert_true(strlen(err.text) < sizeof(err.text));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spec_arrives_as_it_was),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(an_error_crosses_with_its_kind_and_code),
        cmocka_unit_test(an_error_of_the_system_is_the_nodes),
        cmocka_unit_test(no_error_is_true_and_nonsense_is_a_broken_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
