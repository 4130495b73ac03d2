/* Each rule finds the violation that is planted for it. */
#include "store/invariant_store.h"

#include "job_fixture.h"

/* Submission 1 waits, 2 waits for its time, 3 is being judged by node 5, 4 is judged. */
static const char *const sound[] = {
    "INSERT INTO submission SELECT i, 1, 1, 1, " ZEROS ", 'c', 1, 0, 1, i * 10, "
    "CASE WHEN i = 4 THEN 40 ELSE 0 END, i = 4, i = 4, 0, 0, 1, 0, 0, NULL, NULL, '', 1, "
    "CASE WHEN i = 4 THEN 99 ELSE 0 END, 0 "
    "FROM (SELECT 1 AS i UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4) AS n",
    "INSERT INTO submission_source SELECT id, " ZEROS ", 0, 0, x'' FROM submission",
    "INSERT INTO job SELECT id * 10, 1, id, 1, 3, 1, id, "
    "CASE WHEN id = 2 THEN 500 ELSE 0 END, "
    "CASE id WHEN 3 THEN 2 WHEN 4 THEN 3 ELSE 1 END, "
    "id >= 3, id >= 3, CASE WHEN id >= 3 THEN 77 ELSE 0 END, "
    "CASE WHEN id >= 3 THEN 5 ELSE 0 END, 0, CASE WHEN id = 4 THEN " ZEROS " END, "
    "0, '', '', 1, 0 FROM submission",
    "INSERT INTO job_body SELECT id, 'p', 's', 'c', " ZEROS ", " ZEROS ", 0, 1, 1, 1, 1, '' "
    "FROM job",
    "INSERT INTO job_ready VALUES (3, 1, 1, 10)",
    "INSERT INTO job_delayed VALUES (500, 20, 1)",
    "INSERT INTO job_lease VALUES (30, 5, 0, 2, 1, 77, 1, 900, 950, 100, 0)",
    "INSERT INTO job_result VALUES (40, 0, 0, x'')",
    "INSERT INTO node VALUES (5, 'n', 3, 0, 4, 2, 0, 2, NULL, 0, NULL, '', '', 1, '', '', 1, 0, "
    "'', 0, '', 0, '')",
    "INSERT INTO user_problem VALUES (1, 1, 1, 0, 4)",
};

static void plant_sound(struct fixture *f) {
    for (size_t i = 0; i < sizeof sound / sizeof sound[0]; i++) {
        fixture_exec(f, f->db, sound[i]);
    }
}

struct violation {
    const char *sql;
    const char *text; /* what the error says */
};

static void expect_all(struct fixture *f, const struct violation *violations, size_t count) {
    plant_sound(f);
    for (size_t i = 0; i < count; i++) {
        f->err = (struct err){0};
        fixture_begin(f);
        fixture_exec(f, f->db, violations[i].sql);

        if (invariants_check(f->db, &f->err)) {
            fail_msg("not found: %s", violations[i].sql);
        }

        db_rollback(f->db);
        assert_int_equal(f->err.kind, ERR_SYSTEM);
        assert_string_equal(f->err.code, "invariant_broken");
        assert_string_equal(f->err.text, violations[i].text);
        assert_true(invariants_check(f->db, &f->err));
    }
}
#define EXPECT_ALL(f, violations)                                                                  \
    expect_all(f, violations, sizeof(violations) / sizeof *(violations))

static void an_empty_and_a_sound_database_break_no_rule(void **state) {
    struct fixture *f = *state;

    assert_true(invariants_check(f->db, &f->err));
    plant_sound(f);
    bool holds = invariants_check(f->db, &f->err);

    assert_string_equal(f->err.text, "");
    assert_true(holds);
}

#define ONE_PLACE "an open job has exactly one place: not so for "
static void an_open_job_in_no_place_or_in_two_is_found(void **state) {
    static const struct violation violations[] = {
        {"DELETE FROM job_ready", ONE_PLACE "10"},
        {"DELETE FROM job_delayed", ONE_PLACE "20"},
        {"DELETE FROM job_lease", ONE_PLACE "30"},
        {"INSERT INTO job_delayed VALUES (0, 10, 1)", ONE_PLACE "10"},
        {"INSERT INTO job_ready VALUES (3, 1, 2, 20)", ONE_PLACE "20"},
        {"INSERT INTO job_ready VALUES (3, 1, 3, 30)", ONE_PLACE "30"},
        {"INSERT INTO job_ready VALUES (3, 1, 2, 10)", ONE_PLACE "10"},
    };
    EXPECT_ALL(*state, violations);
}

