/* Rejudgings and their items. */
#include "store/rejudging_store.h"

#include "job_people.h"

static struct rejudging_row a_rejudging(int64_t id, const int64_t *ids, int count) {
    return (struct rejudging_row){
        .id = {id},
        .state = REJUDGING_CREATING,
        .options = REJUDGING_SUPERSEDE,
        .reason = STR("new tests"),
        .actor = {1},
        .until = 99,
        .selection = {.problem = {2},
                      .user = {3},
                      .language = {"cpp", 3},
                      .verdict = VERDICT_WRONG_ANSWER,
                      .fault = FAULT_PROBLEM,
                      .job_state = JOB_FAILED,
                      .origin = ORIGIN_PRACTICE,
                      .origin_id = 4,
                      .from_ms = 5,
                      .to_ms = 6,
                      .ids = ids,
                      .id_count = count},
        .created_ms = START_MS,
    };
}

static void a_rejudging_is_read_as_it_was_written(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 << 20);
    int64_t ids[] = {7, 9007199254740991};
    struct rejudging_row row = a_rejudging(5, ids, 2);
    struct rejudging_row read = {0};
    bool found = false;
    plant_people(f);

    assert_true(rejudging_insert(f->db, &row, arena, &f->err));
    assert_true(rejudging_find(f->db, row.id, arena, &read, &found, &f->err));

    assert_true(found && str_eq_c(read.reason, "new tests") && str_eq_c(read.username, "ann"));
    assert_int_equal(read.options, REJUDGING_SUPERSEDE);
    assert_int_equal(read.until, 99);
    assert_int_equal(read.selection.problem.value, 2);
    assert_int_equal(read.selection.user.value, 3);
    assert_true(str_eq_c(read.selection.language, "cpp"));
    assert_int_equal(read.selection.verdict, VERDICT_WRONG_ANSWER);
    assert_int_equal(read.selection.fault, FAULT_PROBLEM);
    assert_int_equal(read.selection.job_state, JOB_FAILED);
    assert_int_equal(read.selection.origin, ORIGIN_PRACTICE);
    assert_int_equal(read.selection.origin_id, 4);
    assert_int_equal(read.selection.from_ms, 5);
    assert_int_equal(read.selection.to_ms, 6);
    assert_int_equal(read.selection.id_count, 2);
    assert_int_equal(read.selection.ids[1], INT64_C(9007199254740991));
    assert_int_equal(read.created_ms, START_MS);
    assert_int_equal(read.revision, 1);
}

static void a_change_is_kept_and_what_is_over_is_not_active(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 << 20);
    struct rejudging_row row = a_rejudging(5, NULL, 0);
    struct rejudging_row other = a_rejudging(6, NULL, 0);
    struct rejudging_row rows[3];
    struct rejudging_rows page = {.rows = rows, .max = 3};
    struct rejudging_id active[3];
    int count = 0;
    assert_true(rejudging_insert(f->db, &row, arena, &f->err));
    assert_true(rejudging_insert(f->db, &other, arena, &f->err));
    fixture_begin(f);
    fixture_lock(f, LOCK_REJUDGING, 5);
    row.state = REJUDGING_READY;
    row.cursor = 44;
    row.finished_ms = 45;

    assert_true(rejudging_update(f->db, &row, &f->err));
    fixture_commit(f);

    assert_true(rejudging_list_rows(f->db, 6, arena, &page, &f->err));
    assert_int_equal(page.count, 1);
    assert_int_equal(rows[0].state, REJUDGING_READY);
    assert_int_equal(rows[0].cursor, 44);
    assert_int_equal(rows[0].finished_ms, 45);
    assert_int_equal(rows[0].revision, 2);
    assert_null(rows[0].selection.ids);
    assert_true(rejudging_active(f->db, active, 3, &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(active[0].value, 6);
}

static struct item_row an_item(int64_t submission, enum item_state state, enum verdict before,
                               enum verdict after) {
    return (struct item_row){
        .rejudging = {5},
        .submission = {submission},
        .state = state,
        .job = {submission + 100},
        .old_job = {submission * 10},
        .before = {.verdict = before, .score_micro = 5, .judged_ms = 11},
        .after = {.verdict = after, .score_micro = 5, .cpu_ms = 22},
    };
}

static void insert_items(struct fixture *f, const struct item_row *items, int count) {
    fixture_begin(f);
    for (int i = 0; i < count; i++) {
        fixture_lock(f, LOCK_SUBMISSION, items[i].submission.value);
        assert_true(item_insert(f->db, &items[i], &f->err));
    }
    fixture_commit(f);
}

static void an_item_is_found_by_job_by_submission_and_by_state(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 << 20);
    struct rejudging_row row = a_rejudging(5, NULL, 0);
    struct item_row items[] = {an_item(1, ITEM_JUDGING, VERDICT_NONE, VERDICT_NONE),
                               an_item(2, ITEM_JUDGED, VERDICT_WRONG_ANSWER, VERDICT_ACCEPTED)};
    struct item_row read[2];
    bool found = false;
    assert_true(rejudging_insert(f->db, &row, arena, &f->err));
    insert_items(f, items, 2);

    assert_true(item_of_job(f->db, (struct job_id){102}, read, &found, &f->err));
    assert_true(found);
    assert_int_equal(read[0].submission.value, 2);
    assert_int_equal(read[0].old_job.value, 20);
    assert_int_equal(read[0].before.judged_ms, 11);
    assert_int_equal(read[0].after.cpu_ms, 22);
    assert_true(item_pending(f->db, (struct submission_id){1}, (struct rejudging_id){6}, read,
                             &found, &f->err));
    assert_true(found);
    assert_true(item_pending(f->db, (struct submission_id){1}, (struct rejudging_id){5}, read,
                             &found, &f->err));
    assert_false(found);
    struct item_rows page = {.states = 1U << ITEM_JUDGED, .rows = read, .max = 2};
    assert_true(item_page(f->db, row.id, &page, &f->err));
    assert_int_equal(page.count, 1);
    page.states |= 1U << ITEM_JUDGING;
    assert_true(item_page(f->db, row.id, &page, &f->err));
    assert_int_equal(page.count, 2);
    page.after = 1;
    assert_true(item_page(f->db, row.id, &page, &f->err));
    assert_int_equal(page.count, 1);
    assert_int_equal(read[0].submission.value, 2);
}

