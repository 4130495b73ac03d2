/* What nodes did and tried. */
#include "store/node_event_store.h"

#include "job_fixture.h"

static struct node_event_row an_event(int64_t id) {
    return (struct node_event_row){
        .id = id,
        .node = {5},
        .at_ms = START_MS + 9,
        .event = "result.refused",
        .job = {70},
        .detail = STR("the lease had ended"),
    };
}

static void insert(struct fixture *f, const struct node_event_row *row) {
    fixture_begin(f);
    assert_true(node_event_insert(f->db, row, &f->err));
    fixture_commit(f);
}

static void a_row_holds_all_it_was_told(void **state) {
    struct fixture *f = *state;
    struct node_event_row row = an_event(1);
    insert(f, &row);

    own(db_stmt) stmt = NULL;
    assert_true(db_prepare(f->db,
                           "SELECT node_id, at_ms, event, job_id, detail FROM node_event "
                           "WHERE id = 1",
                           &stmt, &f->err));
    assert_int_equal(db_step(stmt, &f->err), DB_ROW);

    assert_int_equal(db_i64(stmt, 0), 5);
    assert_int_equal(db_i64(stmt, 1), START_MS + 9);
    assert_true(str_eq_c(db_text(stmt, 2), "result.refused"));
    assert_int_equal(db_i64(stmt, 3), 70);
    assert_true(str_eq_c(db_text(stmt, 4), "the lease had ended"));
}

static void a_long_detail_is_cut_between_characters(void **state) {
    struct fixture *f = *state;
    char detail[1100];
    memset(detail, 'd', sizeof detail);
    memcpy(detail + 1023, "\xe4\xbd\xa0", 3); /* would end past 1024 */
    struct node_event_row row = an_event(1);
    row.detail = str_of(detail, sizeof detail);

    insert(f, &row);

    assert_int_equal(fixture_i64(f, f->db, "SELECT length(detail) FROM node_event"), 1023);
}

static void an_event_without_a_job_and_detail_is_fine(void **state) {
    struct fixture *f = *state;
    struct node_event_row row = {.id = 1, .node = {5}, .at_ms = START_MS, .event = "node.joined"};

    insert(f, &row);

    assert_int_equal(fixture_i64(f, f->db,
                                 "SELECT count(*) FROM node_event WHERE job_id = 0 AND "
                                 "detail = '' AND event = 'node.joined'"),
                     1);
}

static void an_id_is_used_once(void **state) {
    struct fixture *f = *state;
    struct node_event_row row = an_event(1);
    insert(f, &row);

    fixture_begin(f);
    assert_true(node_event_insert(f->db, &row, &f->err));
    assert_false(db_flush(f->db, &f->err));
    fixture_was_duplicate(f);
    db_rollback(f->db);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_row_holds_all_it_was_told),
        WITH_DB(a_long_detail_is_cut_between_characters),
        WITH_DB(an_event_without_a_job_and_detail_is_fine),
        WITH_DB(an_id_is_used_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
