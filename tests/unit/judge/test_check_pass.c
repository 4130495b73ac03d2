/* From one pass of a multi-pass problem to the next. */
#include "fake_problem.h"
#include "judge/check_pass.h"

enum { NEXT = PROTOCOL_OUTPUTS_MAX, STATE };

static void names_follow_those_of_the_validators_row(void **state) {
    (void)state;
    const struct protocol *protocol = protocol_of(ADAPTER_ICPC);

    for (size_t i = 0; i < PROTOCOL_OUTPUTS_MAX; i++) {
        assert_string_equal(pass_outputs[i], protocol->outputs[i]);
    }
    assert_string_equal(pass_outputs[NEXT], "feedback/nextpass.in");
    assert_null(pass_outputs[STATE + 1]);
}

struct pass_row {
    enum box_output_state next;
    enum box_output_state remembered;
    bool accepted;
    int32_t number;
    bool good;
    bool more;
    const char *says;
};

static const struct pass_row rows[] = {
    {BOX_OUTPUT_MISSING, BOX_OUTPUT_FILE, true, 1, true, false, ""},
    {BOX_OUTPUT_MISSING, BOX_OUTPUT_FILE, false, 1, true, false, ""},
    {BOX_OUTPUT_FILE, BOX_OUTPUT_FILE, true, 1, true, true, ""},
    {BOX_OUTPUT_FILE, BOX_OUTPUT_FILE, false, 1, false, false, "did not accept"},
    {BOX_OUTPUT_FILE, BOX_OUTPUT_FILE, true, 2, false, false, "more passes"},
    {BOX_OUTPUT_NOT_PLAIN, BOX_OUTPUT_FILE, true, 1, false, false, "no plain file"},
    {BOX_OUTPUT_FILE, BOX_OUTPUT_TOO_LARGE, true, 1, false, false, "too large"},
};

static void a_next_pass_needs_an_input_an_acceptance_and_room(void **state) {
    struct fake_world *world = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pass pass = {.number = rows[i].number, .input_fd = -1, .state_fd = -1};
        struct check_request request = {.manifest = &world->manifest, .index = 1, .pass = &pass};
        struct checker_answer answer = {.accepted = rows[i].accepted};
        struct err err = {0};
        own_box_result box;
        box_result_init(&box);
        box.output_states[NEXT] = rows[i].next;
        box.output_states[STATE] = rows[i].remembered;
        box.output_fds[NEXT] = fake_file("input");
        box.output_fds[STATE] = fake_file("state");

        bool good = pass_take_next(&request, "checker", &box, &answer, &err);

        if (good != rows[i].good || pass.more != rows[i].more ||
            (!good && (err.fault != FAULT_PROBLEM || strstr(err.text, rows[i].says) == NULL))) {
            fail_msg("row %zu: %d %d %s", i, good, pass.more, err.text);
        }
        assert_int_equal(pass.number, rows[i].number + (pass.more ? 1 : 0));
        assert_true(pass.more == (pass.input_fd >= 0 && pass.state_fd >= 0));
        fd_cleanup(&pass.input_fd);
        fd_cleanup(&pass.state_fd);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_follow_those_of_the_validators_row),
        FAKE_TEST(a_next_pass_needs_an_input_an_acceptance_and_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
