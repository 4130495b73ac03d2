/* From the end of a run to a verdict: every row is one way to end. */
#include "judge/outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

static const struct run_limits limits = {
    .cpu_ms = 1000, .wall_ms = 4000, .memory_bytes = 64LL * 1024 * 1024, .output_bytes = 8192};

#define OK_LIMITS .cpu_user_us = 100000, .wall_us = 120000, .memory_peak_bytes = 1024 * 1024

struct row {
    const char *why;
    struct box_result result;
    enum outcome_kind kind;
    enum verdict verdict;
    const char *says; /* part of the message */
};

static const struct row run_rows[] = {
    {"in order", {.end = BOX_END_EXIT, OK_LIMITS}, OUTCOME_CHECK, VERDICT_NONE, ""},
    {"exactly the limit",
     {.end = BOX_END_EXIT, .cpu_user_us = 600000, .cpu_system_us = 400000},
     OUTCOME_CHECK,
     VERDICT_NONE,
     ""},
    {"one microsecond over",
     {.end = BOX_END_EXIT, .cpu_user_us = 600000, .cpu_system_us = 400001},
     OUTCOME_DECIDED,
     VERDICT_TIME_LIMIT_EXCEEDED,
     "1000 ms of CPU"},
    {"killed for its time",
     {.end = BOX_END_CPU, .cpu_user_us = 1050000},
     OUTCOME_DECIDED,
     VERDICT_TIME_LIMIT_EXCEEDED,
     "CPU time"},
    {"idle",
     {.end = BOX_END_WALL, .cpu_user_us = 5000, .wall_us = 4000000},
     OUTCOME_DECIDED,
     VERDICT_TIME_LIMIT_EXCEEDED,
     "after 4000 ms of wall time, having used only 5 ms"},
    {"over time, then crashed",
     {.end = BOX_END_SIGNAL, .signal = SIGSEGV, .cpu_user_us = 1000001},
     OUTCOME_DECIDED,
     VERDICT_TIME_LIMIT_EXCEEDED,
     "CPU time"},
    {"the kernel's killer came",
     {.end = BOX_END_MEMORY, OK_LIMITS},
     OUTCOME_DECIDED,
     VERDICT_MEMORY_LIMIT_EXCEEDED,
     "65536 KiB of memory"},
    {"peak over the limit although the parent said 0",
     {.end = BOX_END_EXIT, .memory_peak_bytes = 64LL * 1024 * 1024 + 1},
     OUTCOME_DECIDED,
     VERDICT_MEMORY_LIMIT_EXCEEDED,
     "memory"},
    {"peak at the limit",
     {.end = BOX_END_EXIT, .memory_peak_bytes = 64LL * 1024 * 1024},
     OUTCOME_CHECK,
     VERDICT_NONE,
     ""},
    {"memory before time",
     {.end = BOX_END_MEMORY, .cpu_user_us = 2000000},
     OUTCOME_DECIDED,
     VERDICT_MEMORY_LIMIT_EXCEEDED,
     "memory"},
    {"an allocation failure seen as abort is a crash, not memory",
     {.end = BOX_END_SIGNAL, .signal = SIGABRT, OK_LIMITS},
     OUTCOME_DECIDED,
     VERDICT_RUNTIME_ERROR,
     "signal 6 (aborted)"},
    {"stopped for its output",
     {.end = BOX_END_OUTPUT, .stream_bytes = {0, 8193, 0}, OK_LIMITS},
     OUTCOME_DECIDED,
     VERDICT_OUTPUT_LIMIT_EXCEEDED,
     "8 KiB"},
    {"output over the limit at the very end",
     {.end = BOX_END_EXIT, .stream_bytes = {0, 8193, 0}, OK_LIMITS},
     OUTCOME_DECIDED,
     VERDICT_OUTPUT_LIMIT_EXCEEDED,
     "8 KiB"},
    {"output at the limit",
     {.end = BOX_END_EXIT, .stream_bytes = {0, 8192, 0}, OK_LIMITS},
     OUTCOME_CHECK,
     VERDICT_NONE,
     ""},
    {"much on stderr is no output",
     {.end = BOX_END_EXIT, .stream_bytes = {0, 0, 999999}, OK_LIMITS},
     OUTCOME_CHECK,
     VERDICT_NONE,
     ""},
    {"output before crash",
     {.end = BOX_END_SIGNAL, .signal = SIGPIPE, .stream_bytes = {0, 9000, 0}, OK_LIMITS},
     OUTCOME_DECIDED,
     VERDICT_OUTPUT_LIMIT_EXCEEDED,
     "8 KiB"},
    {"exit status",
     {.end = BOX_END_EXIT, .exit_code = 3, OK_LIMITS},
     OUTCOME_DECIDED,
     VERDICT_RUNTIME_ERROR,
     "exit status 3"},
    {"segmentation fault",
     {.end = BOX_END_SIGNAL, .signal = SIGSEGV, OK_LIMITS},
     OUTCOME_DECIDED,
     VERDICT_RUNTIME_ERROR,
     "signal 11 (segmentation fault)"},
    {"a signal without a name",
     {.end = BOX_END_SIGNAL, .signal = 62, OK_LIMITS},
     OUTCOME_DECIDED,
     VERDICT_RUNTIME_ERROR,
     "signal 62"},
    {"no program at all",
     {.end = BOX_END_START, .exit_code = ENOEXEC},
     OUTCOME_DECIDED,
     VERDICT_RUNTIME_ERROR,
     "could not be started: Exec format error"},
    {"the node lost the program",
     {.end = BOX_END_START, .exit_code = EACCES},
     OUTCOME_FAULT,
     VERDICT_NONE,
     "could not be started: Permission denied"},
    {"stopped by us",
     {.end = BOX_END_KILLED, .cpu_user_us = 9000000},
     OUTCOME_FAULT,
     VERDICT_NONE,
     "stopped by the judge"},
    {"no end at all", {.end = BOX_END_NONE}, OUTCOME_FAULT, VERDICT_NONE, "stopped"},
};

