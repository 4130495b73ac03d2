/* Checks of nodes. */
#include "store/node_check_store.h"

#include "base/limits.h"
#include "job_fixture.h"
#include "store/node_store.h"

static void insert_node(struct fixture *f) {
    struct node node = {.id = {5}, .queue = {3}, .slots = 4, .config = NODE_PENDING};
    struct node_insert row = {.node = &node, .name = STR("n"), .now_ms = START_MS};
    fixture_begin(f);
    assert_true(node_store_insert(f->db, &row, &f->err));
    fixture_commit(f);
}

static void insert(struct fixture *f, int64_t id) {
    struct node_check check = {.id = id,
                               .node = {5},
                               .kind = CHECK_SELF_TEST,
                               .state = CHECK_WAITING,
                               .session_epoch = 2,
                               .config_digest = STR("aa"),
                               .actor = {7},
                               .created_ms = START_MS,
                               .detail = STR("[]")};
    fixture_begin(f);
    assert_true(node_check_store_insert(f->db, &check, &f->err));
    fixture_commit(f);
}

static void a_check_is_kept_and_finished(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(MIB);
    struct node_check check = {0};
    bool found = false;
    insert_node(f);
    insert(f, 1);
    struct node_check done = {.id = 1,
                              .node = {5},
                              .state = CHECK_FAILED,
                              .speed_permille = 1200,
                              .message = STR("cpp: memory"),
                              .done_ms = START_MS + 5,
                              .detail = STR("[{}]")};

    fixture_begin(f);
    assert_true(db_lock(f->db, LOCK_NODE, LOCK_EXCLUSIVE, 5, &f->err));
    assert_true(node_check_store_finish(f->db, &done, &f->err));
    fixture_commit(f);

    assert_true(node_check_store_get(f->db, 1, arena, &check, &found, &f->err));
    assert_true(found);
    assert_int_equal(check.state, CHECK_FAILED);
    assert_int_equal(check.session_epoch, 2);
    assert_int_equal(check.actor.value, 7);
    assert_int_equal(check.speed_permille, 1200);
    assert_int_equal(check.done_ms, START_MS + 5);
    assert_true(str_eq_c(check.message, "cpp: memory"));
    assert_true(str_eq_c(check.detail, "[{}]"));
    assert_true(node_check_store_get(f->db, 2, arena, &check, &found, &f->err));
    assert_false(found);
}

static void the_newest_come_first_and_old_ones_go(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(MIB);
    struct node_check *checks = NULL;
    int count = 0;
    insert_node(f);
    for (int64_t id = 1; id <= 6; id++) {
        insert(f, id);
    }

    fixture_begin(f);
    assert_true(node_check_store_prune(f->db, (struct node_id){5}, 3, &f->err));
    assert_true(node_check_store_prune(f->db, (struct node_id){5}, 3, &f->err));
    fixture_commit(f);

    assert_true(node_check_store_list(f->db, (struct node_id){5}, arena, &checks, &count, &f->err));
    assert_int_equal(count, 3);
    assert_int_equal(checks[0].id, 6);
    assert_int_equal(checks[2].id, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_check_is_kept_and_finished, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(the_newest_come_first_and_old_ones_go, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