#define RUNNING "a running job has a lease, a queued one none: not so for "
#define NOWHERE "a closed job waits nowhere: not so for "
#define BELONGS "a place belongs to a job: not so for "
static void a_place_that_is_not_its_jobs_is_found(void **state) {
    static const struct violation violations[] = {
        {"UPDATE job SET state = 2 WHERE id = 10", RUNNING "10"},
        {"UPDATE job SET state = 1 WHERE id = 30", RUNNING "30"},
        {"INSERT INTO job_ready VALUES (3, 1, 4, 40)", NOWHERE "40"},
        {"INSERT INTO job_delayed VALUES (500, 40, 1)", NOWHERE "40"},
        {"INSERT INTO job_ready VALUES (3, 1, 4, 99)", BELONGS "99"},
        {"INSERT INTO job_delayed VALUES (500, 98, 1)", BELONGS "98"},
        {"INSERT INTO job_lease VALUES (97, 5, 0, 2, 1, 77, 1, 900, 950, 100, 1)", BELONGS "97"},
        {"UPDATE job_ready SET queue_id = 4", "a ready row has its job's key: not so for 10"},
        {"UPDATE job_ready SET priority = 2", "a ready row has its job's key: not so for 10"},
        {"UPDATE job_ready SET order_key = 9", "a ready row has its job's key: not so for 10"},
        {"UPDATE job SET due_ms = 1 WHERE id = 10", "a ready row has its job's key: not so for 10"},
        {"UPDATE job_delayed SET due_ms = 501",
         "a delayed row has its job's due time: not so for 20"},
    };
    EXPECT_ALL(*state, violations);
}

#define NEWEST "a lease is its job's newest: not so for 30"
static void a_wrong_lease_is_found(void **state) {
    static const struct violation violations[] = {
        {"INSERT INTO job_lease VALUES (40, 5, 0, 2, 1, 77, 1, 900, 950, 100, 0)",
         "a closed job's lease is a revoked one: not so for 40"},
        {"UPDATE job_lease SET lease_epoch = 2", NEWEST},
        {"UPDATE job_lease SET lease_token = 78", NEWEST},
        {"UPDATE job_lease SET node_id = 6", NEWEST},
        {"UPDATE job_lease SET lease_until_ms = 951",
         "a lease ends with its job at the latest: not so for 30"},
        {"UPDATE node SET session_epoch = 3",
         "a lease is of its node's newest session: not so for 30"},
        {"UPDATE job SET attempts = 2 WHERE id = 30",
         "attempts never exceed leases: not so for 30"},
        {"UPDATE job SET attempts = -1 WHERE id = 10",
         "attempts never exceed leases: not so for 10"},
    };
    EXPECT_ALL(*state, violations);
}

#define CURRENT "a submission has its current job: not so for 1"
#define COMPLETED "a completed job, and no other, has a result and a digest: not so for "
static void a_submission_or_a_job_that_lacks_a_part_is_found(void **state) {
    static const struct violation violations[] = {
        {"UPDATE submission SET current_job_id = 11 WHERE id = 1", CURRENT},
        {"UPDATE submission SET current_job_id = 20 WHERE id = 1", CURRENT},
        {"UPDATE submission SET generation = 2 WHERE id = 1", CURRENT},
        {"INSERT INTO job SELECT 11, 1, 1, 2, 3, 1, 1, 0, 1, 0, 0, 0, 0, 0, NULL, 0, '', '', 1, 0; "
         "INSERT INTO job_ready VALUES (3, 1, 1, 11)",
         "an open job is its submission's current one: not so for 11"},
        {"DELETE FROM job_body WHERE job_id = 10",
         "a job that is open or its submission's current one has its snapshot: not so for 10"},
        {"DELETE FROM submission_source WHERE submission_id = 2",
         "a submission has its source: not so for 2"},
        {"DELETE FROM job_result", COMPLETED "40"},
        {"UPDATE job SET result_digest = NULL WHERE id = 40", COMPLETED "40"},
        {"UPDATE job SET result_digest = " ZEROS " WHERE id = 10", COMPLETED "10"},
        {"INSERT INTO job_result VALUES (20, 0, 0, x'')", COMPLETED "20"},
    };
    EXPECT_ALL(*state, violations);
}

