/* How a node comes to act, and what a new session does to the old one's jobs. */
#include "app/app_fixture.h"

static void a_join_code_is_used_up_by_one_join(void **state) {
    struct fixture *f = *state;
    struct node_registered registered = register_node(f, "n1", 1, NULL);
    struct test_node node = join_node(f, registered.join_code);
    assert_int_equal(node.actor.node.value, registered.node.id.value);

    struct join_request again = {.join_code = str_from(registered.join_code)};
    AWAIT(f, &again, dispatch_join(f->app, &again));

    assert_false(again.item.ok);
    assert_string_equal(again.item.err.code, "bad_join_code");
}

static void a_join_code_gets_too_old(void **state) {
    struct fixture *f = *state;
    struct node_registered registered = register_node(f, "n1", 1, NULL);
    clock_manual_advance(&f->clock, f->settings.join_code_ms);

    struct join_request late = {.join_code = str_from(registered.join_code)};
    AWAIT(f, &late, dispatch_join(f->app, &late));

    assert_string_equal(late.item.err.code, "bad_join_code");
}

static void unknown_and_shapeless_codes_are_refused_alike(void **state) {
    struct fixture *f = *state;
    static const char *const codes[] = {"", "x", "0123456789012345678901234567890123456789012345"};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        struct join_request request = {.join_code = str_from(codes[i])};
        AWAIT(f, &request, dispatch_join(f->app, &request));

        assert_int_equal(request.item.err.kind, ERR_UNAUTHENTICATED);
        assert_string_equal(request.item.err.code, "bad_join_code");
    }
}

static void the_database_knows_neither_code_nor_credential(void **state) {
    struct fixture *f = *state;
    struct node_registered registered = register_node(f, "n1", 1, NULL);
    struct digest code = digest_of(str_from(registered.join_code));
    own(db_stmt) stmt = NULL;

    must(f, db_prepare(f->app->db, "SELECT join_digest FROM node", &stmt, &f->err));
    assert_int_equal(db_step(stmt, &f->err), DB_ROW);
    assert_true(str_eq(db_blob(stmt, 0), str_of(code.bytes, 32)));
    db_reset(stmt);

    struct test_node node = join_node(f, registered.join_code);
    assert_int_equal(strlen(node.credential), 44);
    assert_int_equal(query(f, "SELECT count(*) FROM node WHERE join_digest IS NULL"), 1);
}

static void a_new_session_gives_the_old_ones_jobs_back(void **state) {
    struct fixture *f = *state;
    struct test_node old = make_node(f, "n1", 2, NULL);
    (void)submit(f, 1);
    (void)submit(f, 2);
    struct claim_request claimed = claim(f, &old, 2);
    struct test_node fresh = old;

    fresh.epoch = open_session(f, &old.actor, true).session_epoch;

    assert_int_equal(fresh.epoch, old.epoch + 1);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 2);
    assert_int_equal(query(f, "SELECT count(*) FROM job WHERE fault_code = 'node_restarted'"), 2);
    struct claim_request again = claim(f, &fresh, 2);
    assert_int_equal(again.job_count, 2);
    struct settle_request late = settle(f, &old, &claimed.jobs[0].lease, VERDICT_WRONG_ANSWER);
    assert_string_equal(late.item.err.code, "session_superseded");
    late = settle(f, &fresh, &claimed.jobs[0].lease, VERDICT_WRONG_ANSWER);
    assert_string_equal(late.item.err.code, "lease_superseded");
}

static void a_node_is_enabled_when_its_self_test_has_passed(void **state) {
    struct fixture *f = *state;
    struct node_registered registered = register_node(f, "n1", 1, NULL);
    struct test_node node = join_node(f, registered.join_code);
    (void)submit(f, 1);

    node.epoch = open_session(f, &node.actor, false).session_epoch;
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    node.epoch = open_session(f, &node.actor, true).session_epoch;

    assert_int_equal(claim(f, &node, 1).job_count, 1);
}

static void a_session_whose_self_test_fails_gets_no_work(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);

    node.epoch = open_session(f, &node.actor, false).session_epoch;

    assert_int_equal(claim(f, &node, 1).job_count, 0);
    assert_string_equal(view(f, (struct submission_id){1}).reason.code, "offline");
}

static void a_disabled_node_opens_no_session(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    exec(f, "UPDATE node SET config = 4");

    struct session_request refused = open_session(f, &node.actor, true);

    assert_false(refused.item.ok);
    assert_string_equal(refused.item.err.code, "not_allowed");
}

static void a_crash_loop_of_a_node_uses_up_attempts(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);

    for (int i = 0; i < 3; i++) {
        (void)claim_one(f, &node);
        node.epoch = open_session(f, &node.actor, true).session_epoch;
        advance(f, 10000);
        assert_true(beat(f, &node).item.ok);
    }

    assert_int_equal(view(f, id).verdict, VERDICT_SYSTEM_ERROR);
}

static void too_many_or_shapeless_languages_are_refused(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct node_language bad = {STR("c\tpp"), STR("1")};
    struct session_request request = {.actor = node.actor, .languages = &bad, .language_count = 1};

    AWAIT(f, &request, dispatch_session(f->app, &request));

    assert_string_equal(request.item.err.code, "bad_field");
    assert_int_equal(query(f, "SELECT session_epoch FROM node"), node.epoch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_join_code_is_used_up_by_one_join),
        APP_TEST(a_join_code_gets_too_old),
        APP_TEST(unknown_and_shapeless_codes_are_refused_alike),
        APP_TEST(the_database_knows_neither_code_nor_credential),
        APP_TEST(a_new_session_gives_the_old_ones_jobs_back),
        APP_TEST(a_node_is_enabled_when_its_self_test_has_passed),
        APP_TEST(a_session_whose_self_test_fails_gets_no_work),
        APP_TEST(a_disabled_node_opens_no_session),
        APP_TEST(a_crash_loop_of_a_node_uses_up_attempts),
        APP_TEST(too_many_or_shapeless_languages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
