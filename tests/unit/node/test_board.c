/* The board that claimer, slots and keeper share. */
#include "node/board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct clock_manual manual;

static struct machine_job job_of(int64_t id, int64_t remaining_ms) {
    return (struct machine_job){.subject = MACHINE_ALGO,
                                .lease = {{id}, 1, 77},
                                .lease_remaining_ms = remaining_ms,
                                .language = STR("cpp"),
                                .pool = STR("cpp")};
}

static struct board *board_with(int slots) {
    clock_manual_init(&manual, 0);
    return board_create(slots, &manual.clock);
}

static void jobs_fill_the_slots_and_no_more(void **state) {
    (void)state;
    own(board) board = board_with(2);
    struct machine_job first = job_of(1, 60000);
    struct machine_job second = job_of(2, 60000);
    struct machine_job third = job_of(3, 60000);

    assert_int_equal(board_wait_free(board, 0), 2);
    assert_true(board_assign(board, &first, 0));
    assert_true(board_assign(board, &second, 0));
    assert_false(board_assign(board, &third, 0));
    assert_int_equal(board_wait_free(board, 1), 0);
    assert_int_equal(board_busy(board), 2);
}

static void a_finished_slot_is_free_again(void **state) {
    (void)state;
    own(board) board = board_with(1);
    struct machine_job job = job_of(1, 60000);
    struct machine_job taken = {0};
    assert_true(board_assign(board, &job, 0));

    assert_true(board_take(board, 0, &taken));
    assert_int_equal(taken.lease.job.value, 1);
    assert_true(str_eq(taken.language, STR("cpp")));
    board_finish(board, 0);

    assert_int_equal(board_wait_free(board, 0), 1);
}

static void a_run_stops_before_its_lease_can_end(void **state) {
    (void)state;
    own(board) board = board_with(1);
    struct machine_job job = job_of(1, 10000);
    struct machine_job taken = {0};
    assert_true(board_assign(board, &job, clock_mono_ms(&manual.clock)));
    assert_true(board_take(board, 0, &taken));

    clock_manual_advance(&manual, 8999);
    assert_int_equal(board_ask(board, 0), BOARD_GO);
    clock_manual_advance(&manual, 1);
    assert_int_equal(board_ask(board, 0), BOARD_STOP_LOST);

    /* A renewal that comes after all does not call it back. */
    board_renewed(board, &job.lease, MACHINE_GO, 10000, clock_mono_ms(&manual.clock));
    assert_int_equal(board_ask(board, 0), BOARD_STOP_LOST);
}

static void a_renewal_counts_from_when_it_was_asked(void **state) {
    (void)state;
    own(board) board = board_with(1);
    struct machine_job job = job_of(1, 10000);
    struct machine_job taken = {0};
    assert_true(board_assign(board, &job, clock_mono_ms(&manual.clock)));
    assert_true(board_take(board, 0, &taken));
    int64_t asked_ms = clock_mono_ms(&manual.clock);
    clock_manual_advance(&manual, 5000); /* the answer was slow */

    board_renewed(board, &job.lease, MACHINE_GO, 10000, asked_ms);

    clock_manual_advance(&manual, 3999);
    assert_int_equal(board_ask(board, 0), BOARD_GO);
    clock_manual_advance(&manual, 1);
    assert_int_equal(board_ask(board, 0), BOARD_STOP_LOST);
}

static void what_the_server_says_reaches_the_slot(void **state) {
    (void)state;
    static const struct {
        enum machine_renewal answer;
        enum board_stop stop;
    } rows[] = {{MACHINE_GO, BOARD_GO},
                {MACHINE_STOP, BOARD_STOP_SERVER},
                {MACHINE_CONFLICT, BOARD_STOP_LOST}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own(board) board = board_with(1);
        struct machine_job job = job_of(1, 10000);
        struct machine_job taken = {0};
        assert_true(board_assign(board, &job, clock_mono_ms(&manual.clock)));
        assert_true(board_take(board, 0, &taken));

        board_renewed(board, &job.lease, rows[i].answer, 10000, clock_mono_ms(&manual.clock));

        assert_int_equal(board_progress(board, 0, JUDGE_STAGE_JUDGING, 0, 3, NULL), rows[i].stop);
    }
}

