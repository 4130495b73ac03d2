/* Results of settled jobs. */
#include "store/result_store.h"

#include "base/limits.h"
#include "job_fixture.h"

static void insert(struct fixture *f, int64_t id, const struct packed *result) {
    fixture_begin(f);
    assert_true(result_store_insert(f->db, (struct job_id){id}, result, &f->err));
    fixture_commit(f);
}

static void a_result_comes_back_short_or_long(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 * MIB);
    char *text = arena_alloc(arena, 50000);
    memset(text, 'r', 50000);
    struct str results[] = {STR("{}"), str_of(text, 50000), STR("")};
    for (int64_t i = 0; i < 3; i++) {
        struct packed packed = pack(results[i], arena);
        struct str back = {0};
        bool found = false;
        insert(f, i + 1, &packed);

        assert_true(result_store_get(f->db, (struct job_id){i + 1}, arena, &back, &found, &f->err));

        assert_true(found);
        assert_true(str_eq(back, results[i]));
    }
    assert_int_equal(fixture_i64(f, f->db, "SELECT encoding FROM job_result WHERE job_id = 2"),
                     ENCODING_ZSTD);
    assert_true(fixture_i64(f, f->db, "SELECT length(content) FROM job_result WHERE job_id = 2") <
                5000);
}

static void a_job_without_a_result_is_not_found(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct str back = STR("untouched");
    bool found = true;

    assert_true(result_store_get(f->db, (struct job_id){9}, arena, &back, &found, &f->err));

    assert_false(found);
    assert_true(str_eq_c(back, "untouched"));
}

static void a_job_has_one_result(void **state) {
    struct fixture *f = *state;
    struct packed packed = {.bytes = 2, .content = STR("{}")};
    insert(f, 1, &packed);

    fixture_begin(f);
    assert_true(result_store_insert(f->db, (struct job_id){1}, &packed, &f->err));
    assert_false(db_flush(f->db, &f->err));
    fixture_was_duplicate(f);
    db_rollback(f->db);
}

static void a_row_that_was_damaged_or_is_too_long_is_refused(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct packed cut = {.bytes = 3, .content = STR("{}")};
    struct packed huge = {.bytes = RESULT_BYTES_MAX + 1, .content = STR("{}")};
    struct str back = {0};
    bool found = false;
    insert(f, 1, &cut);
    insert(f, 2, &huge);

    assert_false(result_store_get(f->db, (struct job_id){1}, arena, &back, &found, &f->err));
    assert_string_equal(f->err.code, "bad_row");
    assert_false(result_store_get(f->db, (struct job_id){2}, arena, &back, &found, &f->err));

    assert_int_equal(f->err.kind, ERR_TOO_LARGE);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_result_comes_back_short_or_long),
        WITH_DB(a_job_without_a_result_is_not_found),
        WITH_DB(a_job_has_one_result),
        WITH_DB(a_row_that_was_damaged_or_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