static void an_update_keeps_what_counted_before(void **state) {
    struct fixture *f = *state;
    struct item_row item = an_item(2, ITEM_JUDGING, VERDICT_WRONG_ANSWER, VERDICT_NONE);
    struct item_row read = {0};
    bool found = false;
    insert_items(f, &item, 1);
    item.state = ITEM_SKIPPED;
    item.reason = REASON_CHANGED;
    item.job.value = 333;
    item.after.verdict = VERDICT_PARTIAL;
    item.before.verdict = VERDICT_NONE; /* never written again */
    fixture_begin(f);
    fixture_lock(f, LOCK_SUBMISSION, 2);

    assert_true(item_update(f->db, &item, &f->err));
    assert_true(item_get(f->db, item.rejudging, item.submission, &read, &found, &f->err));

    assert_true(found);
    assert_int_equal(read.state, ITEM_SKIPPED);
    assert_int_equal(read.reason, REASON_CHANGED);
    assert_int_equal(read.job.value, 333);
    assert_int_equal(read.after.verdict, VERDICT_PARTIAL);
    assert_int_equal(read.before.verdict, VERDICT_WRONG_ANSWER);
    fixture_commit(f);
}

/* The statement says the same as item_change_of: over all pairs of some verdicts and scores. */
static void gains_and_losses_are_counted_as_the_domain_says(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 << 20);
    static const enum verdict verdicts[] = {VERDICT_NONE, VERDICT_ACCEPTED, VERDICT_WRONG_ANSWER,
                                            VERDICT_PARTIAL};
    struct rejudging_counts counts = {0};
    int64_t expected[CHANGE_COUNT] = {0};
    int64_t id = 0;
    for (int i = 0; i < 4 * 4 * 9; i++) {
        struct item_row item = an_item(++id, ITEM_JUDGED, verdicts[i % 4], verdicts[i / 4 % 4]);
        item.before.score_micro = i / 16 % 3;
        item.after.score_micro = i / 48;
        insert_items(f, &item, 1);
        expected[item_change_of((struct item_worth){item.before.verdict, item.before.score_micro},
                                (struct item_worth){item.after.verdict, item.after.score_micro})]++;
    }
    struct item_row waits = an_item(++id, ITEM_JUDGING, VERDICT_NONE, VERDICT_NONE);
    insert_items(f, &waits, 1);

    assert_true(rejudging_count(f->db, (struct rejudging_id){5}, &counts, &f->err));

    assert_int_equal(counts.by_state[ITEM_JUDGED], 144);
    assert_int_equal(counts.by_state[ITEM_JUDGING], 1);
    assert_int_equal(counts.gains, expected[CHANGE_GAIN]);
    assert_int_equal(counts.losses, expected[CHANGE_LOSS]);
    assert_int_equal(counts.same, expected[CHANGE_SAME]);
    assert_int_equal(counts.others, expected[CHANGE_OTHER]);
    (void)arena;
}

static void a_list_has_names_and_filters(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 << 20);
    struct item_row items[] = {an_item(3, ITEM_JUDGED, VERDICT_ACCEPTED, VERDICT_WRONG_ANSWER),
                               an_item(4, ITEM_SKIPPED, VERDICT_SYSTEM_ERROR, VERDICT_NONE)};
    struct item_named read[3];
    int count = 0;
    plant_people(f);
    insert_items(f, items, 2);
    struct item_query all = {.rejudging = {5}, .limit = 3};
    struct item_query losses = {.rejudging = {5}, .change = CHANGE_LOSS, .limit = 3};
    struct item_query skipped = {.rejudging = {5}, .state = ITEM_SKIPPED, .limit = 3};

    assert_true(item_list(f->db, &all, arena, read, &count, &f->err));
    assert_int_equal(count, 2);
    assert_true(str_eq_c(read[1].username, "bob") && str_eq_c(read[1].problem_code, "p2"));
    assert_int_equal(read[1].problem.value, 2);
    assert_true(str_eq_c(read[1].language, "cpp"));
    assert_true(item_list(f->db, &losses, arena, read, &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(read[0].item.submission.value, 3);
    assert_true(item_list(f->db, &skipped, arena, read, &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(read[0].item.submission.value, 4);
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        STORE_TEST(a_rejudging_is_read_as_it_was_written),
        STORE_TEST(a_change_is_kept_and_what_is_over_is_not_active),
        STORE_TEST(an_item_is_found_by_job_by_submission_and_by_state),
        STORE_TEST(an_update_keeps_what_counted_before),
        STORE_TEST(gains_and_losses_are_counted_as_the_domain_says),
        STORE_TEST(a_list_has_names_and_filters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
