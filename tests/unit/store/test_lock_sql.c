/* Each level of the one lock order has a way to be locked, by a key. */
#include "store/lock_sql.h"
#include "store/store_fixture.h"

static void every_level_can_be_locked_shared_and_exclusive(void **state) {
    (void)state;
    for (int level = LOCK_NONE + 1; level < LOCK_LEVEL_COUNT; level++) {
        for (int mode = LOCK_SHARED; mode <= LOCK_EXCLUSIVE; mode++) {
            const char *sql = lock_sql((enum lock_level)level, (enum lock_mode)mode);

            assert_non_null(sql);
            assert_ptr_equal(strchr(strchr(sql, '?') + 1, '?'), NULL);
            assert_ptr_equal(sql, lock_sql((enum lock_level)level, (enum lock_mode)mode));
        }
    }
}

static void every_level_is_locked_by_the_database(void **state) {
    struct fixture *f = *state;
    for (int mode = LOCK_SHARED; mode <= LOCK_EXCLUSIVE; mode++) {
        assert_true(db_begin(f->db, &f->err));
        for (int level = LOCK_NONE + 1; level < LOCK_LEVEL_COUNT; level++) {
            assert_true(db_lock(f->db, (enum lock_level)level, (enum lock_mode)mode, 7, &f->err));
        }
        db_rollback(f->db);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_can_be_locked_shared_and_exclusive),
        cmocka_unit_test_setup_teardown(every_level_is_locked_by_the_database, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
