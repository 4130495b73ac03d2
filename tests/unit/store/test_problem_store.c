/* Problems. */
#include "store/problem_store.h"

#include "base/limits.h"
#include "store_fixture.h"

static struct problem_row a_problem(int64_t id, const char *code) {
    return (struct problem_row){
        .id = {id},
        .code = str_from(code),
        .titles = STR("en\tA title\n"),
        .search_text = str_from(code),
        .manifest = digest_of(STR("manifest")),
        .time_limit_ms = 1000,
        .memory_limit_kib = 262144,
        .output_limit_kib = 8192,
        .code_limit_kib = 128,
        .job_total_ms = 60000,
        .cases_total = 3,
        .languages = STR("c cpp"),
        .revision = 1,
        .created_ms = START_MS,
        .updated_ms = START_MS,
    };
}

static void insert(struct fixture *f, const struct problem_row *row) {
    assert_true(db_begin(f->db, &f->err));
    assert_true(problem_store_insert(f->db, row, &f->err));
    assert_true(db_commit(f->db, &f->err));
}

static void a_problem_is_found_by_id_and_by_code(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct problem_row row = a_problem(5, "aplusb");
    struct problem_row by_id;
    struct problem_row by_code;
    insert(f, &row);

    assert_true(problem_store_find(f->db, row.id, arena, &by_id, &f->err));
    assert_true(problem_store_find_code(f->db, STR("aplusb"), arena, &by_code, &f->err));

    assert_true(str_eq_c(by_id.titles, "en\tA title\n"));
    assert_true(digest_equal(&by_id.manifest, &row.manifest));
    assert_int_equal(by_id.time_limit_ms, 1000);
    assert_int_equal(by_id.memory_limit_kib, 262144);
    assert_int_equal(by_id.output_limit_kib, 8192);
    assert_int_equal(by_id.code_limit_kib, 128);
    assert_int_equal(by_id.job_total_ms, 60000);
    assert_int_equal(by_id.cases_total, 3);
    assert_true(str_eq_c(by_id.languages, "c cpp"));
    assert_int_equal(by_code.id.value, 5);
}

static void an_unknown_problem_is_missing(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct problem_row row;

    assert_false(problem_store_find(f->db, (struct problem_id){5}, arena, &row, &f->err));

    assert_int_equal(f->err.kind, ERR_MISSING);
    assert_string_equal(f->err.code, "no_problem");
}

static void a_code_is_taken_once(void **state) {
    struct fixture *f = *state;
    struct problem_row first = a_problem(5, "aplusb");
    struct problem_row second = a_problem(6, "aplusb");
    insert(f, &first);

    assert_true(db_begin(f->db, &f->err));
    assert_false(problem_store_insert(f->db, &second, &f->err));

    assert_int_equal(f->err.kind, ERR_CONFLICT);
    db_rollback(f->db);
}

static void an_update_keeps_code_and_creation(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct problem_row row = a_problem(5, "aplusb");
    struct problem_row found;
    insert(f, &row);
    row.code = STR("other");
    row.titles = STR("en\tNew\n");
    row.manifest = digest_of(STR("second"));
    row.time_limit_ms = 2000;
    row.cases_total = 4;
    row.created_ms = 1;
    row.updated_ms = START_MS + 9;

    assert_true(db_begin(f->db, &f->err));
    assert_true(db_lock(f->db, LOCK_CONTEXT, LOCK_EXCLUSIVE, 5, &f->err));
    assert_true(problem_store_update(f->db, &row, &f->err));
    assert_true(db_commit(f->db, &f->err));

    assert_true(problem_store_find(f->db, row.id, arena, &found, &f->err));
    assert_true(str_eq_c(found.code, "aplusb"));
    assert_true(str_eq_c(found.titles, "en\tNew\n"));
    assert_true(digest_equal(&found.manifest, &row.manifest));
    assert_int_equal(found.time_limit_ms, 2000);
    assert_int_equal(found.cases_total, 4);
    assert_int_equal(found.created_ms, START_MS);
    assert_int_equal(found.updated_ms, START_MS + 9);
    assert_int_equal(found.revision, 2);
}

