/* Limits of a node: read, and refused where they make no sense. */
#include "base/limits.h"
#include "main/node_caps.h"
#include "main/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool read_caps(const char *const args[], int count, struct judge_caps *caps,
                      struct err *err) {
    own(config) config = config_create();
    const char *rest[8];
    int rest_count = 0;
    config_add(config, "Node", settings_node);
    assert_true(config_read_args(config, count, args, rest, &rest_count, err));
    return node_caps_read(config, caps, err);
}

static void without_any_nothing_is_limited(void **state) {
    (void)state;
    struct judge_caps caps = {.run_ms = 1};
    struct err err = {0};
    char text[256] = "x";

    assert_true(read_caps(NULL, 0, &caps, &err));

    assert_int_equal(caps.run_ms + caps.compile_ms + caps.run_memory_kib, 0);
    node_caps_text(&caps, text, sizeof text);
    assert_string_equal(text, "");
}

static void each_is_taken_in_its_unit(void **state) {
    (void)state;
    static const char *const args[] = {"--compile-time=30s", "--compile-memory=1GiB",
                                       "--run-time=10s",     "--run-memory=512MiB",
                                       "--scratch=300MiB",   "--processes=64"};
    struct judge_caps caps = {.run_ms = 1};
    struct err err = {0};
    char text[256] = "";

    assert_true(read_caps(args, 6, &caps, &err));

    assert_int_equal(caps.compile_ms, 30000);
    assert_int_equal(caps.compile_memory_kib, 1024 * 1024);
    assert_int_equal(caps.run_ms, 10000);
    assert_int_equal(caps.run_memory_kib, 512 * 1024);
    assert_int_equal(caps.scratch_bytes, 300LL * MIB);
    assert_int_equal(caps.processes, 64);
    node_caps_text(&caps, text, sizeof text);
    assert_string_equal(text, "compile 30000 ms 1048576 KiB, run 10000 ms 524288 KiB, scratch "
                              "314572800, processes 64");
}

static void what_makes_no_sense_is_refused_by_name(void **state) {
    (void)state;
    static const struct {
        const char *argument, *names;
    } rows[] = {
        {"--compile-time=4s", "judge.compile_time"},
        {"--compile-memory=16MiB", "judge.compile_memory"},
        {"--run-time=9s", "judge.run_time"},
        {"--run-memory=1MiB", "judge.run_memory"},
        {"--scratch=1MiB", "judge.scratch"},
        {"--processes=1", "judge.processes"},
        {"--compile-memory=32TiB", "this machine has"},
        {"--run-memory=32TiB", "this machine has"},
        {"--scratch=32TiB", "this machine has"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct judge_caps caps = {.run_ms = 0};
        struct err err = {0};

        bool taken = read_caps(&rows[i].argument, 1, &caps, &err);

        if (taken || err.kind != ERR_INVALID || strstr(err.text, rows[i].names) == NULL) {
            fail_msg("%s: %s", rows[i].argument, err.text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_any_nothing_is_limited),
        cmocka_unit_test(each_is_taken_in_its_unit),
        cmocka_unit_test(what_makes_no_sense_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
