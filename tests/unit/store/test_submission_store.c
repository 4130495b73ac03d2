/* What users handed in. */
#include "store/submission_store.h"

#include "base/limits.h"
#include "base/random.h"
#include "job_fixture.h"
#include "rows_fixture.h"

static struct submission_insert a_submission(int64_t id, int64_t user, int64_t problem) {
    struct submission_insert insert = {
        .id = {id},
        .kind = SUBMISSION_ALGO,
        .user = {user},
        .problem = {problem},
        .language = STR("cpp17"),
        .origin = ORIGIN_PRACTICE,
        .job = {id + 1000},
        .cases_total = 10,
        .trace_id = STR("trace_1"),
        .now_ms = START_MS,
    };
    memset(insert.manifest_id, 0x33, sizeof insert.manifest_id);
    return insert;
}

static void insert(struct fixture *f, const struct submission_insert *row) {
    fixture_begin(f);
    assert_true(submission_store_insert(f->db, row, &f->err));
    fixture_commit(f);
}

static void judge(struct fixture *f, int64_t id, enum verdict verdict, int64_t score_micro) {
    struct submission_outcome outcome = {
        .id = {id},
        .effective_job = {id + 1000},
        .effective_rev = 1,
        .verdict = verdict,
        .score_micro = score_micro,
        .cases_passed = 4,
        .cases_total = 11,
        .cpu_ms = 123,
        .memory_kib = 4567,
        .now_ms = START_MS + 50,
    };
    fixture_begin(f);
    fixture_lock(f, LOCK_SUBMISSION, id);
    assert_true(submission_store_judged(f->db, &outcome, &f->err));
    fixture_commit(f);
}

/* Users 1 and 2, problems 1 and 2: what rows for people name. */
static void insert_names(struct fixture *f) {
    fixture_exec(f, f->db,
                 "INSERT INTO `user` VALUES (1, 'Ada', 'ada', '', 1, '', 0, 1, 0, 0), "
                 "(2, 'Bob', 'bob', '', 1, '', 0, 1, 0, 0)");
    fixture_exec(f, f->db,
                 "INSERT INTO problem VALUES "
                 "(1, 'P1', 'en\tTitle 1', '', " ZEROS ", 1, 1, 1, 1, 1, 1, '', 1, 0, 0), "
                 "(2, 'P2', 'en\tTitle 2', '', " ZEROS ", 1, 1, 1, 1, 1, 1, '', 1, 0, 0)");
}

static struct submission_row read_row(struct fixture *f, int64_t id, struct arena *arena) {
    struct submission_row row = {0};
    bool found = false;
    assert_true(
        submission_store_row(f->db, (struct submission_id){id}, arena, &row, &found, &f->err));
    assert_true(found);
    return row;
}

static void a_new_submission_has_a_current_job_and_no_effective_one(void **state) {
    struct fixture *f = *state;
    struct submission_insert row = a_submission(7, 1, 2);
    struct submission_facts facts = {0};
    bool found = false;
    insert(f, &row);

    assert_true(submission_store_get(f->db, row.id, &facts, &found, &f->err));

    assert_true(found);
    assert_int_equal(facts.id.value, 7);
    assert_int_equal(facts.user.value, 1);
    assert_int_equal(facts.problem.value, 2);
    assert_int_equal(facts.current_job.value, 1007);
    assert_int_equal(facts.effective_job.value, 0);
    assert_int_equal(facts.effective_rev, 0);
    assert_true(submission_store_get(f->db, (struct submission_id){8}, &facts, &found, &f->err));
    assert_false(found);
}

static void a_user_uses_a_request_key_once(void **state) {
    struct fixture *f = *state;
    struct submission_insert first = a_submission(1, 1, 1);
    first.request_key = STR("key-1");
    memset(first.request_digest, 0x44, sizeof first.request_digest);
    struct submission_insert again = a_submission(2, 1, 1);
    again.request_key = first.request_key;
    struct submission_insert other_user = a_submission(3, 2, 1);
    other_user.request_key = first.request_key;
    insert(f, &first);
    insert(f, &other_user);

    fixture_begin(f);
    assert_true(submission_store_insert(f->db, &again, &f->err));
    assert_false(db_flush(f->db, &f->err));
    fixture_was_duplicate(f);
    db_rollback(f->db);
    const struct rows_value used[] = {rows_i64(first.user.value), rows_text(first.request_key)};
    const struct rows_value fresh[] = {rows_i64(first.user.value), rows_text(STR("key-2"))};
    assert_int_equal(fixture_read(f, &request_select, used, 1, 2).last, 1);
    assert_int_equal(fixture_read(f, &request_select, fresh, 1, 2).count, 0);
}

