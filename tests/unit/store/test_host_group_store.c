/* Machines that several nodes share. */
#include "store/host_group_store.h"

#include "job_fixture.h"
#include "rows_fixture.h"

static void insert(struct fixture *f, int64_t id, struct str name, int32_t slots) {
    fixture_begin(f);
    assert_true(host_group_store_insert(f->db, (struct host_group_id){id}, name, slots, &f->err));
    fixture_commit(f);
}

static void a_group_is_found_by_name_and_knows_its_slots(void **state) {
    struct fixture *f = *state;
    struct host_group_id id = {0};
    bool found = false;
    insert(f, 4, STR("rack-1"), 12);
    insert(f, 5, STR("rack-2"), 3);

    assert_true(host_group_store_find(f->db, STR("rack-1"), &id, &found, &f->err));

    assert_true(found);
    assert_int_equal(id.value, 4);
    const struct rows_value key[] = {rows_i64(id.value)};
    assert_int_equal(fixture_read(f, &host_group_select, key, 1, 1).last, 12);
}

static void a_name_nobody_has_is_not_found(void **state) {
    struct fixture *f = *state;
    struct host_group_id id = {77};
    bool found = true;
    insert(f, 4, STR("rack-1"), 12);

    assert_true(host_group_store_find(f->db, STR("rack"), &id, &found, &f->err));

    assert_false(found);
    assert_int_equal(id.value, 0);
}

static void a_name_and_an_id_are_given_once(void **state) {
    struct fixture *f = *state;
    insert(f, 4, STR("rack-1"), 12);

    fixture_begin(f);
    assert_false(
        host_group_store_insert(f->db, (struct host_group_id){5}, STR("rack-1"), 1, &f->err));
    fixture_was_duplicate(f);
    assert_false(
        host_group_store_insert(f->db, (struct host_group_id){4}, STR("rack-2"), 1, &f->err));
    fixture_was_duplicate(f);
    db_rollback(f->db);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_group_is_found_by_name_and_knows_its_slots),
        WITH_DB(a_name_nobody_has_is_not_found),
        WITH_DB(a_name_and_an_id_are_given_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
