/* Giving and taking a node's credential. */
#include "app/app_fixture.h"

static struct node_view get(struct fixture *f, struct node_id id) {
    struct node_view view = {0};
    must(f, judger_get(f->app, &administrator, id, f->arena, &view, &f->err));
    return view;
}

static bool knows(struct fixture *f, const struct test_node *node) {
    struct actor actor = {0};
    return dispatch_authenticate(f->app, str_from(node->credential), &actor, &f->err);
}

static struct judger_access_request access_to(struct fixture *f, struct node_id id) {
    return (struct judger_access_request){.id = id, .revision = get(f, id).revision};
}

static void a_used_code_replaces_the_credential(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct judger_access_request request = access_to(f, node.actor.node);
    struct node_registered rotated = {0};

    must(f, judger_rotate(f->app, &administrator, &request, f->arena, &rotated, &f->err));

    assert_true(knows(f, &node)); /* until the code is used */
    assert_int_equal(rotated.node.config, NODE_ENABLED);
    struct test_node again = join_node(f, rotated.join_code);
    assert_int_equal(again.actor.node.value, node.actor.node.value);
    assert_false(knows(f, &node));
    assert_string_equal(f->err.code, "bad_credential");
    assert_true(knows(f, &again));
}

static void revoking_ends_everything_at_once(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    struct node_view view = {0};
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    struct judger_access_request request = access_to(f, node.actor.node);

    must(f, judger_revoke(f->app, &administrator, &request, f->arena, &view, &f->err));

    assert_int_equal(view.config, NODE_DISABLED);
    assert_false(view.has_credential);
    assert_false(knows(f, &node));
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
    assert_int_equal(query(f, "SELECT count(*) FROM audit_log WHERE action = 'judger.revoke'"), 1);
}

static void a_revoked_node_comes_back_to_be_proved_anew(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    struct node_view view = {0};
    struct node_registered rotated = {0};
    struct judger_access_request request = access_to(f, node.actor.node);
    must(f, judger_revoke(f->app, &administrator, &request, f->arena, &view, &f->err));
    request = access_to(f, node.actor.node);

    must(f, judger_rotate(f->app, &administrator, &request, f->arena, &rotated, &f->err));

    assert_int_equal(rotated.node.config, NODE_PENDING);
    assert_true(knows(f, &(struct test_node){0}) == false);
    node = join_node(f, rotated.join_code);
    assert_true(open_session(f, &node.actor, true).item.ok);
}

static void a_stale_revision_and_others_change_nothing(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct actor student = user_actor(1);
    struct node_registered rotated = {0};
    struct node_view view = {0};
    struct judger_access_request request = access_to(f, node.actor.node);
    request.revision--;

    assert_false(judger_rotate(f->app, &administrator, &request, f->arena, &rotated, &f->err));
    assert_string_equal(f->err.code, "stale_revision");
    assert_false(judger_revoke(f->app, &administrator, &request, f->arena, &view, &f->err));
    assert_string_equal(f->err.code, "stale_revision");
    request.revision++;
    assert_false(judger_rotate(f->app, &student, &request, f->arena, &rotated, &f->err));
    assert_int_equal(f->err.kind, ERR_DENIED);
    assert_false(judger_revoke(f->app, &student, &request, f->arena, &view, &f->err));
    assert_int_equal(f->err.kind, ERR_DENIED);
    request.id.value = 99;
    assert_false(judger_revoke(f->app, &administrator, &request, f->arena, &view, &f->err));
    assert_string_equal(f->err.code, "no_judger");

    assert_true(knows(f, &node));
    assert_int_equal(get(f, node.actor.node).config, NODE_ENABLED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_used_code_replaces_the_credential),
        APP_TEST(revoking_ends_everything_at_once),
        APP_TEST(a_revoked_node_comes_back_to_be_proved_anew),
        APP_TEST(a_stale_revision_and_others_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