static void any_number_goes_without_a_request_key(void **state) {
    struct fixture *f = *state;
    struct submission_insert first = a_submission(1, 1, 1);
    struct submission_insert second = a_submission(2, 1, 1);
    insert(f, &first);
    insert(f, &second);

    assert_int_equal(
        fixture_i64(f, f->db, "SELECT count(*) FROM submission WHERE request_key IS NULL"), 2);
}

static void a_row_for_people_has_names_and_the_outcome(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 * MIB);
    struct submission_insert in = a_submission(7, 1, 2);
    bool found = true;
    insert_names(f);
    insert(f, &in);
    struct submission_row row = read_row(f, 7, arena);
    assert_int_equal(row.verdict, VERDICT_NONE);
    assert_int_equal(row.cases_total, 10);
    assert_int_equal(row.judged_ms, 0);

    judge(f, 7, VERDICT_PARTIAL, 400000);
    row = read_row(f, 7, arena);

    assert_true(str_eq_c(row.problem_code, "P2"));
    assert_true(str_eq_c(row.problem_titles, "en\tTitle 2"));
    assert_true(str_eq_c(row.username, "Ada"));
    assert_true(str_eq_c(row.language, "cpp17"));
    assert_true(str_eq_c(row.trace_id, "trace_1"));
    assert_int_equal(row.generation, 1);
    assert_int_equal(row.current_job.value, 1007);
    assert_int_equal(row.effective_job.value, 1007);
    assert_int_equal(row.verdict, VERDICT_PARTIAL);
    assert_int_equal(row.score_micro, 400000);
    assert_int_equal(row.cases_passed, 4);
    assert_int_equal(row.cases_total, 11);
    assert_int_equal(row.cpu_ms, 123);
    assert_int_equal(row.memory_kib, 4567);
    assert_int_equal(row.created_ms, START_MS);
    assert_int_equal(row.judged_ms, START_MS + 50);
    assert_true(
        submission_store_row(f->db, (struct submission_id){8}, arena, &row, &found, &f->err));
    assert_false(found);
}

static void a_list_is_newest_first_and_filtered(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 * MIB);
    insert_names(f);
    for (int64_t id = 1; id <= 8; id++) { /* users 2 1 2 1 ..., problems 1 1 1 1 2 2 2 2 */
        struct submission_insert row = a_submission(id, id % 2 == 0 ? 1 : 2, id <= 4 ? 1 : 2);
        insert(f, &row);
    }
    static const struct {
        struct submission_query query;
        int count;
        int64_t first;
        int64_t last;
    } cases[] = {
        {{.limit = 100}, 8, 8, 1},
        {{.limit = 3}, 3, 8, 6},
        {{.limit = 3, .before = 6}, 3, 5, 3},
        {{.limit = LIST_LIMIT_MAX + 1, .user = {1}}, 4, 8, 2},
        {{.limit = 100, .problem = {1}}, 4, 4, 1},
        {{.limit = 100, .user = {2}, .problem = {2}}, 2, 7, 5},
        {{.limit = 100, .user = {2}, .problem = {2}, .before = 7}, 1, 5, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct submission_row *rows = NULL;
        int count = 0;

        assert_true(submission_store_list(f->db, &cases[i].query, arena, &rows, &count, &f->err));

        assert_int_equal(count, cases[i].count);
        assert_int_equal(rows[0].id.value, cases[i].first);
        assert_int_equal(rows[count - 1].id.value, cases[i].last);
    }
}

static void recompute(struct fixture *f) {
    fixture_begin(f);
    assert_true(
        user_problem_recompute(f->db, (struct user_id){1}, (struct problem_id){1}, &f->err));
    fixture_commit(f);
}

static int64_t reached(struct fixture *f, const char *sql) {
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM user_problem"), 1);
    return fixture_i64(f, f->db, sql);
}

static void the_best_is_an_accepted_one_then_the_score_then_the_earliest(void **state) {
    struct fixture *f = *state;
    static const char best_sql[] = "SELECT best_submission_id FROM user_problem";
    static const struct {
        enum verdict verdict;
        int64_t score_micro;
        int64_t best; /* after it */
    } steps[] = {
        {VERDICT_WRONG_ANSWER, 0, 1},  {VERDICT_PARTIAL, 700000, 2}, {VERDICT_PARTIAL, 700000, 2},
        {VERDICT_ACCEPTED, 500000, 4}, {VERDICT_PARTIAL, 900000, 4}, {VERDICT_ACCEPTED, 1000000, 6},
        {VERDICT_RUNTIME_ERROR, 0, 6},
    };
    struct submission_insert others = a_submission(90, 2, 1);
    insert(f, &others);
    judge(f, 90, VERDICT_ACCEPTED, 1000000);
    for (int64_t i = 0; i < (int64_t)(sizeof steps / sizeof steps[0]); i++) {
        struct submission_insert row = a_submission(i + 1, 1, 1);
        insert(f, &row);
        judge(f, i + 1, steps[i].verdict, steps[i].score_micro);

        recompute(f);

        assert_int_equal(reached(f, best_sql), steps[i].best);
    }
    assert_int_equal(reached(f, "SELECT best_verdict FROM user_problem"), VERDICT_ACCEPTED);
    assert_int_equal(reached(f, "SELECT best_score_micro FROM user_problem"), 1000000);
}

