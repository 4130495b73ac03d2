/* The order of verdicts when a submission and an interactor end one after the other. */
#include "fake_problem.h"
#include "judge/interact.h"

#include <signal.h>

enum first { PROGRAM_FIRST, INTERACTOR_FIRST };

static const struct run_limits limits = {
    .cpu_ms = 1000, .wall_ms = 4000, .memory_bytes = 1 << 20, .output_bytes = 1000};

/* What each row says beyond this: VERDICT_NONE is "the interactor's answer counts". */
static const struct row {
    const char *why;
    struct box_result program;
    enum first first;
    enum interactor_answer answer;
    enum verdict verdict;
} rows[] = {
    {"both well", {.end = BOX_END_EXIT}, PROGRAM_FIRST, INTERACTOR_ACCEPTS, VERDICT_NONE},
    {"both well, the other order",
     {.end = BOX_END_EXIT},
     INTERACTOR_FIRST,
     INTERACTOR_ACCEPTS,
     VERDICT_NONE},
    {"rejected after the end",
     {.end = BOX_END_EXIT},
     PROGRAM_FIRST,
     INTERACTOR_REJECTS,
     VERDICT_NONE},
    {"rejected, then a crash",
     {.end = BOX_END_EXIT, .exit_code = 1},
     INTERACTOR_FIRST,
     INTERACTOR_REJECTS,
     VERDICT_NONE},
    {"rejected, then killed as settled",
     {.end = BOX_END_KILLED},
     INTERACTOR_FIRST,
     INTERACTOR_REJECTS,
     VERDICT_NONE},
    {"rejected, then too slow",
     {.end = BOX_END_CPU},
     INTERACTOR_FIRST,
     INTERACTOR_REJECTS,
     VERDICT_NONE},
    {"rejected, then a broken pipe",
     {.end = BOX_END_SIGNAL, .signal = SIGPIPE},
     INTERACTOR_FIRST,
     INTERACTOR_REJECTS,
     VERDICT_NONE},
    {"a crash, then rejected",
     {.end = BOX_END_EXIT, .exit_code = 1},
     PROGRAM_FIRST,
     INTERACTOR_REJECTS,
     VERDICT_RUNTIME_ERROR},
    {"too slow, then rejected",
     {.end = BOX_END_CPU},
     PROGRAM_FIRST,
     INTERACTOR_REJECTS,
     VERDICT_TIME_LIMIT_EXCEEDED},
    {"idle, then rejected",
     {.end = BOX_END_WALL},
     PROGRAM_FIRST,
     INTERACTOR_REJECTS,
     VERDICT_TIME_LIMIT_EXCEEDED},
    {"idle, then accepted",
     {.end = BOX_END_WALL},
     PROGRAM_FIRST,
     INTERACTOR_ACCEPTS,
     VERDICT_TIME_LIMIT_EXCEEDED},
    {"floods, then rejected",
     {.end = BOX_END_OUTPUT},
     PROGRAM_FIRST,
     INTERACTOR_REJECTS,
     VERDICT_OUTPUT_LIMIT_EXCEEDED},
    {"accepted, then a crash",
     {.end = BOX_END_EXIT, .exit_code = 1},
     INTERACTOR_FIRST,
     INTERACTOR_ACCEPTS,
     VERDICT_RUNTIME_ERROR},
    {"accepted, then too slow",
     {.end = BOX_END_CPU},
     INTERACTOR_FIRST,
     INTERACTOR_ACCEPTS,
     VERDICT_TIME_LIMIT_EXCEEDED},
    {"accepted, then a word too many",
     {.end = BOX_END_SIGNAL, .signal = SIGPIPE},
     INTERACTOR_FIRST,
     INTERACTOR_ACCEPTS,
     VERDICT_NONE},
    {"a broken pipe of its own",
     {.end = BOX_END_SIGNAL, .signal = SIGPIPE},
     PROGRAM_FIRST,
     INTERACTOR_ACCEPTS,
     VERDICT_RUNTIME_ERROR},
    {"too slow and a crash",
     {.end = BOX_END_EXIT, .exit_code = 1, .cpu_user_us = 1000001},
     PROGRAM_FIRST,
     INTERACTOR_REJECTS,
     VERDICT_TIME_LIMIT_EXCEEDED},
};

static void each_order_of_ends_has_its_verdict(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct box_result program = rows[i].program;
        struct box_result interactor = {.end = BOX_END_EXIT};
        program.end_order = rows[i].first == PROGRAM_FIRST ? 1 : 2;
        interactor.end_order = 3 - program.end_order;
        struct outcome own = outcome_of_run(&program, &limits);

        struct outcome outcome = interact_decide(&own, &program, &interactor, rows[i].answer);

        bool counts = outcome.kind == OUTCOME_CHECK;
        if (counts != (rows[i].verdict == VERDICT_NONE) ||
            (!counts && outcome.verdict != rows[i].verdict)) {
            fail_msg("%s: %d, \"%s\"", rows[i].why, (int)outcome.verdict, outcome.message);
        }
    }
}

static void an_idle_end_says_what_to_look_for(void **state) {
    (void)state;
    struct box_result program = {.end = BOX_END_WALL, .wall_us = 4000000, .end_order = 1};
    struct box_result interactor = {.end = BOX_END_EXIT, .end_order = 2};
    struct outcome own = outcome_of_run(&program, &limits);

    struct outcome outcome = interact_decide(&own, &program, &interactor, INTERACTOR_REJECTS);

    assert_non_null(strstr(outcome.message, "4000 ms"));
    assert_non_null(strstr(outcome.message, "flushed"));
    assert_true(strlen(outcome.message) < OUTCOME_MESSAGE_BYTES_MAX - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_order_of_ends_has_its_verdict),
        cmocka_unit_test(an_idle_end_says_what_to_look_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
