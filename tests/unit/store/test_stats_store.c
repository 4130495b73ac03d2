/* Counts over all submissions. */
#include "store/stats_store.h"

#include "store/submission_store.h"

#include "job_fixture.h"

static void submit(struct fixture *f, int64_t id, enum verdict verdict) {
    struct submission_insert insert = {
        .id = {id},
        .kind = SUBMISSION_ALGO,
        .user = {1},
        .problem = {1},
        .language = STR("c"),
        .origin = ORIGIN_PRACTICE,
        .job = {id},
        .now_ms = START_MS,
    };
    fixture_begin(f);
    assert_true(submission_store_insert(f->db, &insert, &f->err));
    if (verdict != VERDICT_NONE) {
        struct submission_outcome outcome = {
            .id = {id}, .effective_job = {id}, .effective_rev = 1, .verdict = verdict};
        fixture_lock(f, LOCK_SUBMISSION, id);
        assert_true(submission_store_judged(f->db, &outcome, &f->err));
    }
    fixture_commit(f);
}

static void an_empty_database_counts_nothing(void **state) {
    struct fixture *f = *state;
    int64_t counts[VERDICT_COUNT];
    memset(counts, 0x7f, sizeof counts);

    assert_true(stats_store_verdicts(f->db, counts, &f->err));

    for (int i = 0; i < VERDICT_COUNT; i++) {
        assert_int_equal(counts[i], 0);
    }
}

static void each_verdict_is_counted_for_itself(void **state) {
    struct fixture *f = *state;
    int64_t counts[VERDICT_COUNT];
    int64_t id = 0;
    for (int verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        for (int i = 0; i <= verdict; i++) {
            submit(f, ++id, (enum verdict)verdict);
        }
    }

    assert_true(stats_store_verdicts(f->db, counts, &f->err));

    for (int verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        assert_int_equal(counts[verdict], verdict + 1);
    }
}

static void a_number_of_no_verdict_is_left_out(void **state) {
    struct fixture *f = *state;
    int64_t counts[VERDICT_COUNT];
    submit(f, 1, VERDICT_ACCEPTED);
    submit(f, 2, VERDICT_ACCEPTED);
    submit(f, 3, VERDICT_ACCEPTED);
    fixture_exec(f, f->db, "UPDATE submission SET verdict = 4000 WHERE id = 2");
    fixture_exec(f, f->db, "UPDATE submission SET verdict = -1 WHERE id = 3");

    assert_true(stats_store_verdicts(f->db, counts, &f->err));

    assert_int_equal(counts[VERDICT_ACCEPTED], 1);
    assert_int_equal(counts[VERDICT_NONE], 0);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(an_empty_database_counts_nothing),
        WITH_DB(each_verdict_is_counted_for_itself),
        WITH_DB(a_number_of_no_verdict_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
