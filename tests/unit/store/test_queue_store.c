/* Pools and queues. */
#include "store/queue_store.h"

#include "job_fixture.h"

static struct queue_row a_queue(int64_t id, const char *pool, const char *spec) {
    struct queue_row row = {.id = {id}, .virtual_keys = {id * 100, id * 100 + 1, id * 100 + 2}};
    (void)snprintf(row.pool, sizeof row.pool, "%s", pool);
    (void)snprintf(row.runtime_spec, sizeof row.runtime_spec, "%s", spec);
    return row;
}

static void insert(struct fixture *f, const struct queue_row *row) {
    fixture_begin(f);
    assert_true(queue_store_insert(f->db, row, &f->err));
    fixture_commit(f);
}

static void insert_pool(struct fixture *f, struct str name, struct str spec) {
    fixture_begin(f);
    assert_true(pool_store_insert(f->db, name, spec, &f->err));
    fixture_commit(f);
}

static void queues_are_listed_by_id_and_the_pools_own_is_current(void **state) {
    struct fixture *f = *state;
    static struct queue_row rows[QUEUES_MAX];
    int count = 0;
    struct queue_row newer = a_queue(9, "general", "spec-2");
    struct queue_row older = a_queue(4, "general", "spec-1");
    insert_pool(f, STR("general"), STR("spec-2"));
    insert(f, &newer);
    insert(f, &older);

    assert_true(queue_store_list(f->db, rows, &count, &f->err));

    assert_int_equal(count, 2);
    assert_int_equal(rows[0].id.value, 4);
    assert_string_equal(rows[0].pool, "general");
    assert_string_equal(rows[0].runtime_spec, "spec-1");
    for (int p = 0; p < PRIORITY_COUNT; p++) {
        assert_int_equal(rows[0].virtual_keys[p], 400 + p);
        assert_int_equal(rows[1].virtual_keys[p], 900 + p);
    }
    assert_false(rows[0].current);
    assert_int_equal(rows[1].id.value, 9);
    assert_true(rows[1].current);
}

static void no_more_queues_are_listed_than_there_is_room_for(void **state) {
    struct fixture *f = *state;
    static struct queue_row rows[QUEUES_MAX];
    int count = 0;
    insert_pool(f, STR("general"), STR("spec"));
    fixture_begin(f);
    for (int i = 1; i <= QUEUES_MAX + 2; i++) {
        char spec[16];
        (void)snprintf(spec, sizeof spec, "spec-%d", i);
        struct queue_row row = a_queue(i, "general", spec);
        assert_true(queue_store_insert(f->db, &row, &f->err));
    }
    fixture_commit(f);

    assert_true(queue_store_list(f->db, rows, &count, &f->err));

    assert_int_equal(count, QUEUES_MAX);
    assert_int_equal(rows[QUEUES_MAX - 1].id.value, QUEUES_MAX);
}

static void a_queue_is_found_by_both_its_names(void **state) {
    struct fixture *f = *state;
    struct queue_row row = a_queue(4, "general", "spec-1");
    struct queue_id id = {0};
    bool found = false;
    insert(f, &row);

    assert_true(queue_store_find(f->db, STR("general"), STR("spec-1"), &id, &found, &f->err));
    assert_true(found);
    assert_int_equal(id.value, 4);
    assert_true(queue_store_find(f->db, STR("general"), STR("spec-2"), &id, &found, &f->err));

    assert_false(found);
    assert_int_equal(id.value, 0);
}

static void a_pool_has_one_queue_for_a_spec(void **state) {
    struct fixture *f = *state;
    struct queue_row row = a_queue(4, "general", "spec-1");
    struct queue_row again = a_queue(5, "general", "spec-1");
    struct queue_row other = a_queue(5, "other", "spec-1");
    insert(f, &row);

    fixture_begin(f);
    assert_false(queue_store_insert(f->db, &again, &f->err));
    fixture_was_duplicate(f);
    assert_true(queue_store_insert(f->db, &other, &f->err));
    db_rollback(f->db);
}

static int64_t key_of(struct fixture *f, int64_t queue, enum job_priority priority) {
    static struct queue_row rows[QUEUES_MAX];
    int count = 0;
    assert_true(queue_store_list(f->db, rows, &count, &f->err));
    for (int i = 0; i < count; i++) {
        if (rows[i].id.value == queue) {
            return rows[i].virtual_keys[priority];
        }
    }
    fail();
    return 0;
}

static void the_virtual_key_only_rises(void **state) {
    struct fixture *f = *state;
    struct queue_row row = a_queue(4, "general", "spec-1");
    struct queue_row other = a_queue(5, "general", "spec-2");
    insert_pool(f, STR("general"), STR("spec-1"));
    insert(f, &row);
    insert(f, &other);
    static const struct {
        int64_t to;
        int64_t then;
    } steps[] = {{400, 401}, {401, 401}, {402, 402}, {0, 402}, {900, 900}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        fixture_begin(f);
        assert_true(queue_store_advance(f->db, row.id, PRIORITY_PRACTICE, steps[i].to, &f->err));
        fixture_commit(f);

        assert_int_equal(key_of(f, 4, PRIORITY_PRACTICE), steps[i].then);
    }
    assert_int_equal(key_of(f, 4, PRIORITY_EXAM), 400);
    assert_int_equal(key_of(f, 5, PRIORITY_PRACTICE), 501);
}

static void a_pool_is_there_once(void **state) {
    struct fixture *f = *state;
    bool found = true;

    assert_true(pool_store_find(f->db, STR("general"), &found, &f->err));
    assert_false(found);
    insert_pool(f, STR("general"), STR("spec-1"));
    assert_true(pool_store_find(f->db, STR("general"), &found, &f->err));
    assert_true(found);
    fixture_begin(f);
    assert_false(pool_store_insert(f->db, STR("general"), STR("spec-2"), &f->err));

    fixture_was_duplicate(f);
    db_rollback(f->db);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(queues_are_listed_by_id_and_the_pools_own_is_current),
        WITH_DB(no_more_queues_are_listed_than_there_is_room_for),
        WITH_DB(a_queue_is_found_by_both_its_names),
        WITH_DB(a_pool_has_one_queue_for_a_spec),
        WITH_DB(the_virtual_key_only_rises),
        WITH_DB(a_pool_is_there_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
