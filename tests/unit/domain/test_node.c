/* Who may act, claim, and be enabled. */
#include "domain/node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NOW INT64_C(1000000)
#define OFFLINE_MS 30000

static struct node enabled_node(void) {
    return (struct node){.id = {3},
                         .queue = {1},
                         .slots = 4,
                         .config = NODE_ENABLED,
                         .session_epoch = 2,
                         .self_test_passed = true,
                         .beat_ms = NOW - 1000};
}

static void only_the_newest_session_acts(void **state) {
    (void)state;
    struct node node = enabled_node();
    struct err err = {0};

    assert_true(node_may_act(&node, 2, &err));
    assert_false(node_may_act(&node, 1, &err));
    assert_string_equal(err.code, "session_superseded");
    assert_false(node_may_act(&node, 3, &err));
    node.session_epoch = 0;
    assert_false(node_may_act(&node, 0, &err));
    node.config = NODE_DISABLED;
    assert_false(node_may_act(&node, 2, &err));
    assert_string_equal(err.code, "not_allowed");
}

static void a_draining_node_still_acts_but_claims_nothing(void **state) {
    (void)state;
    struct node node = enabled_node();
    struct err err = {0};
    node.config = NODE_DRAINING;
    struct slots_facts facts = {.wanted = 2, .group_free = INT32_MAX};

    assert_true(node_may_act(&node, 2, &err));
    assert_int_equal(node_free_slots(&node, &facts, NOW, OFFLINE_MS), 0);
}

static void slots_are_bounded_by_node_group_and_wish(void **state) {
    (void)state;
    static const struct {
        int32_t wanted, busy, group_free, expected;
    } rows[] = {
        {2, 0, INT32_MAX, 2}, {9, 0, INT32_MAX, 4}, {9, 3, INT32_MAX, 1},
        {9, 4, INT32_MAX, 0}, {9, 7, INT32_MAX, 0}, {9, 0, 1, 1},
        {9, 0, 0, 0},         {9, 0, -3, 0},        {0, 0, INT32_MAX, 0},
    };
    struct node node = enabled_node();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct slots_facts facts = {
            .wanted = rows[i].wanted, .busy = rows[i].busy, .group_free = rows[i].group_free};

        assert_int_equal(node_free_slots(&node, &facts, NOW, OFFLINE_MS), rows[i].expected);
    }
}

static void a_node_that_is_not_fit_gets_nothing_and_the_reason_is_said(void **state) {
    (void)state;
    struct slots_facts facts = {.wanted = 1, .group_free = INT32_MAX};
    for (int i = 0; i < 7; i++) {
        struct node node = enabled_node();
        node.config = i == 0   ? NODE_PENDING
                      : i == 1 ? NODE_DRAINING
                      : i == 2 ? NODE_DISABLED
                               : NODE_ENABLED;
        node.session_epoch = i == 3 ? 0 : 2;
        node.self_test_passed = i != 4;
        node.beat_ms = i == 5 ? 0 : i == 6 ? NOW - OFFLINE_MS - 1 : NOW;

        assert_int_equal(node_free_slots(&node, &facts, NOW, OFFLINE_MS), 0);
        assert_non_null(node_no_work_reason(&node, NOW, OFFLINE_MS));
    }
    struct node node = enabled_node();
    assert_null(node_no_work_reason(&node, NOW, OFFLINE_MS));
}

static void what_is_seen_of_a_node_comes_from_its_heartbeat_and_leases(void **state) {
    (void)state;
    struct node node = enabled_node();

    assert_int_equal(node_observe(&node, 1, NOW, OFFLINE_MS), NODE_ONLINE);
    assert_int_equal(node_observe(&node, 4, NOW, OFFLINE_MS), NODE_BUSY);
    assert_int_equal(node_observe(&node, 4, NOW + OFFLINE_MS, OFFLINE_MS), NODE_OFFLINE);
    node.beat_ms = 0;
    assert_int_equal(node_observe(&node, 0, NOW, OFFLINE_MS), NODE_NEVER_SEEN);
}

static void enabling_needs_a_passed_self_test_and_a_heartbeat(void **state) {
    (void)state;
    struct node node = enabled_node();
    struct err err = {0};
    node.config = NODE_PENDING;

    assert_true(node_may_configure(&node, NODE_ENABLED, NOW, OFFLINE_MS, &err));
    node.self_test_passed = false;
    assert_false(node_may_configure(&node, NODE_ENABLED, NOW, OFFLINE_MS, &err));
    assert_string_equal(err.code, "judger_not_ready");
    assert_true(node_may_configure(&node, NODE_DISABLED, NOW, OFFLINE_MS, &err));
    assert_true(node_may_configure(&node, NODE_DRAINING, NOW, OFFLINE_MS, &err));
    node.config = NODE_ENABLED;
    assert_false(node_may_configure(&node, NODE_PENDING, NOW, OFFLINE_MS, &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_newest_session_acts),
        cmocka_unit_test(a_draining_node_still_acts_but_claims_nothing),
        cmocka_unit_test(slots_are_bounded_by_node_group_and_wish),
        cmocka_unit_test(a_node_that_is_not_fit_gets_nothing_and_the_reason_is_said),
        cmocka_unit_test(what_is_seen_of_a_node_comes_from_its_heartbeat_and_leases),
        cmocka_unit_test(enabling_needs_a_passed_self_test_and_a_heartbeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
