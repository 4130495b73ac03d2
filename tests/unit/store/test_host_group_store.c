/* Machines that several nodes share. */
#include "store/host_group_store.h"

#include "job_fixture.h"

static void insert(struct fixture *f, int64_t id, struct str name, int32_t slots) {
    fixture_begin(f);
    assert_true(host_group_store_insert(f->db, (struct host_group_id){id}, name, slots, &f->err));
    fixture_commit(f);
}

static void a_group_is_found_by_name_and_knows_its_slots(void **state) {
    struct fixture *f = *state;
    struct host_group_id id = {0};
    bool found = false;
    int32_t slots = 0;
    insert(f, 4, STR("rack-1"), 12);
    insert(f, 5, STR("rack-2"), 3);

    assert_true(host_group_store_find(f->db, STR("rack-1"), &id, &found, &f->err));
    assert_true(host_group_store_slots(f->db, id, &slots, &f->err));

    assert_true(found);
    assert_int_equal(id.value, 4);
    assert_int_equal(slots, 12);
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

static void the_slots_of_a_missing_group_are_an_error(void **state) {
    struct fixture *f = *state;
    int32_t slots = 9;

    assert_false(host_group_store_slots(f->db, (struct host_group_id){8}, &slots, &f->err));

    assert_int_equal(f->err.kind, ERR_MISSING);
    assert_string_equal(f->err.code, "no_host_group");
    assert_non_null(strstr(f->err.text, "8"));
    assert_int_equal(slots, 0);
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
        WITH_DB(the_slots_of_a_missing_group_are_an_error),
        WITH_DB(a_name_and_an_id_are_given_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
