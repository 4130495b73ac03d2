/* Input and output by file name: what is output, and what is the submission's error. */
#include "fake_problem.h"
#include "judge/file_io.h"

static void the_file_is_the_output_and_standard_output_where_there_is_none(void **state) {
    struct fake_world *world = *state;
    static const struct {
        enum box_output_state state;
        int64_t bytes_on_stdout;
        const char *wrong; /* NULL: there is output */
        int fd;
    } rows[] = {
        {BOX_OUTPUT_FILE, 0, NULL, 70},
        {BOX_OUTPUT_FILE, 5, NULL, 70},
        {BOX_OUTPUT_MISSING, 5, NULL, 71},
        {BOX_OUTPUT_MISSING, 0, "there is no file sum.out", 0},
        {BOX_OUTPUT_NOT_PLAIN, 0, "sum.out is a link, a folder or a pipe", 0},
        {BOX_OUTPUT_NOT_PLAIN, 5, "sum.out is a link, a folder or a pipe", 0},
    };
    world->manifest.output_file = STR("sum.out");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct box_result box = {.stream_fds = {-1, 71, -1}};
        int fd = -1;
        box.output_fds[0] = 70;
        box.output_states[0] = rows[i].state;
        box.stream_bytes[1] = rows[i].bytes_on_stdout;

        const char *wrong = file_io_output(&world->manifest, &box, world->arena, &fd);

        bool as_expected = rows[i].wrong == NULL
                               ? wrong == NULL && fd == rows[i].fd
                               : wrong != NULL && strstr(wrong, rows[i].wrong) != NULL;
        if (!as_expected) {
            fail_msg("row %zu: %s, %d", i, wrong == NULL ? "output" : wrong, fd);
        }
    }
}

static void a_file_that_is_too_large_is_too_much_output(void **state) {
    struct fake_world *world = *state;
    static const struct {
        enum box_output_state state;
        enum outcome_kind kind;
        enum verdict verdict;
        enum verdict becomes;
    } rows[] = {
        {BOX_OUTPUT_TOO_LARGE, OUTCOME_CHECK, VERDICT_NONE, VERDICT_OUTPUT_LIMIT_EXCEEDED},
        {BOX_OUTPUT_TOO_LARGE, OUTCOME_DECIDED, VERDICT_RUNTIME_ERROR,
         VERDICT_OUTPUT_LIMIT_EXCEEDED},
        {BOX_OUTPUT_TOO_LARGE, OUTCOME_DECIDED, VERDICT_TIME_LIMIT_EXCEEDED,
         VERDICT_TIME_LIMIT_EXCEEDED},
        {BOX_OUTPUT_FILE, OUTCOME_DECIDED, VERDICT_RUNTIME_ERROR, VERDICT_RUNTIME_ERROR},
        {BOX_OUTPUT_FILE, OUTCOME_CHECK, VERDICT_NONE, VERDICT_NONE},
    };
    world->manifest.output_file = STR("sum.out");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct outcome outcome = {.kind = rows[i].kind, .verdict = rows[i].verdict};
        struct box_result box = {.end = BOX_END_EXIT};
        box.output_states[0] = rows[i].state;

        file_io_outcome(&world->manifest, &box, &outcome);

        assert_int_equal(outcome.verdict, rows[i].becomes);
    }
}

static void without_names_nothing_changes(void **state) {
    struct fake_world *world = *state;
    struct box_result box = {.stream_fds = {-1, 71, -1}};
    struct outcome outcome = {.kind = OUTCOME_CHECK};
    int fd = -1;
    box.output_states[0] = BOX_OUTPUT_TOO_LARGE;

    file_io_outcome(&world->manifest, &box, &outcome);

    assert_int_equal(outcome.kind, OUTCOME_CHECK);
    assert_null(file_io_output(&world->manifest, &box, world->arena, &fd));
    assert_int_equal(fd, 71);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(the_file_is_the_output_and_standard_output_where_there_is_none),
        FAKE_TEST(a_file_that_is_too_large_is_too_much_output),
        FAKE_TEST(without_names_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
