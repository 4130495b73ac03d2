/* Who did what. */
#include "store/audit_store.h"

#include "store_fixture.h"

static void a_row_says_who_did_what_to_which_object(void **state) {
    struct fixture *f = *state;
    static char detail[AUDIT_DETAIL_BYTES_MAX + 10];
    memset(detail, 'd', sizeof(detail));
    struct actor actor = {.kind = ACTOR_USER, .user = {7}, .trace_id = "trace_1"};
    struct audit_row row = {.id = 1,
                            .at_ms = START_MS,
                            .actor = &actor,
                            .action = "user.create",
                            .object_kind = "user",
                            .object_id = 9,
                            .detail = str_of(detail, sizeof(detail))};

    assert_true(db_begin(f->db, &f->err));
    assert_true(audit_store_add(f->db, &row, &f->err));
    assert_true(db_commit(f->db, &f->err));

    assert_int_equal(fixture_i64(f, f->db, "SELECT actor_id FROM audit_log"), 7);
    assert_int_equal(fixture_i64(f, f->db, "SELECT object_id FROM audit_log"), 9);
    assert_int_equal(fixture_i64(f, f->db, "SELECT LENGTH(detail) FROM audit_log"),
                     AUDIT_DETAIL_BYTES_MAX);
    assert_int_equal(fixture_i64(f, f->db,
                                 "SELECT COUNT(*) FROM audit_log WHERE action = 'user.create' "
                                 "AND object_kind = 'user' AND trace_id = 'trace_1'"),
                     1);
}

static void the_system_and_nodes_act_too(void **state) {
    struct fixture *f = *state;
    struct actor system = {.kind = ACTOR_SYSTEM, .user = {5}};
    struct actor node = {.kind = ACTOR_NODE, .node = {6}};
    struct audit_row rows[] = {
        {.id = 1, .actor = &system, .action = "a.b", .object_kind = "user"},
        {.id = 2, .actor = &node, .action = "a.b", .object_kind = "user"},
    };

    assert_true(db_begin(f->db, &f->err));
    assert_true(audit_store_add(f->db, &rows[0], &f->err));
    assert_true(audit_store_add(f->db, &rows[1], &f->err));
    assert_true(db_commit(f->db, &f->err));

    assert_int_equal(fixture_i64(f, f->db, "SELECT actor_id FROM audit_log WHERE id = 1"), 0);
    assert_int_equal(fixture_i64(f, f->db, "SELECT actor_id FROM audit_log WHERE id = 2"), 6);
}

static void a_row_is_found_by_object_action_and_time(void **state) {
    struct fixture *f = *state;
    struct actor actor = {.kind = ACTOR_USER, .user = {7}};
    own(arena) arena = arena_create((size_t)64 * KIB);
    struct audit_row row = {.id = 1,
                            .at_ms = START_MS,
                            .actor = &actor,
                            .action = "job.requeue",
                            .object_kind = "submission",
                            .object_id = 9,
                            .detail = STR("why")};
    struct audit_found found_row = {0};
    bool found = false;
    assert_true(db_begin(f->db, &f->err));
    assert_true(audit_store_add(f->db, &row, &f->err));

    assert_true(audit_store_find(f->db, &row, arena, &found_row, &found, &f->err));
    assert_true(found);
    assert_int_equal(found_row.actor_kind, ACTOR_USER);
    assert_int_equal(found_row.actor, 7);
    assert_true(str_eq_c(found_row.detail, "why"));
    row.at_ms++;
    assert_true(audit_store_find(f->db, &row, arena, &found_row, &found, &f->err));
    assert_false(found);
    assert_true(db_commit(f->db, &f->err));
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_row_says_who_did_what_to_which_object),
        WITH_DB(the_system_and_nodes_act_too),
        WITH_DB(a_row_is_found_by_object_action_and_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
