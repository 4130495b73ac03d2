/* Nodes and their heartbeats. */
#include "store/node_store.h"

#include "base/limits.h"
#include "job_fixture.h"

static struct node a_node(int64_t id) {
    return (struct node){
        .id = {id},
        .queue = {3},
        .host_group = {2},
        .slots = 4,
        .config = NODE_PENDING,
    };
}

static void insert(struct fixture *f, int64_t id, struct str name) {
    struct node node = a_node(id);
    struct node_insert row = {
        .node = &node, .name = name, .enable_when_ready = true, .now_ms = START_MS};
    fixture_begin(f);
    assert_true(node_store_insert(f->db, &row, &f->err));
    fixture_commit(f);
}

static void insert_queue(struct fixture *f) {
    fixture_exec(f, f->db,
                 "INSERT INTO queue (id, pool, runtime_spec, virtual_key) VALUES (3, 'general', "
                 "'spec-1', 0)");
}

static struct node_row read_row(struct fixture *f, int64_t id, struct arena *arena) {
    struct node_row row = {0};
    bool found = false;
    assert_true(node_store_row(f->db, (struct node_id){id}, arena, &row, &found, &f->err));
    assert_true(found);
    return row;
}

static void a_new_node_has_no_session_and_no_heartbeat(void **state) {
    struct fixture *f = *state;
    struct node node = {0};
    bool found = false;
    insert(f, 5, STR("judge-1"));

    assert_true(node_store_get(f->db, (struct node_id){5}, &node, &found, &f->err));

    assert_true(found);
    assert_int_equal(node.id.value, 5);
    assert_int_equal(node.queue.value, 3);
    assert_int_equal(node.host_group.value, 2);
    assert_int_equal(node.slots, 4);
    assert_int_equal(node.config, NODE_PENDING);
    assert_int_equal(node.session_epoch, 0);
    assert_false(node.self_test_passed);
    assert_int_equal(node.beat_ms, 0);
    assert_true(node_store_get(f->db, (struct node_id){6}, &node, &found, &f->err));
    assert_false(found);
}

static void a_name_is_taken_once_and_found(void **state) {
    struct fixture *f = *state;
    struct node node = a_node(6);
    struct node_insert row = {.node = &node, .name = STR("judge-1"), .now_ms = START_MS};
    struct node_id id = {0};
    bool found = false;
    insert(f, 5, STR("judge-1"));

    fixture_begin(f);
    assert_false(node_store_insert(f->db, &row, &f->err));
    fixture_was_duplicate(f);
    db_rollback(f->db);
    assert_true(node_store_find_name(f->db, STR("judge-1"), &id, &found, &f->err));
    assert_true(found);
    assert_int_equal(id.value, 5);
    assert_true(node_store_find_name(f->db, STR("judge-2"), &id, &found, &f->err));

    assert_false(found);
    assert_int_equal(id.value, 0);
}

static void a_join_code_is_used_up_by_the_credential(void **state) {
    struct fixture *f = *state;
    uint8_t code[32];
    uint8_t secret[32];
    memset(code, 1, sizeof code);
    memset(secret, 2, sizeof secret);
    struct node_join join = {.node = {5}, .digest = code, .until_ms = START_MS + 60, .slots = 7};
    struct node_id id = {0};
    int64_t until_ms = 0;
    bool found = false;
    insert(f, 5, STR("judge-1"));
    fixture_begin(f);
    fixture_lock(f, LOCK_NODE, 5);
    assert_true(node_store_set_join(f->db, &join, &f->err));
    fixture_commit(f);

    assert_true(node_store_find_join(f->db, code, &id, &until_ms, &found, &f->err));
    assert_true(found);
    assert_int_equal(id.value, 5);
    assert_int_equal(until_ms, START_MS + 60);
    assert_int_equal(fixture_i64(f, f->db, "SELECT slots FROM node"), 7);
    assert_int_equal(fixture_i64(f, f->db, "SELECT enable_when_ready FROM node"), 0);
    assert_true(node_store_find_credential(f->db, secret, &id, &found, &f->err));
    assert_false(found);
    fixture_begin(f);
    fixture_lock(f, LOCK_NODE, 5);
    assert_true(node_store_set_credential(f->db, join.node, secret, &f->err));
    fixture_commit(f);
    assert_true(node_store_find_credential(f->db, secret, &id, &found, &f->err));
    assert_true(found);
    assert_int_equal(id.value, 5);
    assert_true(node_store_find_join(f->db, code, &id, &until_ms, &found, &f->err));

    assert_false(found);
    assert_int_equal(until_ms, 0);
}

static void two_nodes_cannot_share_a_credential(void **state) {
    struct fixture *f = *state;
    uint8_t secret[32];
    memset(secret, 2, sizeof secret);
    insert(f, 5, STR("judge-1"));
    insert(f, 6, STR("judge-2"));

    fixture_begin(f);
    fixture_lock(f, LOCK_NODE, 5);
    fixture_lock(f, LOCK_NODE, 6);
    assert_true(node_store_set_credential(f->db, (struct node_id){5}, secret, &f->err));
    assert_false(node_store_set_credential(f->db, (struct node_id){6}, secret, &f->err));

    fixture_was_duplicate(f);
    db_rollback(f->db);
}

