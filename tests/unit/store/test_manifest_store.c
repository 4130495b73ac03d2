/* Manifests and the versions of problems. */
#include "store/manifest_store.h"

#include "store_fixture.h"

static void a_manifest_is_stored_once(void **state) {
    struct fixture *f = *state;
    struct digest manifest = digest_of(STR("one"));

    for (int i = 0; i < 2; i++) {
        assert_true(db_begin(f->db, &f->err));
        assert_true(manifest_store_add(f->db, &manifest, 100, START_MS + i, &f->err));
        assert_true(db_commit(f->db, &f->err));
    }

    assert_int_equal(fixture_i64(f, f->db, "SELECT COUNT(*) FROM manifest"), 1);
    assert_int_equal(fixture_i64(f, f->db, "SELECT bytes FROM manifest"), 100);
    assert_int_equal(fixture_i64(f, f->db, "SELECT created_ms FROM manifest"), START_MS);
}

static int64_t add_version(struct fixture *f, int64_t problem, const char *text) {
    struct digest manifest = digest_of(str_from(text));
    int64_t version = 0;
    assert_true(db_begin(f->db, &f->err));
    assert_true(db_lock(f->db, LOCK_CONTEXT, LOCK_EXCLUSIVE, problem, &f->err));
    assert_true(manifest_store_add_version(f->db, (struct problem_id){problem}, &manifest, START_MS,
                                           &version, &f->err));
    assert_true(db_commit(f->db, &f->err));
    return version;
}

static void versions_count_from_one_for_each_problem(void **state) {
    struct fixture *f = *state;

    assert_int_equal(add_version(f, 5, "one"), 1);
    assert_int_equal(add_version(f, 5, "two"), 2);
    assert_int_equal(add_version(f, 5, "one"), 3);
    assert_int_equal(add_version(f, 6, "one"), 1);

    assert_int_equal(fixture_i64(f, f->db, "SELECT COUNT(*) FROM problem_manifest"), 4);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_manifest_is_stored_once),
        WITH_DB(versions_count_from_one_for_each_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