static const struct row compile_rows[] = {
    {"yes", {.end = BOX_END_EXIT, OK_LIMITS}, OUTCOME_CHECK, VERDICT_NONE, ""},
    {"no: its own words are enough",
     {.end = BOX_END_EXIT, .exit_code = 1, OK_LIMITS},
     OUTCOME_DECIDED,
     VERDICT_COMPILE_ERROR,
     ""},
    {"too slow",
     {.end = BOX_END_CPU, .cpu_user_us = 1100000},
     OUTCOME_DECIDED,
     VERDICT_COMPILE_ERROR,
     "1000 ms of CPU time"},
    {"waits for something",
     {.end = BOX_END_WALL, .wall_us = 4000000},
     OUTCOME_DECIDED,
     VERDICT_COMPILE_ERROR,
     "wall time"},
    {"too much memory",
     {.end = BOX_END_MEMORY},
     OUTCOME_DECIDED,
     VERDICT_COMPILE_ERROR,
     "65536 KiB of memory"},
    {"flood", {.end = BOX_END_OUTPUT}, OUTCOME_DECIDED, VERDICT_COMPILE_ERROR, "wrote more than"},
    {"crashed on this source",
     {.end = BOX_END_SIGNAL, .signal = SIGSEGV, OK_LIMITS},
     OUTCOME_DECIDED,
     VERDICT_COMPILE_ERROR,
     "signal 11"},
    {"killed by something else than its limits",
     {.end = BOX_END_SIGNAL, .signal = SIGKILL, OK_LIMITS},
     OUTCOME_FAULT,
     VERDICT_NONE,
     "killed by the system"},
    {"not there",
     {.end = BOX_END_START, .exit_code = ENOENT},
     OUTCOME_FAULT,
     VERDICT_NONE,
     "No such file"},
};

static const struct row tool_rows[] = {
    {"yes", {.end = BOX_END_EXIT, OK_LIMITS}, OUTCOME_CHECK, VERDICT_NONE, ""},
    {"status",
     {.end = BOX_END_EXIT, .exit_code = 2, OK_LIMITS},
     OUTCOME_DECIDED,
     VERDICT_RUNTIME_ERROR,
     "ended with exit status 2"},
    {"signal",
     {.end = BOX_END_SIGNAL, .signal = SIGFPE, OK_LIMITS},
     OUTCOME_DECIDED,
     VERDICT_RUNTIME_ERROR,
     "was ended by signal 8"},
    {"time",
     {.end = BOX_END_CPU, .cpu_user_us = 2000000},
     OUTCOME_DECIDED,
     VERDICT_TIME_LIMIT_EXCEEDED,
     "used more than 1000 ms"},
};

typedef struct outcome decide_fn(const struct box_result *result, const struct run_limits *limits);

static void check_rows(const struct row *rows, size_t count, decide_fn *decide) {
    for (size_t i = 0; i < count; i++) {
        struct outcome outcome = decide(&rows[i].result, &limits);
        bool message_right = rows[i].says[0] == '\0'
                                 ? outcome.message[0] == '\0'
                                 : strstr(outcome.message, rows[i].says) != NULL;
        if (outcome.kind != rows[i].kind || outcome.verdict != rows[i].verdict || !message_right) {
            fail_msg("%s: kind %d, verdict %s, message \"%s\"", rows[i].why, (int)outcome.kind,
                     verdict_code(outcome.verdict), outcome.message);
        }
    }
}

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static void each_end_of_a_run_has_its_verdict(void **state) {
    (void)state;
    check_rows(run_rows, COUNT(run_rows), outcome_of_run);
}

