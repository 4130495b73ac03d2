/* Finding submissions with their jobs by what is known of them. */
#include "store/selection_store.h"

#include "job_people.h"

static const struct selection any = {.from_ms = 0};

static void pages_go_both_ways_and_leave_out_what_is_deleted(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 << 20);
    struct job_row *rows = NULL;
    int count = 0;
    plant_people(f);
    struct selection_query up = {.selection = &any, .after = 1, .until = 4, .limit = 2};
    struct selection_query down = {
        .selection = &any, .until = INT64_MAX, .newest_first = true, .limit = 10};

    assert_true(selection_page(f->db, &up, arena, &rows, &count, &f->err));
    assert_int_equal(count, 2);
    assert_int_equal(rows[0].submission.value, 2);
    assert_int_equal(rows[1].submission.value, 3);
    assert_true(selection_page(f->db, &down, arena, &rows, &count, &f->err));
    assert_int_equal(count, 4);
    assert_int_equal(rows[0].submission.value, 4);
}

static void a_row_has_all_that_is_shown(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 << 20);
    struct job_row row = {0};
    bool found = false;
    plant_people(f);

    assert_true(selection_one(f->db, (struct submission_id){4}, arena, &row, &found, &f->err));

    assert_true(found);
    assert_true(str_eq_c(row.username, "bob") && str_eq_c(row.problem_code, "p2"));
    assert_int_equal(row.verdict, VERDICT_SYSTEM_ERROR);
    assert_int_equal(row.effective_job.value, 40);
    assert_int_equal(row.job.id.value, 40);
    assert_int_equal(row.job.state, JOB_FAILED);
    assert_int_equal(row.job.generation, 1);
    assert_int_equal(row.fault, FAULT_PROBLEM);
    assert_true(str_eq_c(row.fault_code, "checker_crashed"));
    assert_int_equal(row.submitted_ms, 4000);
    assert_true(selection_one(f->db, (struct submission_id){2}, arena, &row, &found, &f->err));
    assert_true(str_eq_c(row.hold_reason, "new tests come"));
    assert_true(selection_one(f->db, (struct submission_id){99}, arena, &row, &found, &f->err));
    assert_false(found);
}

static void each_filter_finds_its_own(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 << 20);
    int64_t ids[] = {2, 4, 5, 99};
    plant_people(f);
    const struct {
        struct selection selection;
        int64_t count;
    } rows[] = {
        {{.problem = {1}}, 3},
        {{.user = {2}}, 1},
        {{.user = {1}, .problem = {2}}, 0},
        {{.language = {"c", 1}}, 1},
        {{.verdict = VERDICT_ACCEPTED}, 1},
        {{.fault = FAULT_PROBLEM}, 1},
        {{.job_state = JOB_QUEUED}, 2},
        {{.held = true}, 1},
        {{.origin = ORIGIN_PRACTICE}, 4},
        {{.origin_id = 3}, 0},
        {{.from_ms = 2000, .to_ms = 4000}, 2},
        {{.ids = ids, .id_count = 4}, 2},
        {{.ids = ids, .id_count = 4, .problem = {2}}, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct selection_query query = {
            .selection = &rows[i].selection, .until = INT64_MAX, .limit = 10};
        struct job_row *found = NULL;
        int count = 0;
        int64_t counted = 0;
        assert_true(selection_page(f->db, &query, arena, &found, &count, &f->err));
        assert_true(selection_count(f->db, &query, 100, &counted, &f->err));
        if (count != rows[i].count || counted != rows[i].count) {
            fail_msg("row %zu: %d, %lld", i, count, (long long)counted);
        }
        assert_true(selection_count(f->db, &query, 1, &counted, &f->err));
        assert_int_equal(counted, rows[i].count > 0 ? 1 : 0);
    }
}

static void generations_come_in_order(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 << 20);
    struct generation_row rows[4];
    struct generation_rows all = {.rows = rows, .max = 4};
    int64_t newest = -1;
    plant_people(f);
    fixture_exec(f, f->db,
                 "INSERT INTO job SELECT 41, 1, 4, 2, 3, 2, 4, 0, 1, 0, 0, 0, 0, 0, NULL, 0, '', "
                 "'', 77, 0");

    assert_true(selection_generations(f->db, (struct submission_id){4}, arena, &all, &f->err));

    assert_int_equal(all.count, 2);
    assert_int_equal(rows[0].job.id.value, 40);
    assert_int_equal(rows[1].job.generation, 2);
    assert_int_equal(rows[1].job.priority, PRIORITY_REJUDGE);
    assert_int_equal(rows[1].created_ms, 77);
    assert_true(selection_newest(f->db, &newest, &f->err));
    assert_int_equal(newest, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pages_go_both_ways_and_leave_out_what_is_deleted,
                                        fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_row_has_all_that_is_shown, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(each_filter_finds_its_own, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(generations_come_in_order, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
