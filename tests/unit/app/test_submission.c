/* What was accepted is never lost and never doubled. */
#include "app/app_crash.h"
#include "app/app_fixture.h"

static void everything_a_judging_needs_is_there(void **state) {
    struct fixture *f = *state;

    struct submission_id id = submit(f, 1);

    assert_int_equal(query(f, "SELECT count(*) FROM submission WHERE current_job_id = 1"), 1);
    assert_int_equal(query(f, "SELECT count(*) FROM job_body WHERE job_total_ms = 600000 AND "
                              "source_bytes = 13 AND pool = 'cpp'"),
                     1);
    assert_true(str_eq_c(view(f, id).source, "int main() {}"));
    assert_int_equal(query(f, "SELECT cases_total FROM submission"), CASES);
}

static void bad_input_is_refused_and_leaves_nothing(void **state) {
    struct fixture *f = *state;
    static char large[SOURCE_BYTES_MAX + 2];
    memset(large, 'x', sizeof large - 1);
    const struct {
        int user, problem;
        const char *language;
        const char *source;
        const char *code;
        enum err_kind kind;
    } rows[] = {
        {1, 1, "cpp", "", "empty_source", ERR_INVALID},
        {1, 1, "cpp", " \n\t ", "empty_source", ERR_INVALID},
        {1, 1, "cobol", "x", "unknown_language", ERR_INVALID},
        {1, 1, "", "x", "unknown_language", ERR_INVALID},
        {1, 77, "cpp", "x", "no_problem", ERR_MISSING},
        {1, 1, "cpp", large, "source_too_large", ERR_TOO_LARGE},
        {0, 1, "cpp", "x", "no_session", ERR_UNAUTHENTICATED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct submit_request request = {.actor = user_actor(rows[i].user),
                                         .problem = {rows[i].problem},
                                         .language = str_from(rows[i].language),
                                         .source = str_from(rows[i].source)};
        request.actor.kind = rows[i].user > 0 ? ACTOR_USER : ACTOR_NOBODY;

        AWAIT(f, &request, submission_submit(f->app, &request));

        assert_false(request.item.ok);
        assert_string_equal(request.item.err.code, rows[i].code);
        assert_int_equal(request.item.err.kind, rows[i].kind);
    }
    assert_int_equal(query(f, "SELECT count(*) FROM submission"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job"), 0);
}

static void the_largest_source_is_taken(void **state) {
    struct fixture *f = *state;
    static char largest[SOURCE_BYTES_MAX + 1];
    for (size_t i = 0; i < SOURCE_BYTES_MAX; i++) {
        largest[i] = (char)('!' + random_below(&f->random.random, 90)); /* does not compress well */
    }

    struct submit_request request = submit_keyed(f, 1, largest, NULL);

    assert_true(request.item.ok);
    assert_true(str_eq_c(view(f, request.submission).source, largest));
}

static void a_language_that_the_problem_does_not_take_is_refused(void **state) {
    struct fixture *f = *state;
    exec(f, "UPDATE problem SET languages = 'c python3' WHERE id = 1");

    assert_string_equal(submit_keyed(f, 1, "x", NULL).item.err.code, "unknown_language");

    exec(f, "UPDATE problem SET languages = 'c cpp' WHERE id = 1");
    assert_true(submit_keyed(f, 1, "x", NULL).item.ok);
}

static void the_same_key_and_body_give_the_first_answer(void **state) {
    struct fixture *f = *state;

    struct submit_request first = submit_keyed(f, 1, "int x;", "key-1");
    struct submit_request again = submit_keyed(f, 1, "int x;", "key-1");
    struct submit_request other_user = submit_keyed(f, 2, "int x;", "key-1");

    assert_true(first.item.ok && !first.repeated);
    assert_true(again.item.ok && again.repeated);
    assert_int_equal(again.submission.value, first.submission.value);
    assert_true(other_user.item.ok && !other_user.repeated);
    assert_int_equal(query(f, "SELECT count(*) FROM submission"), 2);
}

static void the_same_key_with_another_body_is_refused(void **state) {
    struct fixture *f = *state;
    assert_true(submit_keyed(f, 1, "int x;", "key-1").item.ok);

    struct submit_request other = submit_keyed(f, 1, "int y;", "key-1");

    assert_false(other.item.ok);
    assert_int_equal(other.item.err.kind, ERR_INVALID);
    assert_string_equal(other.item.err.code, "idempotency_mismatch");
}

static void fifty_at_once_with_one_key_are_one_submission(void **state) {
    struct fixture *f = *state;
    enum { AT_ONCE = 50 };
    static struct submit_request requests[AT_ONCE];
    bool done[AT_ONCE] = {false};
    for (int i = 0; i < AT_ONCE; i++) {
        requests[i] = (struct submit_request){.item = {.done = note_done, .context = &done[i]},
                                              .actor = user_actor(1),
                                              .problem = {1},
                                              .language = STR("cpp"),
                                              .source = STR("int x;"),
                                              .request_id = STR("key")};
        submission_submit(f->app, &requests[i]);
    }

    drain(f);

    int repeated = 0;
    for (int i = 0; i < AT_ONCE; i++) {
        assert_true(done[i] && requests[i].item.ok);
        assert_int_equal(requests[i].submission.value, requests[0].submission.value);
        repeated += requests[i].repeated ? 1 : 0;
    }
    assert_int_equal(repeated, AT_ONCE - 1);
    assert_int_equal(query(f, "SELECT count(*) FROM submission"), 1);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
}

static void a_repeated_key_is_known_after_a_restart(void **state) {
    struct fixture *f = *state;
    struct submit_request first = submit_keyed(f, 1, "int x;", "key-1");

    app_close(take(f->app));
    open_app(f);

    struct submit_request again = submit_keyed(f, 1, "int x;", "key-1");
    assert_true(again.repeated);
    assert_int_equal(again.submission.value, first.submission.value);
}

static void nothing_accepted_is_lost_when_the_server_dies(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    struct submission_id judged = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    struct submission_id leased = submit(f, 1);
    job = claim_one(f, &node);
    struct submission_id waiting = submit(f, 2);

    struct fixture *after = crash(f);

    assert_int_equal(view(after, judged).verdict, VERDICT_ACCEPTED);
    assert_int_equal(view(after, leased).state, SUBMISSION_PENDING);
    assert_true(settle(after, &node, &job.lease, VERDICT_WRONG_ANSWER).item.ok);
    struct claimed_job next = claim_one(after, &node);
    assert_int_equal(next.submission.value, waiting.value);
    assert_true(submit(after, 1).value > waiting.value);
    drain(after);
    check_invariants(after);
    app_close(after->app);
    free(after);
}

static void the_trace_of_a_request_follows_the_job(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    struct submit_request request = {
        .actor = user_actor(1), .problem = {1}, .language = STR("cpp"), .source = STR("x")};
    (void)snprintf(request.actor.trace_id, sizeof request.actor.trace_id, "trace_from_outside");
    AWAIT(f, &request, submission_submit(f->app, &request));

    assert_true(str_eq_c(claim_one(f, &node).trace_id, "trace_from_outside"));
    assert_true(str_eq_c(view(f, request.submission).trace_id, "trace_from_outside"));
}

static void what_is_refused_as_busy_is_counted_and_leaves_nothing(void **state) {
    struct fixture *f = *state;
    app_stop(f->app);

    struct submit_request refused = submit_keyed(f, 1, "int x;", NULL);

    assert_false(refused.item.ok);
    assert_int_equal(refused.item.err.kind, ERR_BUSY);
    assert_int_equal(atomic_load(&f->app->busy_rejects), 1);
    assert_int_equal(query(f, "SELECT count(*) FROM submission"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(everything_a_judging_needs_is_there),
        APP_TEST(bad_input_is_refused_and_leaves_nothing),
        APP_TEST(the_largest_source_is_taken),
        APP_TEST(a_language_that_the_problem_does_not_take_is_refused),
        APP_TEST(the_same_key_and_body_give_the_first_answer),
        APP_TEST(the_same_key_with_another_body_is_refused),
        APP_TEST(fifty_at_once_with_one_key_are_one_submission),
        APP_TEST_ON_DISK(a_repeated_key_is_known_after_a_restart),
        APP_TEST_ON_DISK(nothing_accepted_is_lost_when_the_server_dies),
        APP_TEST(the_trace_of_a_request_follows_the_job),
        APP_TEST(what_is_refused_as_busy_is_counted_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
