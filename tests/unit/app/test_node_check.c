/* Self-tests: who gets one, who may answer it, and what it opens. */
#include "app/app_fixture.h"
#include "app/judger_check.h"
#include "app/pool.h"

static struct session_request open_new(struct fixture *f, const struct actor *actor,
                                       const char *version, const char *config) {
    struct node_language *languages = arena_array(f->arena, 1, sizeof languages[0]);
    languages[0] = (struct node_language){STR("cpp"), str_from(version)};
    struct session_request request = {.actor = *actor,
                                      .protocol = 2,
                                      .version = STR("0.2"),
                                      .slots = 4,
                                      .languages = languages,
                                      .language_count = 1,
                                      .self_test_passed = true,
                                      .self_test_detail = STR("hello"),
                                      .config_digest = str_from(config)};
    AWAIT(f, &request, dispatch_session(f->app, &request));
    return request;
}

static struct check_result_request answer(struct fixture *f, const struct test_node *node,
                                          int64_t check, bool passed) {
    struct check_result_request request = {.actor = node->actor,
                                           .session_epoch = node->epoch,
                                           .check = check,
                                           .passed = passed,
                                           .speed_permille = 900,
                                           .message = passed ? STR("") : STR("cpp: memory"),
                                           .detail = STR("[]")};
    AWAIT(f, &request, dispatch_check_result(f->app, &request));
    return request;
}

static struct node_view get(struct fixture *f, struct node_id id) {
    struct node_view view = {0};
    must(f, judger_get(f->app, &administrator, id, f->arena, &view, &f->err));
    return view;
}

/* Of an administrator: nothing enables it by itself. */
static struct test_node joined(struct fixture *f) {
    struct node_register_request request = {.name = STR("n1"), .pool = STR("cpp"), .slots = 2};
    struct node_registered registered = {0};
    must(f, judger_register(f->app, &administrator, &request, f->arena, &registered, &f->err));
    return join_node(f, registered.join_code);
}

static bool enable(struct fixture *f, struct node_id id) {
    enum node_config enabled = NODE_ENABLED;
    struct node_view view = get(f, id);
    struct judger_update_request request = {
        .id = id, .revision = view.revision, .config = &enabled};
    return judger_update(f->app, &administrator, &request, f->arena, &view, &f->err);
}

static void a_node_proves_itself_before_it_is_enabled(void **state) {
    struct fixture *f = *state;
    struct test_node node = joined(f);
    struct session_request session = open_new(f, &node.actor, "g++ 12", "aa");
    node.epoch = session.session_epoch;
    assert_true(session.check > 0);
    assert_int_equal(beat(f, &node).check, session.check);
    assert_false(enable(f, node.actor.node));
    assert_string_equal(f->err.code, "judger_not_ready");

    assert_true(answer(f, &node, session.check, true).item.ok);

    assert_int_equal(beat(f, &node).check, 0);
    assert_int_equal(get(f, node.actor.node).speed_permille, 900);
    must(f, enable(f, node.actor.node));
    (void)submit(f, 1);
    assert_int_equal(claim(f, &node, 1).job_count, 1);
}

static void a_failed_self_test_keeps_the_node_out(void **state) {
    struct fixture *f = *state;
    struct test_node node = joined(f);
    struct session_request session = open_new(f, &node.actor, "g++ 12", "aa");
    node.epoch = session.session_epoch;

    assert_true(answer(f, &node, session.check, false).item.ok);

    assert_false(enable(f, node.actor.node));
    assert_non_null(strstr(f->err.text, "self-test"));
    assert_non_null(memmem(get(f, node.actor.node).message.ptr, get(f, node.actor.node).message.len,
                           "cpp: memory", 11));
    session = open_new(f, &node.actor, "g++ 12", "aa");
    assert_true(session.check > 0);
}

/* The gate: what judges now must be what was proved. */
static void another_compiler_or_setting_gets_no_work_until_it_is_proved(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *version;
        const char *config;
        bool proved;
    } rows[] = {{"g++ 12", "aa", true}, {"g++ 13", "aa", false}, {"g++ 12", "bb", false}};
    struct test_node node = joined(f);
    struct session_request session = open_new(f, &node.actor, "g++ 12", "aa");
    node.epoch = session.session_epoch;
    assert_true(answer(f, &node, session.check, true).item.ok);
    must(f, enable(f, node.actor.node));
    (void)submit(f, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        session = open_new(f, &node.actor, rows[i].version, rows[i].config);
        node.epoch = session.session_epoch;

        assert_int_equal(session.check == 0, rows[i].proved);
        assert_int_equal(claim(f, &node, 1).job_count, rows[i].proved ? 1 : 0);
    }
    assert_int_equal(get(f, node.actor.node).config, NODE_ENABLED);

    assert_true(answer(f, &node, session.check, true).item.ok);

    assert_int_equal(claim(f, &node, 1).job_count, 1);
}

static void only_the_present_session_answers_its_own_check(void **state) {
    struct fixture *f = *state;
    struct test_node node = joined(f);
    struct session_request first = open_new(f, &node.actor, "g++ 12", "aa");
    struct test_node old = node;
    old.epoch = first.session_epoch;
    struct session_request second = open_new(f, &node.actor, "g++ 12", "aa");
    node.epoch = second.session_epoch;

    assert_string_equal(answer(f, &old, first.check, true).item.err.code, "session_superseded");
    assert_string_equal(answer(f, &node, first.check, true).item.err.code, "check_over");
    assert_string_equal(answer(f, &node, 4711, true).item.err.code, "check_over");
    assert_false(get(f, node.actor.node).self_test_passed);
    assert_true(answer(f, &node, second.check, true).item.ok);
    assert_true(answer(f, &node, second.check, true).item.ok);
    assert_string_equal(answer(f, &node, second.check, false).item.err.code, "check_over");
    assert_true(get(f, node.actor.node).self_test_passed);
}

