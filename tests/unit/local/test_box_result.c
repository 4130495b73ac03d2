/* The result of `assize box` in words and as JSON. */
#include "local/box_result.h"

#include "base/limits.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct box_result result_of(enum box_end end, int32_t exit_code, int32_t signal) {
    return (struct box_result){.end = end,
                               .exit_code = exit_code,
                               .signal = signal,
                               .cpu_user_us = 1500,
                               .cpu_system_us = 250,
                               .wall_us = 2000000,
                               .memory_peak_bytes = 3 * MIB,
                               .stream_bytes = {0, 7, 8},
                               .leftover_processes = 2,
                               .steal_us = 4,
                               .pressure_us = 5000};
}

static void an_exit_has_a_code_and_no_signal(void **state) {
    (void)state;
    struct box_result result = result_of(BOX_END_EXIT, 3, 0);
    struct err err = {0};
    own_buf out;
    buf_init(&out, 4 * KIB);

    assert_true(box_result_json(&result, true, &out, &err));

    assert_string_equal(buf_c(&out),
                        "{\"end\":\"exit\",\"exitCode\":3,\"signal\":null,\"startError\":null,"
                        "\"cpuMs\":1.75,\"cpuUserMs\":1.5,\"cpuSystemMs\":0.25,\"wallMs\":2000,"
                        "\"memoryBytes\":3145728,\"stdoutBytes\":7,\"stderrBytes\":8,"
                        "\"leftoverProcesses\":2,\"stealMs\":0.004,\"pressureMs\":5,"
                        "\"pinned\":true}\n");
}

static void a_kernel_without_pressure_tells_none(void **state) {
    (void)state;
    struct box_result result = result_of(BOX_END_EXIT, 0, 0);
    struct err err = {0};
    own_buf out;
    buf_init(&out, 4 * KIB);
    result.pressure_us = -1;

    assert_true(box_result_json(&result, false, &out, &err));

    assert_non_null(strstr(buf_c(&out), ",\"pressureMs\":null,\"pinned\":false}\n"));
}

static void other_ends_have_their_word_and_no_code(void **state) {
    (void)state;
    static const struct {
        enum box_end end;
        int32_t exit_code, signal;
        const char *expected;
    } rows[] = {
        {BOX_END_SIGNAL, -1, SIGSEGV, "{\"end\":\"signal\",\"exitCode\":null,\"signal\":\"SEGV\""},
        {BOX_END_CPU, -1, 0, "{\"end\":\"cpu\",\"exitCode\":null,\"signal\":null"},
        {BOX_END_WALL, -1, 0, "{\"end\":\"wall\""},
        {BOX_END_MEMORY, 0, 0, "{\"end\":\"memory\",\"exitCode\":null"},
        {BOX_END_OUTPUT, -1, 0, "{\"end\":\"output\""},
        {BOX_END_KILLED, -1, 0, "{\"end\":\"killed\""},
        {BOX_END_START, ENOENT, 0,
         "{\"end\":\"start\",\"exitCode\":null,\"signal\":null,\"startError\":\"ENOENT\""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct box_result result = result_of(rows[i].end, rows[i].exit_code, rows[i].signal);
        struct err err = {0};
        own_buf out;
        buf_init(&out, 4 * KIB);

        assert_true(box_result_json(&result, true, &out, &err));

        assert_int_equal(strncmp(buf_c(&out), rows[i].expected, strlen(rows[i].expected)), 0);
    }
}

static void people_get_one_line(void **state) {
    (void)state;
    struct box_result result = result_of(BOX_END_START, ENOENT, 0);
    own_buf out;
    buf_init(&out, 4 * KIB);

    box_result_text(&result, &out);

    assert_string_equal(buf_c(&out),
                        "ended: it could not be started (No such file or directory), exit code 2, "
                        "signal 0, CPU 0.002 s, wall 2.000 s, memory 3.0 MiB");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exit_has_a_code_and_no_signal),
        cmocka_unit_test(a_kernel_without_pressure_tells_none),
        cmocka_unit_test(other_ends_have_their_word_and_no_code),
        cmocka_unit_test(people_get_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