static void each_end_of_a_compiler_has_its_meaning(void **state) {
    (void)state;
    check_rows(compile_rows, COUNT(compile_rows), outcome_of_compile);
}

static void each_end_of_a_tool_is_put_in_words(void **state) {
    (void)state;
    check_rows(tool_rows, COUNT(tool_rows), outcome_of_tool);
}

static void the_box_kills_a_little_behind_the_limit(void **state) {
    (void)state;
    assert_int_equal(outcome_box_cpu_ms(100), 150);
    assert_int_equal(outcome_box_cpu_ms(1000), 1050);
    assert_int_equal(outcome_box_cpu_ms(10000), 10500);
    assert_int_equal(outcome_box_wall_ms(2000), 7000);
}

static void what_is_shown_is_rounded_up(void **state) {
    (void)state;
    struct box_result result = {
        .cpu_user_us = 1, .cpu_system_us = 1000, .wall_us = 2000, .memory_peak_bytes = 1025};

    assert_int_equal(outcome_cpu_ms(&result), 2);
    assert_int_equal(outcome_wall_ms(&result), 2);
    assert_int_equal(outcome_memory_kib(&result), 2);
}

static void only_what_the_machine_may_have_done_is_doubtful(void **state) {
    (void)state;
    static const struct {
        const char *why;
        struct box_result result;
        bool doubtful;
    } rows[] = {
        {"in order", {.end = BOX_END_EXIT, OK_LIMITS}, false},
        {"waited long, but kept its limit",
         {.end = BOX_END_EXIT, .cpu_user_us = 900000, .wall_us = 3900000},
         false},
        {"ended in the band",
         {.end = BOX_END_EXIT, .cpu_user_us = 1020000, .wall_us = 1030000},
         true},
        {"crashed in the band",
         {.end = BOX_END_SIGNAL, .signal = SIGSEGV, .cpu_user_us = 1020000, .wall_us = 1030000},
         true},
        {"killed while it computed",
         {.end = BOX_END_CPU, .cpu_user_us = 1050000, .wall_us = 1100000},
         false},
        {"killed, and it had company",
         {.end = BOX_END_CPU, .cpu_user_us = 1050000, .wall_us = 2300000},
         true},
        {"starved or asleep", {.end = BOX_END_WALL, .cpu_user_us = 5000, .wall_us = 4000000}, true},
        {"too much memory", {.end = BOX_END_MEMORY, OK_LIMITS}, false},
        {"not started", {.end = BOX_END_START}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct outcome outcome = outcome_of_run(&rows[i].result, &limits);

        if (outcome_is_doubtful(&outcome, &rows[i].result) != rows[i].doubtful) {
            fail_msg("%s", rows[i].why);
        }
    }
}

static void the_run_that_kept_the_limit_counts_else_the_cheaper_one(void **state) {
    (void)state;
    static const struct outcome good = {.kind = OUTCOME_CHECK, .cpu_us = 900};
    static const struct outcome crash = {.verdict = VERDICT_RUNTIME_ERROR, .cpu_us = 950};
    static const struct outcome slow = {.verdict = VERDICT_TIME_LIMIT_EXCEEDED, .cpu_us = 1020};
    static const struct outcome slower = {.verdict = VERDICT_TIME_LIMIT_EXCEEDED, .cpu_us = 1040};
    static const struct outcome starved = {.verdict = VERDICT_TIME_LIMIT_EXCEEDED, .cpu_us = 7};

    assert_true(outcome_second_counts(&slow, &good));
    assert_true(outcome_second_counts(&slow, &crash));
    assert_true(outcome_second_counts(&slower, &slow));
    assert_false(outcome_second_counts(&slow, &slower));
    assert_false(outcome_second_counts(&slow, &slow));
    assert_true(outcome_second_counts(&starved, &good)); /* though it used less */
    assert_false(outcome_second_counts(&good, &slow));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_end_of_a_run_has_its_verdict),
        cmocka_unit_test(each_end_of_a_compiler_has_its_meaning),
        cmocka_unit_test(each_end_of_a_tool_is_put_in_words),
        cmocka_unit_test(only_what_the_machine_may_have_done_is_doubtful),
        cmocka_unit_test(the_run_that_kept_the_limit_counts_else_the_cheaper_one),
        cmocka_unit_test(the_box_kills_a_little_behind_the_limit),
        cmocka_unit_test(what_is_shown_is_rounded_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