static void another_jobs_answer_changes_nothing(void **state) {
    (void)state;
    own(board) board = board_with(1);
    struct machine_job job = job_of(1, 10000);
    struct machine_job taken = {0};
    assert_true(board_assign(board, &job, clock_mono_ms(&manual.clock)));
    assert_true(board_take(board, 0, &taken));

    board_renewed(board, &(struct machine_lease){{2}, 1, 77}, MACHINE_CONFLICT, 0,
                  clock_mono_ms(&manual.clock));

    assert_int_equal(board_ask(board, 0), BOARD_GO);
}

static void each_case_is_reported_once_and_in_order(void **state) {
    (void)state;
    own(board) board = board_with(1);
    own(arena) arena = arena_create(1 << 20);
    struct machine_job job = job_of(1, 60000);
    struct machine_job taken = {0};
    struct machine_progress_item items[4];
    assert_true(board_assign(board, &job, clock_mono_ms(&manual.clock)));
    assert_true(board_take(board, 0, &taken));
    assert_int_equal(board_take_progress(board, arena, items, 4), 0);

    for (int32_t i = 0; i < 3; i++) {
        struct case_result finished = {
            .index = i, .name = STR("secret/1"), .verdict = VERDICT_ACCEPTED};
        (void)board_progress(board, 0, JUDGE_STAGE_JUDGING, i + 1, 5, &finished);
    }
    assert_int_equal(board_take_progress(board, arena, items, 4), 1);
    assert_int_equal(items[0].sequence, 1);
    assert_int_equal(items[0].case_count, 3);
    assert_int_equal(items[0].cases[2].index, 2);
    assert_int_equal(items[0].case_index, 3);

    assert_int_equal(board_take_progress(board, arena, items, 4), 0);
    struct case_result last = {.index = 3, .verdict = VERDICT_ACCEPTED};
    (void)board_progress(board, 0, JUDGE_STAGE_JUDGING, 4, 5, &last);
    assert_int_equal(board_take_progress(board, arena, items, 4), 1);
    assert_int_equal(items[0].sequence, 2);
    assert_int_equal(items[0].case_count, 1);
    assert_int_equal(items[0].cases[0].index, 3);
}

static void leaving_frees_the_threads_and_tells_the_runs(void **state) {
    (void)state;
    own(board) board = board_with(2);
    struct machine_job job = job_of(1, 60000);
    struct machine_job taken = {0};
    assert_true(board_assign(board, &job, clock_mono_ms(&manual.clock)));
    assert_true(board_take(board, 0, &taken));

    board_leave(board);
    assert_false(board_take(board, 1, &taken));
    assert_int_equal(board_wait_free(board, 1000), 0);
    assert_int_equal(board_ask(board, 0), BOARD_GO);
    assert_false(board_wait_idle(board, 1));
    board_stop_all(board, BOARD_STOP_LEAVING);
    assert_int_equal(board_ask(board, 0), BOARD_STOP_LEAVING);
    board_finish(board, 0);

    assert_true(board_wait_idle(board, 1000));
}

static void assigned_jobs_are_renewed_too(void **state) {
    (void)state;
    own(board) board = board_with(2);
    struct machine_lease leases[4];
    struct machine_job first = job_of(1, 60000);
    struct machine_job second = job_of(2, 60000);
    assert_true(board_assign(board, &first, 0));
    assert_true(board_assign(board, &second, 0));

    assert_int_equal(board_leases(board, leases, 4), 2);
    assert_int_equal(board_leases(board, leases, 1), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_fill_the_slots_and_no_more),
        cmocka_unit_test(a_finished_slot_is_free_again),
        cmocka_unit_test(a_run_stops_before_its_lease_can_end),
        cmocka_unit_test(a_renewal_counts_from_when_it_was_asked),
        cmocka_unit_test(what_the_server_says_reaches_the_slot),
        cmocka_unit_test(another_jobs_answer_changes_nothing),
        cmocka_unit_test(each_case_is_reported_once_and_in_order),
        cmocka_unit_test(leaving_frees_the_threads_and_tells_the_runs),
        cmocka_unit_test(assigned_jobs_are_renewed_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
