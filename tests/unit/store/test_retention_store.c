/* What is kept for a time only, and who may remove it. */
#include "store/retention_store.h"

#include "job_fixture.h"

#define NOW_MS INT64_C(1000000)

static void script(struct fixture *f, const char *sql) {
    assert_true(db_script(f->db, str_from(sql), &f->err));
}

static struct retention_page page_of(struct fixture *f, enum retention_kind kind, int64_t after,
                                     struct retention_row *rows, int max) {
    struct retention_page page = {.after = after, .rows = rows, .max = max};
    assert_true(retention_store_page(f->db, kind, &page, &f->err));
    return page;
}

static bool remove_row(struct fixture *f, enum retention_kind kind, int64_t key,
                       int64_t before_ms) {
    bool removed = false;
    fixture_begin(f);
    assert_true(retention_store_remove(f->db, kind, key, before_ms, &removed, &f->err));
    fixture_commit(f);
    return removed;
}

static void pages_go_forward_by_key(void **state) {
    struct fixture *f = *state;
    struct retention_row rows[3];
    script(f, "INSERT INTO node_event (id, node_id, at_ms, event, job_id, detail) VALUES "
              "(5, 1, 50, 'e', 0, ''), (2, 1, 20, 'e', 0, ''), (9, 1, 90, 'e', 0, ''), "
              "(7, 1, 70, 'e', 0, '')");

    struct retention_page first = page_of(f, RETENTION_NODE_EVENTS, 0, rows, 3);
    assert_int_equal(first.count, 3);
    assert_int_equal(rows[0].key, 2);
    assert_int_equal(rows[2].key, 7);
    assert_int_equal(rows[2].over_ms, 70);

    struct retention_page second = page_of(f, RETENTION_NODE_EVENTS, 7, rows, 3);
    assert_int_equal(second.count, 1);
    assert_int_equal(rows[0].key, 9);
}

static void only_what_is_old_enough_is_removed(void **state) {
    struct fixture *f = *state;
    script(f, "INSERT INTO node_event (id, node_id, at_ms, event, job_id, detail) VALUES "
              "(5, 1, 50, 'e', 0, '')");

    assert_false(remove_row(f, RETENTION_NODE_EVENTS, 5, 50));
    assert_false(remove_row(f, RETENTION_NODE_EVENTS, 6, 99)); /* there is none */
    assert_true(remove_row(f, RETENTION_NODE_EVENTS, 5, 51));
    assert_false(remove_row(f, RETENTION_NODE_EVENTS, 5, 51));
}

#define BODY "'cpp', 'default', 'cpp', x'00', x'00', 1, 1, 1, 1, 1, 't'"
#define JOB_REST "1, 0, 1, 1, 0, 0, "
#define SUBMISSION_REST                                                                            \
    "1, 1, x'00', 'cpp', 1, 0, 2, 12, 12, 2, 1, 0, 0, 1, 0, 0, NULL, NULL, 't', 0, 0, 0"

/* Submission 1: job 11 judged at 100 and replaced by job 12, judged at 200. Job 30 was a run of own
 * input. */
static void make_history(struct fixture *f) {
    script(f, "INSERT INTO submission VALUES (1, 1, " SUBMISSION_REST ")");
    script(f, "INSERT INTO job VALUES "
              "(11, 1, 1, 1, 1, 1, 1, 0, 3, 1, 1, 1, 1, 0, x'00', 0, '', '', 0, 100), "
              "(12, 1, 1, 2, 1, 1, 1, 0, 3, 1, 1, 1, 1, 0, x'00', 0, '', '', 0, 200), "
              "(30, 4, 9, 1, 1, 1, 1, 0, 3, 1, 1, 1, 1, 0, x'00', 0, '', '', 0, 300), "
              "(31, 4, 10, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, NULL, 0, '', '', 0, 0)");
    script(f, "INSERT INTO job_body SELECT id, " BODY " FROM job");
    script(f, "INSERT INTO job_result SELECT id, 0, 0, x'' FROM job WHERE state = 3");
}

