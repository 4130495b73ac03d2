#include "domain/node_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct node_check waiting(void) {
    return (struct node_check){
        .id = 9, .node = {4}, .kind = CHECK_SELF_TEST, .state = CHECK_WAITING, .session_epoch = 3};
}

static void only_the_session_of_a_waiting_self_test_settles_it(void **state) {
    (void)state;
    struct err err = {0};
    struct node_check check = waiting();
    assert_true(check_may_settle(&check, (struct node_id){4}, 3, &err));

    assert_false(check_may_settle(&check, (struct node_id){5}, 3, &err));
    assert_string_equal(err.code, "check_over");
    assert_false(check_may_settle(&check, (struct node_id){4}, 4, &err));
    check.state = CHECK_ENDED;
    assert_false(check_may_settle(&check, (struct node_id){4}, 3, &err));
    check = waiting();
    check.kind = CHECK_CONNECTION;
    assert_false(check_may_settle(&check, (struct node_id){4}, 3, &err));
}

static void kinds_and_states_have_names(void **state) {
    (void)state;
    assert_string_equal(check_kind_name(CHECK_SELF_TEST), "SELF_TEST");
    assert_string_equal(check_kind_name(CHECK_CONNECTION), "CONNECTION");
    for (int s = 1; s < CHECK_STATE_END; s++) {
        assert_non_null(check_state_name((enum check_state)s));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_session_of_a_waiting_self_test_settles_it),
        cmocka_unit_test(kinds_and_states_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
