/* Every convention has its row, and a row is whole. */
#include "protocol_rows.h"

static void every_adapter_has_a_row(void **state) {
    (void)state;
    for (int adapter = ADAPTER_NONE + 1; adapter < ADAPTER_COUNT; adapter++) {
        const struct protocol *protocol = protocol_of((enum program_adapter)adapter);

        assert_non_null(protocol->read);
        assert_non_null(protocol->input);
        assert_non_null(protocol->args[0]);
        /* the output reaches it one way or the other */
        assert_true((protocol->reads == PROTOCOL_READS_OUTPUT) != (protocol->output != NULL));
    }
}

static void an_end_within_the_limits_is_an_answer_by_status(void **state) {
    (void)state;
    static const struct run_limits limits = {
        .cpu_ms = 1000, .wall_ms = 4000, .memory_bytes = 1 << 20, .output_bytes = 1000};
    static const struct {
        struct box_result result;
        bool ended;
        const char *says;
    } rows[] = {
        {{.end = BOX_END_EXIT, .exit_code = 0}, true, ""},
        {{.end = BOX_END_EXIT, .exit_code = 255}, true, ""},
        {{.end = BOX_END_EXIT, .cpu_user_us = 1000001}, false, "CPU time"},
        {{.end = BOX_END_EXIT, .memory_peak_bytes = 2 << 20}, false, "memory"},
        {{.end = BOX_END_EXIT, .stream_bytes = {0, 1001, 0}}, false, "wrote more"},
        {{.end = BOX_END_SIGNAL, .signal = 11}, false, "signal 11"},
        {{.end = BOX_END_CPU}, false, "CPU time"},
        {{.end = BOX_END_WALL}, false, "wall time"},
        {{.end = BOX_END_MEMORY}, false, "memory"},
        {{.end = BOX_END_OUTPUT}, false, "wrote more"},
        {{.end = BOX_END_START, .exit_code = 8}, false, "could not be started"},
        {{.end = BOX_END_KILLED}, false, "stopped by the judge"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct outcome why = {.kind = OUTCOME_CHECK};

        bool ended = protocol_ended(&rows[i].result, &limits, &why);

        if (ended != rows[i].ended || (!ended && strstr(why.message, rows[i].says) == NULL)) {
            fail_msg("row %zu: %d, \"%s\"", i, ended, why.message);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_adapter_has_a_row),
        cmocka_unit_test(an_end_within_the_limits_is_an_answer_by_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
