/* Nodes as administrators see and change them. */
#include "app/app_fixture.h"
#include "store/db_fault.h"

static struct node_view get(struct fixture *f, struct node_id id) {
    struct node_view view = {0};
    must(f, judger_get(f->app, &administrator, id, f->arena, &view, &f->err));
    return view;
}

static bool update(struct fixture *f, struct node_id id, const enum node_config *config,
                   const int32_t *slots) {
    struct node_view view = get(f, id);
    struct judger_update_request request = {
        .id = id, .revision = view.revision, .config = config, .slots = slots};
    return judger_update(f->app, &administrator, &request, f->arena, &view, &f->err);
}

static void a_registered_node_waits_for_its_first_session(void **state) {
    struct fixture *f = *state;
    struct node_register_request request = {.name = STR("box-1"), .pool = STR("cpp"), .slots = 2};
    struct node_registered registered = {0};

    must(f, judger_register(f->app, &administrator, &request, f->arena, &registered, &f->err));

    assert_int_equal(strlen(registered.join_code), 32);
    assert_int_equal(registered.expires_ms, START_MS + f->settings.join_code_ms);
    assert_int_equal(registered.node.config, NODE_PENDING);
    assert_int_equal(registered.node.observed, NODE_NEVER_SEEN);
    assert_true(str_eq_c(registered.node.runtime_spec, "default"));
    assert_true(registered.node.message.len > 0);
    assert_int_equal(query(f, "SELECT count(*) FROM audit_log WHERE action = 'judger.register'"),
                     1);
}

static void a_living_node_is_shown_as_it_is(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct node_view view = get(f, node.actor.node);
    assert_int_equal(view.config, NODE_ENABLED);
    assert_int_equal(view.observed, NODE_ONLINE);
    assert_int_equal(view.message.len, 0);
    assert_int_equal(view.language_count, 1);
    assert_true(str_eq_c(view.languages[0].version, "g++ 12"));

    (void)submit(f, 1);
    (void)claim_one(f, &node);
    view = get(f, node.actor.node);
    assert_int_equal(view.observed, NODE_BUSY);
    assert_int_equal(view.busy_slots, 1);

    clock_manual_advance(&f->clock, f->settings.offline_ms + 1);
    assert_int_equal(get(f, node.actor.node).observed, NODE_OFFLINE);
}

static void bad_registrations_are_refused(void **state) {
    struct fixture *f = *state;
    static const struct node_register_request rows[] = {
        {.name = STR(""), .pool = STR("cpp"), .slots = 1},
        {.name = STR("a\nb"), .pool = STR("cpp"), .slots = 1},
        {.name = STR("n"), .pool = STR("fortran"), .slots = 1},
        {.name = STR("n"), .pool = STR("cpp"), .slots = 0},
        {.name = STR("n"), .pool = STR("cpp"), .slots = NODE_SLOTS_MAX + 1},
        {.name = STR("n"), .pool = STR("cpp"), .slots = 1, .host_group = STR("nowhere")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct node_registered registered = {0};

        assert_false(
            judger_register(f->app, &administrator, &rows[i], f->arena, &registered, &f->err));

        assert_string_equal(f->err.code, "bad_field");
    }
    assert_int_equal(query(f, "SELECT count(*) FROM node"), 0);
}

static void a_name_is_taken_once_except_by_the_system(void **state) {
    struct fixture *f = *state;
    struct node_register_request request = {.name = STR("n1"), .pool = STR("cpp"), .slots = 2};
    struct node_registered first = {0};
    struct node_registered again = {0};
    must(f, judger_register(f->app, &administrator, &request, f->arena, &first, &f->err));

    assert_false(judger_register(f->app, &administrator, &request, f->arena, &again, &f->err));
    assert_string_equal(f->err.code, "conflict_judger_name");
    must(f, judger_register(f->app, &the_system, &request, f->arena, &again, &f->err));

    assert_int_equal(again.node.id.value, first.node.id.value);
    assert_string_not_equal(again.join_code, first.join_code);
}

static void only_administrators_may(void **state) {
    struct fixture *f = *state;
    struct actor student = user_actor(1);
    struct node_register_request request = {.name = STR("n1"), .pool = STR("cpp"), .slots = 2};
    struct node_registered registered = {0};
    struct node_view *nodes = NULL;
    int count = 0;

    assert_false(judger_register(f->app, &student, &request, f->arena, &registered, &f->err));
    assert_int_equal(f->err.kind, ERR_DENIED);
    assert_false(judger_list(f->app, &student, f->arena, &nodes, &count, &f->err));
    assert_int_equal(f->err.kind, ERR_DENIED);
}

static void a_stale_revision_changes_nothing(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    enum node_config draining = NODE_DRAINING;
    struct node_view view = get(f, node.actor.node);
    struct judger_update_request request = {
        .id = view.id, .revision = view.revision - 1, .config = &draining};

    assert_false(judger_update(f->app, &administrator, &request, f->arena, &view, &f->err));

    assert_int_equal(f->err.kind, ERR_STALE);
    assert_string_equal(f->err.code, "stale_revision");
    assert_int_equal(get(f, node.actor.node).config, NODE_ENABLED);
}

static void draining_lets_running_jobs_settle(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    enum node_config draining = NODE_DRAINING;
    (void)submit(f, 1);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);

    must(f, update(f, node.actor.node, &draining, NULL));

    assert_int_equal(claim(f, &node, 1).job_count, 0);
    assert_int_equal(renew(f, &node, &job.lease).answer, RENEW_GO);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    assert_string_equal(view(f, (struct submission_id){2}).reason.code, "draining");
}

