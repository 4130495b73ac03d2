/* The outbox. */
#include "store/event_store.h"

#include "job_fixture.h"

#define EVENTS_MAX 8

static struct event_row an_event(int64_t job, int64_t rev) {
    return (struct event_row){
        .job = {job},
        .type = EVENT_EFFECTIVE_CHANGED,
        .effective_rev = rev,
        .submission = {job + 1000},
    };
}

static void insert(struct fixture *f, const struct event_row *event, int64_t at_ms) {
    fixture_begin(f);
    assert_true(event_store_insert(f->db, event, at_ms, &f->err));
    fixture_commit(f);
}

static int due(struct fixture *f, int64_t now_ms, struct event_row events[EVENTS_MAX]) {
    int count = -1;
    assert_true(event_store_due(f->db, now_ms, events, EVENTS_MAX, &count, &f->err));
    return count;
}

static void an_event_comes_back_with_all_it_says(void **state) {
    struct fixture *f = *state;
    struct event_row in = an_event(7, 3);
    struct event_row events[EVENTS_MAX];
    insert(f, &in, START_MS);

    assert_int_equal(due(f, START_MS, events), 1);

    assert_int_equal(events[0].job.value, 7);
    assert_int_equal(events[0].type, EVENT_EFFECTIVE_CHANGED);
    assert_int_equal(events[0].effective_rev, 3);
    assert_int_equal(events[0].submission.value, 1007);
}

static void the_oldest_that_are_due_come_first_and_not_more_than_asked(void **state) {
    struct fixture *f = *state;
    static const struct {
        int64_t job;
        int64_t at_ms;
    } rows[] = {{1, 30}, {2, 10}, {4, 20}, {3, 20}, {5, 31}};
    struct event_row events[EVENTS_MAX];
    int count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct event_row event = an_event(rows[i].job, 1);
        insert(f, &event, START_MS + rows[i].at_ms);
    }

    assert_int_equal(due(f, START_MS + 30, events), 4);
    assert_int_equal(events[0].job.value, 2);
    assert_int_equal(events[1].job.value, 3);
    assert_int_equal(events[2].job.value, 4);
    assert_int_equal(events[3].job.value, 1);
    assert_true(event_store_due(f->db, START_MS + 30, events, 2, &count, &f->err));

    assert_int_equal(count, 2);
    assert_int_equal(due(f, START_MS + 9, events), 0);
}

static void the_same_event_is_written_once(void **state) {
    struct fixture *f = *state;
    struct event_row event = an_event(7, 3);
    struct event_row next = an_event(7, 4);
    insert(f, &event, START_MS);

    fixture_begin(f);
    assert_true(event_store_insert(f->db, &event, START_MS + 1, &f->err));
    assert_false(db_flush(f->db, &f->err));
    fixture_was_duplicate(f);
    assert_true(event_store_insert(f->db, &next, START_MS + 1, &f->err));
    fixture_commit(f);
}

static void a_delayed_event_lets_the_others_pass(void **state) {
    struct fixture *f = *state;
    struct event_row stuck = an_event(1, 1);
    struct event_row other = an_event(2, 1);
    struct event_row events[EVENTS_MAX];
    insert(f, &stuck, START_MS);
    insert(f, &other, START_MS + 1);

    fixture_begin(f);
    assert_true(event_store_delay(f->db, &stuck, START_MS + 500, &f->err));
    fixture_commit(f);

    assert_int_equal(due(f, START_MS + 499, events), 1);
    assert_int_equal(events[0].job.value, 2);
    assert_int_equal(due(f, START_MS + 500, events), 2);
    assert_int_equal(events[1].job.value, 1);
    assert_int_equal(
        fixture_i64(f, f->db, "SELECT attempts FROM settlement_event WHERE job_id = 1"), 1);
}

static void a_handled_event_goes_and_its_next_revision_stays(void **state) {
    struct fixture *f = *state;
    struct event_row handled = an_event(7, 1);
    struct event_row next = an_event(7, 2);
    struct event_row events[EVENTS_MAX];
    insert(f, &handled, START_MS);
    insert(f, &next, START_MS);

    fixture_begin(f);
    assert_true(event_store_delete(f->db, &handled, &f->err));
    assert_true(event_store_delete(f->db, &handled, &f->err)); /* gone already: fine */
    fixture_commit(f);

    assert_int_equal(due(f, START_MS, events), 1);
    assert_int_equal(events[0].effective_rev, 2);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(an_event_comes_back_with_all_it_says),
        WITH_DB(the_oldest_that_are_due_come_first_and_not_more_than_asked),
        WITH_DB(the_same_event_is_written_once),
        WITH_DB(a_delayed_event_lets_the_others_pass),
        WITH_DB(a_handled_event_goes_and_its_next_revision_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
