/* A credential names its node, also when it has been changed meanwhile. */
#include "app/app_fixture.h"
#include "app/credential_internal.h"

static void a_credential_names_its_node(void **state) {
    struct fixture *f = *state;
    struct test_node a = make_node(f, "a", 1, NULL);
    struct test_node b = make_node(f, "b", 1, NULL);
    struct actor actor = {0};

    for (int i = 0; i < 2; i++) { /* read, then remembered */
        must(f, dispatch_authenticate(f->app, str_from(a.credential), &actor, &f->err));
        assert_int_equal(actor.kind, ACTOR_NODE);
        assert_int_equal(actor.node.value, a.actor.node.value);
        must(f, dispatch_authenticate(f->app, str_from(b.credential), &actor, &f->err));
        assert_int_equal(actor.node.value, b.actor.node.value);
    }
}

static void an_unknown_one_is_refused(void **state) {
    struct fixture *f = *state;
    static const char *const rows[] = {"", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct actor actor = {0};

        assert_false(dispatch_authenticate(f->app, str_from(rows[i]), &actor, &f->err));

        assert_int_equal(f->err.kind, ERR_UNAUTHENTICATED);
        assert_string_equal(f->err.code, "bad_credential");
    }
}

static void joining_again_ends_the_old_credential(void **state) {
    struct fixture *f = *state;
    struct test_node old = make_node(f, "a", 1, NULL);
    struct actor actor = {0};
    must(f, dispatch_authenticate(f->app, str_from(old.credential), &actor, &f->err));

    struct node_registered registered = register_node(f, "a", 1, NULL);
    struct test_node fresh = join_node(f, registered.join_code);

    assert_int_equal(fresh.actor.node.value, old.actor.node.value);
    assert_false(dispatch_authenticate(f->app, str_from(old.credential), &actor, &f->err));
}

static void what_another_server_has_changed_is_noticed_soon(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "a", 1, NULL);
    struct actor actor = {0};
    must(f, dispatch_authenticate(f->app, str_from(node.credential), &actor, &f->err));
    exec(f, "UPDATE node SET credential_digest = NULL");

    must(f, dispatch_authenticate(f->app, str_from(node.credential), &actor, &f->err));
    clock_manual_advance(&f->clock, 10000);

    assert_false(dispatch_authenticate(f->app, str_from(node.credential), &actor, &f->err));
}

static void secrets_are_all_different(void **state) {
    struct fixture *f = *state;
    char first[CREDENTIAL_BYTES];
    char second[CREDENTIAL_BYTES];

    credential_make(f->app, first);
    credential_make(f->app, second);

    assert_string_not_equal(first, second);
    assert_int_equal(strlen(first), 44);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_credential_names_its_node),
        APP_TEST(an_unknown_one_is_refused),
        APP_TEST(joining_again_ends_the_old_credential),
        APP_TEST(what_another_server_has_changed_is_noticed_soon),
        APP_TEST(secrets_are_all_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