#define VERDICT "a verdict comes from a closed effective job, and only from one: not so for "
#define REACHED "what a user has reached is what recomputing finds: not so for 1"
static void a_wrong_verdict_or_a_wrong_sum_is_found(void **state) {
    static const struct violation violations[] = {
        {"UPDATE submission SET effective_job_id = 10 WHERE id = 4", VERDICT "4"},
        {"UPDATE submission SET effective_job_id = 99 WHERE id = 4", VERDICT "4"},
        {"UPDATE submission SET verdict = 2 WHERE id = 1", VERDICT "1"},
        {"UPDATE submission SET judged_ms = 0 WHERE id = 4", VERDICT "4"},
        {"UPDATE submission SET effective_rev = 0 WHERE id = 4", VERDICT "4"},
        {"UPDATE submission SET verdict = 0, effective_job_id = 0, judged_ms = 0, "
         "effective_rev = 0 WHERE id = 4",
         "a submission whose current job is closed has a verdict: not so for 4"},
        {"INSERT INTO settlement_event VALUES (40, 1, 2, 4, 0, 0)",
         "an event belongs to an effective job: not so for 40"},
        {"UPDATE user_problem SET best_score_micro = 2", REACHED},
        {"UPDATE user_problem SET best_submission_id = 1", REACHED},
        {"UPDATE user_problem SET best_verdict = 2", REACHED},
        {"DELETE FROM user_problem",
         "a judged submission is in what its user has reached: not so for 1"},
    };
    EXPECT_ALL(*state, violations);
}

/* Sixty-four more, of jobs that were given up and whose leases are revoked. */
static void a_node_with_more_leases_than_any_has_slots_is_found(void **state) {
    static const struct violation violations[] = {
        {"INSERT INTO job WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE "
         "i < 163) SELECT i, 3, i, 1, 3, 1, 1, 0, 4, 1, 1, 77, 5, 0, NULL, 0, '', '', 1, 0 FROM n; "
         "INSERT INTO job_body SELECT id, 'p', 's', 'c', " ZEROS ", " ZEROS ", 0, 1, 1, 1, "
         "1, '' FROM job WHERE id >= 100; INSERT INTO job_lease SELECT id, 5, 0, 2, 1, 77, 1, 900, "
         "950, 100, 1 FROM job WHERE id >= 100",
         "a node has no more leases than slots it ever had: not so for 5"},
    };
    EXPECT_ALL(*state, violations);
}

static void sums_may_lag_while_an_event_waits(void **state) {
    struct fixture *f = *state;
    plant_sound(f);
    fixture_exec(f, f->db, "DELETE FROM user_problem");
    assert_false(invariants_check(f->db, &f->err));

    fixture_exec(f, f->db, "INSERT INTO settlement_event VALUES (40, 1, 1, 4, 0, 0)");

    assert_true(invariants_check(f->db, &f->err));
}

static void a_query_that_fails_is_an_error_of_its_own(void **state) {
    struct fixture *f = *state;
    fixture_exec(f, f->db, "DROP TABLE job_delayed");

    assert_false(invariants_check(f->db, &f->err));

    assert_string_equal(f->err.code, "database_failed");
    assert_non_null(strstr(f->err.text, "check that an open job has exactly one place"));
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(an_empty_and_a_sound_database_break_no_rule),
        WITH_DB(an_open_job_in_no_place_or_in_two_is_found),
        WITH_DB(a_place_that_is_not_its_jobs_is_found),
        WITH_DB(a_wrong_lease_is_found),
        WITH_DB(a_submission_or_a_job_that_lacks_a_part_is_found),
        WITH_DB(a_wrong_verdict_or_a_wrong_sum_is_found),
        WITH_DB(a_node_with_more_leases_than_any_has_slots_is_found),
        WITH_DB(sums_may_lag_while_an_event_waits),
        WITH_DB(a_query_that_fails_is_an_error_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