static void disabling_takes_the_jobs_back_at_once(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    enum node_config disabled = NODE_DISABLED;
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);

    must(f, update(f, node.actor.node, &disabled, NULL));

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_int_equal(query(f, "SELECT attempts FROM job"), 0);
    assert_string_equal(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.err.code,
                        "not_allowed");
    assert_string_equal(beat(f, &node).item.err.code, "not_allowed");
}

static void a_node_that_is_not_ready_is_not_enabled(void **state) {
    struct fixture *f = *state;
    struct node_register_request request = {.name = STR("n1"), .pool = STR("cpp"), .slots = 2};
    struct node_registered registered = {0};
    enum node_config enabled = NODE_ENABLED;
    must(f, judger_register(f->app, &administrator, &request, f->arena, &registered, &f->err));

    assert_false(update(f, registered.node.id, &enabled, NULL));
    assert_string_equal(f->err.code, "judger_not_ready");
    struct test_node node = join_node(f, registered.join_code);
    node.epoch = open_session(f, &node.actor, true).session_epoch;
    assert_int_equal(get(f, registered.node.id).config, NODE_PENDING);
    must(f, update(f, registered.node.id, &enabled, NULL));

    assert_int_equal(get(f, registered.node.id).config, NODE_ENABLED);
}

static void fewer_slots_hold_from_the_next_claim_on(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    int32_t one = 1;
    int32_t none = 0;
    for (int i = 0; i < 4; i++) {
        (void)submit(f, 1);
    }
    assert_int_equal(claim(f, &node, 2).job_count, 2);

    must(f, update(f, node.actor.node, NULL, &one));

    assert_int_equal(claim(f, &node, 2).job_count, 0);
    assert_false(update(f, node.actor.node, NULL, &none));
    assert_string_equal(f->err.code, "bad_field");
}

static void a_node_that_is_enabled_gets_the_job_it_waits_for(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    enum node_config draining = NODE_DRAINING;
    enum node_config enabled = NODE_ENABLED;
    must(f, update(f, node.actor.node, &draining, NULL));
    (void)submit(f, 1);
    bool done = false;
    struct claim_request request = {.item = {.done = note_done, .context = &done},
                                    .actor = node.actor,
                                    .session_epoch = node.epoch,
                                    .claim_id = 3,
                                    .free_slots = 1,
                                    .wait_ms = 15000,
                                    .arena = f->arena};
    dispatch_claim(f->app, &request);
    drain(f);
    assert_false(done);

    must(f, update(f, node.actor.node, &enabled, NULL));
    drain(f);

    assert_true(done);
    assert_int_equal(request.job_count, 1);
}

static void the_list_is_ordered_by_name(void **state) {
    struct fixture *f = *state;
    (void)register_node(f, "b", 1, NULL);
    (void)register_node(f, "a", 1, NULL);
    struct node_view *nodes = NULL;
    int count = 0;

    must(f, judger_list(f->app, &administrator, f->arena, &nodes, &count, &f->err));

    assert_int_equal(count, 2);
    assert_true(str_eq_c(nodes[0].name, "a"));
    struct node_view missing = {0};
    assert_false(
        judger_get(f->app, &administrator, (struct node_id){99}, f->arena, &missing, &f->err));
    assert_string_equal(f->err.code, "no_judger");
}

static bool lose_one_acknowledgement(void *context, enum db_point point, const char *sql,
                                     struct err *err) {
    int *left = context;
    (void)sql;
    return point != DB_POINT_COMMITTED || (*left)-- <= 0 ||
           err_set(err, ERR_SYSTEM, "commit_unknown", "planted");
}

static void a_lost_acknowledgement_of_the_database_does_not_refuse_what_was_done(void **state) {
    struct fixture *f = *state;
    struct node_register_request request = {.name = STR("n1"), .pool = STR("cpp"), .slots = 2};
    struct node_registered registered = {0};
    enum node_config draining = NODE_DRAINING;
    int left = 1;
    db_set_fault(f->app->db, lose_one_acknowledgement, &left);

    must(f, judger_register(f->app, &administrator, &request, f->arena, &registered, &f->err));
    assert_true(left <= 0);
    left = 1;
    struct test_node node = join_node(f, registered.join_code);
    assert_true(left <= 0);
    node.epoch = open_session(f, &node.actor, true).session_epoch;
    left = 1;
    must(f, update(f, node.actor.node, &draining, NULL));
    assert_true(left <= 0);

    db_set_fault(f->app->db, NULL, NULL);
    assert_int_equal(get(f, node.actor.node).config, NODE_DRAINING);
    assert_int_equal(query(f, "SELECT count(*) FROM node"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_registered_node_waits_for_its_first_session),
        APP_TEST(a_living_node_is_shown_as_it_is),
        APP_TEST(bad_registrations_are_refused),
        APP_TEST(a_name_is_taken_once_except_by_the_system),
        APP_TEST(only_administrators_may),
        APP_TEST(a_stale_revision_changes_nothing),
        APP_TEST(draining_lets_running_jobs_settle),
        APP_TEST(disabling_takes_the_jobs_back_at_once),
        APP_TEST(a_node_that_is_not_ready_is_not_enabled),
        APP_TEST(fewer_slots_hold_from_the_next_claim_on),
        APP_TEST(a_node_that_is_enabled_gets_the_job_it_waits_for),
        APP_TEST(the_list_is_ordered_by_name),
        APP_TEST(a_lost_acknowledgement_of_the_database_does_not_refuse_what_was_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
