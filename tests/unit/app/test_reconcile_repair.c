/* Each repair looks again under the locks: what is sound by then is left alone. */
#include "app/app_fixture.h"
#include "app/reconcile_internal.h"

static void what_is_sound_is_left_alone(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    static const char *const rules[] = {"I03", "I04"};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct broken_rule broken = {.code = rules[i], .name = "x", .ids = {1}, .id_count = 1};
        int64_t repaired = 0;
        must(f, reconcile_repair(f->app, &the_system, &broken, &repaired, &f->err));
        assert_int_equal(repaired, 0);
        check_invariants(f);
    }
    assert_int_equal(query(f, "SELECT count(*) FROM audit_log WHERE action LIKE 'reconcile%'"), 0);
}

static void a_rule_without_a_repair_is_passed_over(void **state) {
    struct fixture *f = *state;
    struct broken_rule broken = {.code = "I17", .name = "x", .ids = {1}, .id_count = 1};
    int64_t repaired = 0;

    must(f, reconcile_repair(f->app, &the_system, &broken, &repaired, &f->err));

    assert_int_equal(repaired, 0);
    assert_false(reconcile_can_repair("I17") || reconcile_can_repair("R1"));
    assert_string_equal(reconcile_object("R1"), "submission");
    assert_string_equal(reconcile_object("I21"), "node");
}

static void a_right_that_was_lost_repairs_nothing(void **state) {
    struct fixture *f = *state;
    struct actor stale = {.kind = ACTOR_USER, .role = ROLE_ADMIN, .user = {1}};
    struct broken_rule broken = {.code = "I03", .name = "x", .ids = {1}, .id_count = 1};
    int64_t repaired = 0;
    (void)submit(f, 1);

    assert_false(reconcile_repair(f->app, &stale, &broken, &repaired, &f->err));
    assert_string_equal(f->err.code, "not_allowed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(what_is_sound_is_left_alone),
        APP_TEST(a_rule_without_a_repair_is_passed_over),
        APP_TEST(a_right_that_was_lost_repairs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