static void recomputing_twice_changes_nothing_and_unjudged_ones_do_not_count(void **state) {
    struct fixture *f = *state;
    struct submission_insert judged = a_submission(1, 1, 1);
    struct submission_insert waiting = a_submission(2, 1, 1);
    insert(f, &judged);
    insert(f, &waiting);
    judge(f, 1, VERDICT_WRONG_ANSWER, 0);

    recompute(f);
    recompute(f);

    assert_int_equal(reached(f, "SELECT best_submission_id FROM user_problem"), 1);
}

static int64_t stored(struct fixture *f, const char *column) {
    char sql[200];
    (void)snprintf(sql, sizeof sql, "SELECT %s FROM user_problem WHERE user_id = 1", column);
    own(db_stmt) stmt = NULL;
    bool found = false;
    assert_true(db_prepare(f->db, sql, &stmt, &f->err));
    assert_true(db_find(stmt, &found, &f->err));
    int64_t value = found ? db_i64(stmt, 0) : -1;
    db_reset(stmt);
    return value;
}

static void update_many(struct fixture *f, const struct submission_id *ids, int count) {
    fixture_begin(f);
    assert_true(user_problems_update(f->db, ids, count, &f->err));
    fixture_commit(f);
}

static void update(struct fixture *f, int64_t id) {
    update_many(f, &(struct submission_id){id}, 1);
}

/* Verdicts come and change at random: whatever changed at a time, named once or often, leads where
 * reading all of them does. */
static void updating_by_the_changed_one_is_the_same_as_recomputing(void **state) {
    struct fixture *f = *state;
    static const enum verdict verdicts[] = {VERDICT_ACCEPTED, VERDICT_PARTIAL, VERDICT_WRONG_ANSWER,
                                            VERDICT_CANCELLED};
    static const char *const columns[] = {"best_submission_id", "best_verdict", "best_score_micro"};
    struct random_seeded random;
    random_seeded_init(&random, 5);
    for (int64_t id = 1; id <= 6; id++) {
        struct submission_insert row = a_submission(id, 1, 1);
        insert(f, &row);
    }
    update(f, 1);  /* no verdict yet */
    update(f, 99); /* no such submission */
    assert_int_equal(stored(f, "best_verdict"), -1);
    for (int i = 0; i < 200; i++) {
        struct submission_id changed[4];
        int64_t updated[3];
        int count = 1 + (int)random_below(&random.random, 4);
        for (int c = 0; c < count; c++) {
            changed[c].value = 1 + random_below(&random.random, 6);
            judge(f, changed[c].value, verdicts[random_below(&random.random, 4)],
                  10 * random_below(&random.random, 3));
        }

        update_many(f, changed, count);
        update_many(f, changed, count);

        for (int c = 0; c < 3; c++) {
            updated[c] = stored(f, columns[c]);
        }
        recompute(f);
        for (int c = 0; c < 3; c++) {
            assert_int_equal(stored(f, columns[c]), updated[c]);
        }
    }
}

static void judge_unlocked(struct fixture *f) {
    struct submission_outcome outcome = {.id = {1}, .verdict = VERDICT_ACCEPTED};
    if (db_begin(f->db, &f->err)) {
        (void)!submission_store_judged(f->db, &outcome, &f->err);
    }
}

static void list_too_many(struct fixture *f) {
    own(arena) arena = arena_create(1 * MIB);
    struct submission_query query = {.limit = LIST_LIMIT_MAX + 2};
    struct submission_row *rows = NULL;
    int count = 0;
    (void)!submission_store_list(f->db, &query, arena, &rows, &count, &f->err);
}

static void judging_without_the_lock_and_too_long_a_list_abort(void **state) {
    struct fixture *f = *state;
    struct submission_insert row = a_submission(1, 1, 1);
    insert(f, &row);

    assert_true(fixture_aborts(f, judge_unlocked));
    assert_true(fixture_aborts(f, list_too_many));
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_new_submission_has_a_current_job_and_no_effective_one),
        WITH_DB(a_user_uses_a_request_key_once),
        WITH_DB(any_number_goes_without_a_request_key),
        WITH_DB(a_row_for_people_has_names_and_the_outcome),
        WITH_DB(a_list_is_newest_first_and_filtered),
        WITH_DB(the_best_is_an_accepted_one_then_the_score_then_the_earliest),
        WITH_DB(recomputing_twice_changes_nothing_and_unjudged_ones_do_not_count),
        WITH_DB(updating_by_the_changed_one_is_the_same_as_recomputing),
        WITH_DB(judging_without_the_lock_and_too_long_a_list_abort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
