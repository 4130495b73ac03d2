/* Rights of actors. */
#include "domain/actor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void nobody_is_told_to_sign_in(void **state) {
    (void)state;
    struct actor nobody = {.kind = ACTOR_NOBODY};
    struct err err = {0};

    assert_false(actor_need_user(&nobody, &err));

    assert_int_equal(err.kind, ERR_UNAUTHENTICATED);
    assert_string_equal(err.code, "no_session");
}

static void a_node_is_no_user(void **state) {
    (void)state;
    struct actor node = {.kind = ACTOR_NODE, .node = {7}, .role = ROLE_ADMIN};
    struct err err = {0};

    assert_false(actor_need_role(&node, ROLE_STUDENT, &err));
    assert_false(actor_may_see(&node, (struct user_id){1}));
}

static void a_role_is_enough_from_its_rank_up(void **state) {
    (void)state;
    struct actor user = {.kind = ACTOR_USER, .user = {1}};
    struct err err = {0};

    for (int have = ROLE_STUDENT; have < ROLE_COUNT; have++) {
        for (int need = ROLE_STUDENT; need < ROLE_COUNT; need++) {
            user.role = (enum role)have;
            assert_int_equal(actor_need_role(&user, (enum role)need, &err), have >= need);
        }
    }
    user.role = ROLE_STUDENT;
    assert_false(actor_need_role(&user, ROLE_ADMIN, &err));
    assert_int_equal(err.kind, ERR_DENIED);
}

static void owners_and_administrators_see_a_submission(void **state) {
    (void)state;
    struct actor owner = {.kind = ACTOR_USER, .user = {1}, .role = ROLE_STUDENT};
    struct actor other = {.kind = ACTOR_USER, .user = {2}, .role = ROLE_TEACHER};
    struct actor admin = {.kind = ACTOR_USER, .user = {3}, .role = ROLE_ADMIN};
    struct actor system = {.kind = ACTOR_SYSTEM};

    assert_true(actor_may_see(&owner, (struct user_id){1}));
    assert_false(actor_may_see(&other, (struct user_id){1}));
    assert_true(actor_may_see(&admin, (struct user_id){1}));
    assert_false(actor_may_see(&other, (struct user_id){1}));
    assert_true(actor_may_read(&other, (struct user_id){1})); /* he teaches */
    other.role = ROLE_STUDENT;
    assert_false(actor_may_read(&other, (struct user_id){1}));
    assert_true(actor_may_read(&other, (struct user_id){2}));
    assert_true(actor_may_see(&system, (struct user_id){1}));
}

static void those_who_make_problems_read_staff_words(void **state) {
    (void)state;
    struct actor actor = {.kind = ACTOR_USER, .user = {1}, .role = ROLE_STUDENT};
    struct actor node = {.kind = ACTOR_NODE, .role = ROLE_ADMIN};
    struct actor nobody = {.kind = ACTOR_NOBODY, .role = ROLE_ADMIN};
    struct actor system = {.kind = ACTOR_SYSTEM};

    assert_false(actor_reads_staff_words(&actor));
    actor.role = ROLE_TEACHER;
    assert_true(actor_reads_staff_words(&actor));
    actor.role = ROLE_ADMIN;
    assert_true(actor_reads_staff_words(&actor));
    assert_true(actor_reads_staff_words(&system));
    assert_false(actor_reads_staff_words(&node));
    assert_false(actor_reads_staff_words(&nobody));
}

static void role_names_go_both_ways(void **state) {
    (void)state;
    for (int role = ROLE_STUDENT; role < ROLE_COUNT; role++) {
        enum role parsed = ROLE_NONE;
        assert_true(role_parse(role_name((enum role)role), &parsed));
        assert_int_equal(parsed, role);
    }
    enum role parsed = ROLE_NONE;
    assert_false(role_parse("none", &parsed));
    assert_false(role_parse("root", &parsed));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_told_to_sign_in),
        cmocka_unit_test(a_node_is_no_user),
        cmocka_unit_test(a_role_is_enough_from_its_rank_up),
        cmocka_unit_test(owners_and_administrators_see_a_submission),
        cmocka_unit_test(those_who_make_problems_read_staff_words),
        cmocka_unit_test(role_names_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