static void an_administrator_asks_for_one_at_any_time(void **state) {
    struct fixture *f = *state;
    struct test_node node = joined(f);
    struct node_check check = {0};
    struct node_check_list checks = {0};
    struct actor student = user_actor(1);
    assert_false(
        judger_self_test(f->app, &administrator, node.actor.node, f->arena, &check, &f->err));
    assert_string_equal(f->err.code, "judger_not_ready");
    struct session_request session = open_new(f, &node.actor, "g++ 12", "aa");
    node.epoch = session.session_epoch;
    assert_true(answer(f, &node, session.check, true).item.ok);
    must(f, enable(f, node.actor.node));

    assert_false(judger_self_test(f->app, &student, node.actor.node, f->arena, &check, &f->err));
    assert_int_equal(f->err.kind, ERR_DENIED);
    must(f, judger_self_test(f->app, &administrator, node.actor.node, f->arena, &check, &f->err));
    assert_int_equal(check.state, CHECK_WAITING);
    int64_t first = check.id;
    must(f, judger_self_test(f->app, &administrator, node.actor.node, f->arena, &check, &f->err));

    assert_int_equal(beat(f, &node).check, check.id);
    (void)submit(f, 1);
    assert_int_equal(claim(f, &node, 1).job_count, 1); /* it has proved itself before */
    assert_string_equal(answer(f, &node, first, true).item.err.code, "check_over");
    assert_true(answer(f, &node, check.id, false).item.ok);
    (void)submit(f, 1);
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    must(f, judger_checks(f->app, &administrator, node.actor.node, f->arena, &checks, &f->err));
    assert_int_equal(checks.count, 3);
    assert_int_equal(checks.items[0].state, CHECK_FAILED);
    assert_int_equal(checks.items[1].state, CHECK_ENDED);
    assert_int_equal(query(f, "SELECT count(*) FROM audit_log WHERE action = 'judger.self_test'"),
                     2);
}

static void a_node_takes_itself_out_and_says_so(void **state) {
    struct fixture *f = *state;
    struct test_node node = joined(f);
    struct session_request session = open_new(f, &node.actor, "g++ 12", "aa");
    struct pool_warning *warnings = NULL;
    int count = 0;
    node.epoch = session.session_epoch;
    assert_true(answer(f, &node, session.check, true).item.ok);
    must(f, enable(f, node.actor.node));
    struct out_request out = {
        .actor = node.actor, .session_epoch = node.epoch, .reason = STR("5 failures in a row")};

    AWAIT(f, &out, dispatch_out_of_service(f->app, &out));

    assert_true(out.item.ok);
    (void)submit(f, 1);
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    struct node_view view = get(f, node.actor.node);
    assert_non_null(memmem(view.message.ptr, view.message.len, "5 failures in a row", 19));
    must(f, pool_warnings(f->app, &administrator, f->arena, &warnings, &count, &f->err));
    assert_int_equal(warnings[0].kind, WARN_OUT);
    /* What judges is what was proved, and yet it has to be proved anew. */
    session = open_new(f, &node.actor, "g++ 12", "aa");
    node.epoch = session.session_epoch;
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    assert_true(answer(f, &node, session.check, true).item.ok);
    assert_int_equal(claim(f, &node, 1).job_count, 1);
    assert_int_equal(get(f, node.actor.node).message.len, 0);
}

static void the_servers_own_nodes_are_enabled_by_it(void **state) {
    struct fixture *f = *state;
    struct node_registered registered = register_node(f, "local", 2, NULL);
    struct test_node node = join_node(f, registered.join_code);
    struct session_request session = open_new(f, &node.actor, "g++ 12", "aa");
    node.epoch = session.session_epoch;
    assert_int_equal(get(f, node.actor.node).config, NODE_PENDING);

    assert_true(answer(f, &node, session.check, true).item.ok);

    assert_int_equal(get(f, node.actor.node).config, NODE_ENABLED);
}

static void a_connection_check_is_kept(void **state) {
    struct fixture *f = *state;
    struct test_node node = joined(f);
    struct probe_target target = {0};
    struct node_check check = {0};
    struct digest key = digest_of(str_from(node.credential));
    must(f,
         judger_probe_target(f->app, &administrator, node.actor.node, f->arena, &target, &f->err));
    assert_true(target.has_key);
    assert_true(digest_equal(&target.key, &key));
    assert_int_equal(target.base_url.len, 0);
    struct connection_outcome outcome = {
        .node = node.actor.node, .message = STR("tls: no"), .detail = STR("[]")};

    must(f, judger_connection_checked(f->app, &administrator, &outcome, f->arena, &check, &f->err));

    assert_int_equal(check.kind, CHECK_CONNECTION);
    assert_int_equal(check.state, CHECK_FAILED);
    assert_true(check.done_ms > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_node_proves_itself_before_it_is_enabled),
        APP_TEST(a_failed_self_test_keeps_the_node_out),
        APP_TEST(another_compiler_or_setting_gets_no_work_until_it_is_proved),
        APP_TEST(only_the_present_session_answers_its_own_check),
        APP_TEST(an_administrator_asks_for_one_at_any_time),
        APP_TEST(a_node_takes_itself_out_and_says_so),
        APP_TEST(the_servers_own_nodes_are_enabled_by_it),
        APP_TEST(a_connection_check_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