static void a_snapshot_stays_while_its_judging_counts(void **state) {
    struct fixture *f = *state;
    struct retention_row rows[8];
    make_history(f);

    struct retention_page page = page_of(f, RETENTION_BODIES, 0, rows, 8);

    assert_int_equal(page.count, 2);
    assert_int_equal(rows[0].key, 11);
    assert_int_equal(rows[0].over_ms, 100);
    assert_int_equal(rows[1].over_ms, 0);
    assert_false(remove_row(f, RETENTION_BODIES, 12, NOW_MS));
    assert_true(remove_row(f, RETENTION_BODIES, 11, NOW_MS));
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job_body WHERE job_id = 11"), 0);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job_result WHERE job_id = 11"), 1);
}

/* Undone between the look and the removal. */
static void a_snapshot_that_counts_again_stays(void **state) {
    struct fixture *f = *state;
    make_history(f);
    script(f, "UPDATE submission SET effective_job_id = 11");

    assert_false(remove_row(f, RETENTION_BODIES, 11, NOW_MS));
}

static void a_run_of_own_input_goes_with_all_that_it_had(void **state) {
    struct fixture *f = *state;
    struct retention_row rows[8];
    make_history(f);

    struct retention_page page = page_of(f, RETENTION_RUN_JOBS, 0, rows, 8);
    assert_int_equal(page.count, 2);
    assert_int_equal(rows[1].over_ms, 0); /* not judged yet */
    assert_false(remove_row(f, RETENTION_RUN_JOBS, 31, NOW_MS));
    assert_false(remove_row(f, RETENTION_RUN_JOBS, 12, NOW_MS)); /* no run at all */
    assert_true(remove_row(f, RETENTION_RUN_JOBS, 30, NOW_MS));

    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job WHERE id = 30"), 0);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job_body WHERE job_id = 30"), 0);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job_result WHERE job_id = 30"), 0);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job"), 3);
}

static void sessions_are_over_when_revoked_or_expired(void **state) {
    struct fixture *f = *state;
    struct retention_row rows[8];
    script(f, "INSERT INTO user_session VALUES (1, 1, x'01', 0, 0, 500, 0), "
              "(2, 1, x'02', 0, 0, 500, 40)");

    struct retention_page page = page_of(f, RETENTION_SESSIONS, 0, rows, 8);

    assert_int_equal(page.count, 2);
    assert_int_equal(rows[0].over_ms, 500);
    assert_int_equal(rows[1].over_ms, 40);
    assert_false(remove_row(f, RETENTION_SESSIONS, 1, 500));
    assert_true(remove_row(f, RETENTION_SESSIONS, 2, 500));
}

static void every_kind_can_be_gone_through(void **state) {
    struct fixture *f = *state;
    for (int kind = 0; kind < RETENTION_KIND_COUNT; kind++) {
        struct retention_row rows[2];
        struct retention_page page = page_of(f, (enum retention_kind)kind, 0, rows, 2);
        assert_int_equal(page.count, 0);
        assert_false(remove_row(f, (enum retention_kind)kind, 1, NOW_MS));
        assert_non_null(retention_kind_name((enum retention_kind)kind));
    }
}

/* ---- who maintains ---- */

static bool take_as(struct fixture *f, const char *owner, int64_t now_ms) {
    struct maintainer maintainer = {
        .name = STR("retention"), .owner = str_from(owner), .now_ms = now_ms, .lease_ms = 1000};
    bool held = false;
    fixture_begin(f);
    assert_true(maintenance_lease_take(f->db, &maintainer, &held, &f->err));
    fixture_commit(f);
    return held;
}

static void one_server_maintains_until_its_time_is_over(void **state) {
    struct fixture *f = *state;
    assert_true(take_as(f, "a", 100));
    assert_false(take_as(f, "b", 1099));
    assert_true(take_as(f, "a", 900)); /* longer */
    assert_false(take_as(f, "b", 1899));
    assert_int_equal(fixture_i64(f, f->db, "SELECT term FROM maintenance_lease"), 1);
    assert_true(take_as(f, "b", 1900));
    assert_int_equal(fixture_i64(f, f->db, "SELECT term FROM maintenance_lease"), 2);
    assert_false(take_as(f, "a", 2000));
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(pages_go_forward_by_key),
        WITH_DB(only_what_is_old_enough_is_removed),
        WITH_DB(a_snapshot_stays_while_its_judging_counts),
        WITH_DB(a_snapshot_that_counts_again_stays),
        WITH_DB(a_run_of_own_input_goes_with_all_that_it_had),
        WITH_DB(sessions_are_over_when_revoked_or_expired),
        WITH_DB(every_kind_can_be_gone_through),
        WITH_DB(one_server_maintains_until_its_time_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
