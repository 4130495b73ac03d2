/* Which files the database knows of. */
#include "store/blob_row_store.h"

#include "store_fixture.h"

static void a_file_is_known_once_it_was_added(void **state) {
    struct fixture *f = *state;
    struct blob_ref blob = {.sha256 = {1, 2, 3}, .bytes = 42};
    int64_t before = 0;
    int64_t after = 0;

    assert_true(blob_row_store_find(f->db, blob.sha256, &before, &f->err));
    for (int i = 0; i < 2; i++) {
        assert_true(db_begin(f->db, &f->err));
        assert_true(blob_row_store_add(f->db, &blob, START_MS + i, &f->err));
        assert_true(db_commit(f->db, &f->err));
    }
    assert_true(blob_row_store_find(f->db, blob.sha256, &after, &f->err));

    assert_int_equal(before, -1);
    assert_int_equal(after, 42);
    assert_int_equal(fixture_i64(f, f->db, "SELECT COUNT(*) FROM blob_file"), 1);
    assert_int_equal(fixture_i64(f, f->db, "SELECT created_ms FROM blob_file"), START_MS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_is_known_once_it_was_added, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