static int found_by(struct fixture *f, const char *folded) {
    own(arena) arena = arena_create(1 * MIB);
    struct problem_query query = {.limit = 10};
    struct str rest = str_from(folded);
    while (query.word_count < PROBLEM_QUERY_WORDS_MAX &&
           str_next_word(&rest, &query.words[query.word_count])) {
        query.word_count++;
    }
    struct problem_listed *rows = NULL;
    int count = 0;
    if (!problem_store_list(f->db, &query, arena, &rows, &count, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    return count;
}

static void a_search_takes_its_text_as_it_is(void **state) {
    struct fixture *f = *state;
    struct problem_row rows[] = {a_problem(1, "a_b"), a_problem(2, "axb"), a_problem(3, "50%"),
                                 a_problem(4, "wow!")};
    rows[1].search_text = STR("axb\n\xe4\xb8\xa4\xe6\x95\xb0\xe4\xb9\x8b\xe5\x92\x8c");
    for (size_t i = 0; i < 4; i++) {
        insert(f, &rows[i]);
    }

    assert_int_equal(found_by(f, ""), 4);
    assert_int_equal(found_by(f, "a"), 2);
    assert_int_equal(found_by(f, "a_b"), 1);
    assert_int_equal(found_by(f, "%"), 1);
    assert_int_equal(found_by(f, "!"), 1);
    assert_int_equal(found_by(f, "\xe6\x95\xb0\xe4\xb9\x8b"), 1);
    assert_int_equal(found_by(f, "x b a"), 1);
    assert_int_equal(found_by(f, "a b x y"), 0);
    assert_int_equal(found_by(f, "a a a a"), 2);
    assert_int_equal(found_by(f, "'; DROP TABLE problem; --"), 0);
}

static void a_list_shows_the_users_own_best_verdict(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 * MIB);
    struct problem_row rows[] = {a_problem(1, "a"), a_problem(2, "b"), a_problem(3, "c")};
    struct problem_query query = {.user = {7}, .limit = 10};
    struct problem_listed *listed = NULL;
    enum verdict best = VERDICT_NONE;
    int count = 0;
    for (size_t i = 0; i < 3; i++) {
        insert(f, &rows[i]);
    }
    fixture_exec(f, f->db,
                 "INSERT INTO user_problem VALUES (7, 1, 1, 0, 1), "
                 "(7, 3, 2, 0, 1), (8, 2, 1, 0, 1)");

    assert_true(problem_store_list(f->db, &query, arena, &listed, &count, &f->err));
    assert_true(problem_store_best(f->db, query.user, rows[2].id, &best, &f->err));

    assert_int_equal(count, 3);
    assert_int_equal(listed[0].best, VERDICT_ACCEPTED);
    assert_int_equal(listed[1].best, VERDICT_NONE);
    assert_int_equal(listed[2].best, VERDICT_WRONG_ANSWER);
    assert_int_equal(best, VERDICT_WRONG_ANSWER);
}

static void a_list_comes_in_pages(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 * MIB);
    struct problem_query query = {.after = {1}, .limit = 1};
    struct problem_listed *listed = NULL;
    int count = 0;
    struct problem_row rows[] = {a_problem(1, "a"), a_problem(2, "b"), a_problem(3, "c")};
    for (size_t i = 0; i < 3; i++) {
        insert(f, &rows[i]);
    }

    assert_true(problem_store_list(f->db, &query, arena, &listed, &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(listed[0].row.id.value, 2);
    query.after = rows[2].id;
    assert_true(problem_store_list(f->db, &query, arena, &listed, &count, &f->err));

    assert_int_equal(count, 0);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_problem_is_found_by_id_and_by_code),
        WITH_DB(an_unknown_problem_is_missing),
        WITH_DB(a_code_is_taken_once),
        WITH_DB(an_update_keeps_code_and_creation),
        WITH_DB(a_search_takes_its_text_as_it_is),
        WITH_DB(a_list_shows_the_users_own_best_verdict),
        WITH_DB(a_list_comes_in_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