static void open_session(struct fixture *f, int64_t id) {
    struct node_session session = {
        .node = {id},
        .session_epoch = 9,
        .config = NODE_ENABLED,
        .self_test_passed = true,
        .self_test_detail = STR("all 12 checks passed"),
        .version = STR("1.2.3"),
        .languages = STR("cpp17\t12.2\npython3\t3.11"),
        .config_digest = STR("abc"),
    };
    fixture_begin(f);
    fixture_lock(f, LOCK_NODE, id);
    assert_true(node_store_open_session(f->db, &session, &f->err));
    fixture_commit(f);
}

static void a_session_and_a_setting_each_raise_the_revision(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(256 * KIB);
    insert_queue(f);
    insert(f, 5, STR("judge-1"));
    assert_int_equal(read_row(f, 5, arena).revision, 1);

    open_session(f, 5);
    struct node_row row = read_row(f, 5, arena);
    assert_int_equal(row.revision, 2);
    assert_int_equal(row.node.session_epoch, 9);
    assert_int_equal(row.node.config, NODE_ENABLED);
    assert_true(row.node.self_test_passed);
    assert_true(str_eq_c(row.self_test_detail, "all 12 checks passed"));
    assert_true(str_eq_c(row.version, "1.2.3"));
    assert_true(str_eq_c(row.languages, "cpp17\t12.2\npython3\t3.11"));
    fixture_begin(f);
    fixture_lock(f, LOCK_NODE, 5);
    assert_true(node_store_configure(f->db, (struct node_id){5}, NODE_DRAINING, 8, &f->err));
    fixture_commit(f);

    row = read_row(f, 5, arena);
    assert_int_equal(row.revision, 3);
    assert_int_equal(row.node.config, NODE_DRAINING);
    assert_int_equal(row.node.slots, 8);
}

static void a_row_for_people_knows_queue_heartbeat_and_leases(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(256 * KIB);
    struct node_beat beat = {
        .node = {5}, .received_ms = START_MS, .session_epoch = 9, .busy_slots = 1};
    struct node_row row = {0};
    bool found = true;
    insert_queue(f);
    insert(f, 5, STR("judge-1"));
    fixture_exec(f, f->db,
                 "INSERT INTO job_lease VALUES (1, 5, 2, 9, 1, 1, 1, 10, 10, 1, 0), "
                 "(2, 5, 2, 9, 1, 1, 1, 10, 10, 1, 0), (3, 6, 2, 9, 1, 1, 1, 10, 10, 1, 0)");
    fixture_begin(f);
    assert_true(node_store_beat(f->db, &beat, &f->err));
    beat.received_ms = START_MS + 8;
    beat.load_permille = 1500;
    assert_true(node_store_beat(f->db, &beat, &f->err));
    fixture_commit(f);

    row = read_row(f, 5, arena);

    assert_true(str_eq_c(row.name, "judge-1"));
    assert_true(str_eq_c(row.pool, "general"));
    assert_true(str_eq_c(row.runtime_spec, "spec-1"));
    assert_true(row.enable_when_ready);
    assert_int_equal(row.node.beat_ms, START_MS + 8);
    assert_int_equal(row.busy, 2);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM node_beat"), 1);
    assert_int_equal(fixture_i64(f, f->db, "SELECT load_permille FROM node_beat"), 1500);
    assert_true(node_store_row(f->db, (struct node_id){6}, arena, &row, &found, &f->err));
    assert_false(found);
}

static void nodes_are_listed_by_name(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(256 * KIB);
    struct node_row *rows = NULL;
    int count = -1;
    insert_queue(f);

    assert_true(node_store_list(f->db, arena, &rows, &count, &f->err));
    assert_int_equal(count, 0);
    insert(f, 5, STR("judge-b"));
    insert(f, 6, STR("judge-a"));
    insert(f, 7, STR("judge-c"));
    assert_true(node_store_list(f->db, arena, &rows, &count, &f->err));

    assert_int_equal(count, 3);
    assert_int_equal(rows[0].node.id.value, 6);
    assert_int_equal(rows[1].node.id.value, 5);
    assert_int_equal(rows[2].node.id.value, 7);
}

static void configure_unlocked(struct fixture *f) {
    if (db_begin(f->db, &f->err)) {
        (void)!node_store_configure(f->db, (struct node_id){5}, NODE_ENABLED, 1, &f->err);
    }
}

static void a_change_without_the_lock_aborts(void **state) {
    struct fixture *f = *state;
    insert(f, 5, STR("judge-1"));

    assert_true(fixture_aborts(f, configure_unlocked));
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_new_node_has_no_session_and_no_heartbeat),
        WITH_DB(a_name_is_taken_once_and_found),
        WITH_DB(a_join_code_is_used_up_by_the_credential),
        WITH_DB(two_nodes_cannot_share_a_credential),
        WITH_DB(a_session_and_a_setting_each_raise_the_revision),
        WITH_DB(a_row_for_people_knows_queue_heartbeat_and_leases),
        WITH_DB(nodes_are_listed_by_name),
        WITH_DB(a_change_without_the_lock_aborts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
