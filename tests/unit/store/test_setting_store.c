/* Settings that belong to the database. */
#include "store/setting_store.h"

#include "base/limits.h"
#include "store_fixture.h"

static void put(struct fixture *f, const char *name, const char *text) {
    assert_true(db_begin(f->db, &f->err));
    assert_true(setting_store_put(f->db, str_from(name), str_from(text), START_MS, &f->err));
    assert_true(db_commit(f->db, &f->err));
}

static void a_setting_keeps_its_last_text(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct str text = {0};
    bool found = false;
    put(f, "blob.store_id", "one");
    put(f, "other", "x");
    put(f, "blob.store_id", "two");
    put(f, "blob.store_id", "two");

    assert_true(setting_store_get(f->db, STR("blob.store_id"), arena, &found, &text, &f->err));

    assert_true(found);
    assert_true(str_eq_c(text, "two"));
    assert_int_equal(fixture_i64(f, f->db, "SELECT COUNT(*) FROM setting"), 2);
}

static void what_was_never_set_is_not_found(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct str text = STR("untouched");
    bool found = true;

    assert_true(setting_store_get(f->db, STR("none"), arena, &found, &text, &f->err));

    assert_false(found);
    assert_true(str_eq_c(text, "untouched"));
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_setting_keeps_its_last_text),
        WITH_DB(what_was_never_set_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
