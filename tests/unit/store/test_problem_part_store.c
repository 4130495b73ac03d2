/* Statements, samples and files of problems. */
#include "store/problem_part_store.h"

#include "base/limits.h"
#include "store_fixture.h"

static const struct problem_id problem = {5};

static void replace(struct fixture *f, struct problem_id id, const struct problem_parts *parts) {
    assert_true(db_begin(f->db, &f->err));
    assert_true(db_lock(f->db, LOCK_CONTEXT, LOCK_EXCLUSIVE, id.value, &f->err));
    if (!problem_part_store_replace(f->db, id, parts, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    assert_true(db_commit(f->db, &f->err));
}

static const struct statement_row statements[] = {
    {STR("zh"), STR("markdown"), STR("\xe9\xa2\x98"), STR("")},
    {STR("en"), STR("pdf"), STR(""), STR("problem.en.pdf")},
    {STR("en"), STR("markdown"), STR("Add."), STR("")},
};
static const struct sample_row samples[] = {
    {STR("2"), STR("1 2\n"), STR("3\n")},
    {STR("1"), {"a\0b", 3}, STR("")},
};
static const struct problem_file_row files[] = {
    {STR("images/a.png"), {.sha256 = {1}, .bytes = 10}},
    {STR("problem.en.pdf"), {.sha256 = {2}, .bytes = 20}},
};
static const struct problem_parts parts = {statements, 3, samples, 2, files, 2};

static void statements_come_by_language_and_format(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 * MIB);
    struct statement_row *rows = NULL;
    int count = 0;
    replace(f, problem, &parts);

    assert_true(problem_part_store_statements(f->db, problem, arena, &rows, &count, &f->err));

    assert_int_equal(count, 3);
    assert_true(str_eq_c(rows[0].language, "en"));
    assert_true(str_eq_c(rows[0].body, "Add."));
    assert_true(str_eq_c(rows[1].file_name, "problem.en.pdf"));
    assert_int_equal(rows[1].body.len, 0);
    assert_true(str_eq_c(rows[2].body, "\xe9\xa2\x98"));
}

static void samples_keep_their_order_and_their_bytes(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 * MIB);
    struct sample_row *rows = NULL;
    int count = 0;
    replace(f, problem, &parts);

    assert_true(problem_part_store_samples(f->db, problem, arena, &rows, &count, &f->err));

    assert_int_equal(count, 2);
    assert_true(str_eq_c(rows[0].name, "2"));
    assert_true(str_eq_c(rows[0].answer, "3\n"));
    assert_true(str_eq(rows[1].input, str_of("a\0b", 3)));
}

static void only_a_file_of_the_problem_is_found(void **state) {
    struct fixture *f = *state;
    struct blob_ref blob;
    replace(f, problem, &parts);

    assert_true(problem_part_store_file(f->db, problem, STR("problem.en.pdf"), &blob, &f->err));
    assert_int_equal(blob.bytes, 20);
    assert_int_equal(blob.sha256[0], 2);
    assert_false(problem_part_store_file(f->db, problem, STR("images"), &blob, &f->err));

    assert_string_equal(f->err.code, "no_file");
    assert_false(problem_part_store_file(f->db, (struct problem_id){6}, STR("problem.en.pdf"),
                                         &blob, &f->err));
}

static void parts_are_replaced_as_a_whole(void **state) {
    struct fixture *f = *state;
    const struct problem_parts fewer = {statements, 1, NULL, 0, files, 1};
    replace(f, problem, &parts);
    replace(f, (struct problem_id){6}, &parts);

    replace(f, problem, &fewer);

    assert_int_equal(
        fixture_i64(f, f->db, "SELECT COUNT(*) FROM problem_statement WHERE problem_id = 5"), 1);
    assert_int_equal(
        fixture_i64(f, f->db, "SELECT COUNT(*) FROM problem_sample WHERE problem_id = 5"), 0);
    assert_int_equal(
        fixture_i64(f, f->db, "SELECT COUNT(*) FROM problem_file WHERE problem_id = 5"), 1);
    assert_int_equal(
        fixture_i64(f, f->db, "SELECT COUNT(*) FROM problem_statement WHERE problem_id = 6"), 3);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(statements_come_by_language_and_format),
        WITH_DB(samples_keep_their_order_and_their_bytes),
        WITH_DB(only_a_file_of_the_problem_is_found),
        WITH_DB(parts_are_replaced_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
