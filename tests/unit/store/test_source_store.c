/* What was handed in. */
#include "store/source_store.h"

#include "base/limits.h"
#include "job_fixture.h"

static struct source_row a_source(struct str text, uint8_t digest_byte, struct arena *arena) {
    struct source_row source = {.packed = pack(text, arena)};
    memset(source.sha256, digest_byte, sizeof source.sha256);
    return source;
}

static void insert(struct fixture *f, int64_t id, const struct source_row *source) {
    fixture_begin(f);
    assert_true(source_store_insert(f->db, (struct submission_id){id}, source, &f->err));
    fixture_commit(f);
}

static void a_source_comes_back_with_its_digest(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 * MIB);
    char *text = arena_alloc(arena, SOURCE_BYTES_MAX);
    memset(text, 's', SOURCE_BYTES_MAX);
    struct str sources[] = {STR("int main(void) { return 0; }"), str_of(text, SOURCE_BYTES_MAX)};
    for (uint8_t i = 0; i < 2; i++) {
        struct source_row row = a_source(sources[i], (uint8_t)(0x30 + i), arena);
        struct submission_id id = {i + 1};
        struct str back = {0};
        uint8_t digest[32] = {0};
        insert(f, id.value, &row);

        assert_true(source_store_get(f->db, id, arena, &back, digest, &f->err));

        assert_true(str_eq(back, sources[i]));
        assert_memory_equal(digest, row.sha256, sizeof digest);
    }
    assert_true(fixture_i64(f, f->db, "SELECT max(length(content)) FROM submission_source") < 5000);
}

static void a_submission_without_a_source_is_missing(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct str back = {0};
    uint8_t digest[32];

    assert_false(source_store_get(f->db, (struct submission_id){9}, arena, &back, digest, &f->err));

    assert_int_equal(f->err.kind, ERR_MISSING);
    assert_string_equal(f->err.code, "no_submission");
    assert_non_null(strstr(f->err.text, "9"));
}

static void a_submission_has_one_source(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct source_row row = a_source(STR("x"), 1, arena);
    insert(f, 1, &row);

    fixture_begin(f);
    assert_true(source_store_insert(f->db, (struct submission_id){1}, &row, &f->err));
    assert_false(db_flush(f->db, &f->err));
    fixture_was_duplicate(f);
    db_rollback(f->db);
}

static void a_row_that_was_damaged_or_is_too_long_is_refused(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct source_row cut = {
        .packed = {.encoding = ENCODING_ZSTD, .bytes = 9, .content = STR("x")}};
    struct source_row huge = {.packed = {.bytes = SOURCE_BYTES_MAX + 1, .content = STR("x")}};
    struct str back = {0};
    uint8_t digest[32];
    insert(f, 1, &cut);
    insert(f, 2, &huge);

    assert_false(source_store_get(f->db, (struct submission_id){1}, arena, &back, digest, &f->err));
    assert_string_equal(f->err.code, "bad_row");
    assert_false(source_store_get(f->db, (struct submission_id){2}, arena, &back, digest, &f->err));

    assert_int_equal(f->err.kind, ERR_TOO_LARGE);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_source_comes_back_with_its_digest),
        WITH_DB(a_submission_without_a_source_is_missing),
        WITH_DB(a_submission_has_one_source),
        WITH_DB(a_row_that_was_damaged_or_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
