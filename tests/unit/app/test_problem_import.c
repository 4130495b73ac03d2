/* A package becomes a problem. */
#include "problem_fixture.h"

#include "package/tree.h"
#include "store/db_fault.h"
#include "store/problem_store.h"
#include <fcntl.h>
#include <unistd.h>

static bool count_one(void *context, const struct blob_visit *blob) {
    (void)blob;
    (*(int *)context)++;
    return true;
}

static int blobs(struct fixture *f) {
    int count = 0;
    assert_true(blob_each(f->app->blobs, count_one, &count, &f->err));
    return count;
}

static void assert_nothing_is_left(struct fixture *f) {
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem"), 0);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM manifest"), 0);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem_statement"), 0);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem_file"), 0);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM blob_file"), 0);
    assert_int_equal(blobs(f), 0);
}

static void a_package_becomes_a_problem(void **state) {
    struct fixture *f = *state;
    struct problem_import_result result;
    package_write(f);

    if (!package_import(f, &f->admin, "two", &result)) {
        fail_msg("%s", f->err.text);
    }

    assert_true(result.created);
    assert_true(result.problem.id.value > 0);
    assert_true(str_eq_c(result.problem.code, "two"));
    assert_int_equal(result.problem.title_count, 2);
    assert_int_equal(result.problem.time_limit_ms, 2000);
    assert_int_equal(result.problem.memory_limit_kib, 256 * KIB);
    assert_int_equal(fixture_i64(f, "SELECT cases_total FROM problem"), 3);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem_manifest"), 1);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem_statement"), 2);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem_sample"), 1);
    assert_int_equal(
        fixture_i64(f, "SELECT COUNT(*) FROM audit_log WHERE action = 'problem.import'"), 1);
}

static void every_file_that_the_rows_name_is_stored(void **state) {
    struct fixture *f = *state;
    package_write(f);
    (void)package_imported(f, "two");

    int stored = blobs(f);

    /* Six files of cases, the picture, the manifest's text. */
    assert_int_equal(stored, 8);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM blob_file"), stored);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM manifest m, blob_file b "
                                    "WHERE b.sha256 = m.id AND b.bytes = m.bytes"),
                     1);
}

static void the_stored_manifest_reads_back(void **state) {
    struct fixture *f = *state;
    package_write(f);
    (void)package_imported(f, "two");
    own(db_reader) reader = NULL;
    struct problem_row row;
    struct manifest manifest;
    own_fd fd = -1;
    own_buf text = {0};
    buf_init(&text, MANIFEST_BYTES_MAX);

    assert_true(db_pool_take(f->app->readers, &reader, &f->err));
    assert_true(problem_store_find_code(reader->db, STR("two"), f->arena, &row, &f->err));
    assert_true(blob_open(f->app->blobs, &row.manifest, &fd, NULL, &f->err));
    assert_true(file_read_all(fd, MANIFEST_BYTES_MAX, &text, &f->err));
    assert_true(manifest_read(buf_str(&text), f->arena, &manifest, &f->err));

    assert_int_equal(manifest.case_count, 3);
    assert_true(manifest.cases[0].sample);
    for (int32_t i = 0; i < manifest.case_count; i++) {
        struct digest digest;
        own_fd input = -1;
        memcpy(digest.bytes, manifest.cases[i].input.sha256, sizeof(digest.bytes));
        assert_true(blob_open(f->app->blobs, &digest, &input, NULL, &f->err));
    }
}

static void a_zip_is_read_like_a_folder(void **state) {
    struct fixture *f = *state;
    struct problem_import_list result;
    own_fd fd = -1;
    package_write(f);
    assert_true(file_memory("package.zip", STR(""), false, &fd, &f->err));
    if (!package_zip_folder(package_path(f, ""), fd, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    struct problem_import_request request = {.fd = fd, .file_name = STR("sum.zip")};

    if (!problem_import(f->app, &f->admin, &request, f->arena, &result, &f->err)) {
        fail_msg("%s", f->err.text);
    }

    assert_true(str_eq_c(result.items[0].problem.code, "sum"));
    assert_int_equal(fixture_i64(f, "SELECT cases_total FROM problem"), 3);
    (void)package_imported(f, "again");
    assert_int_equal(fixture_i64(f, "SELECT COUNT(DISTINCT manifest_id) FROM problem"), 1);
}

/* One that is refused keeps no other out, and a dry run keeps nothing. */
static void several_problems_come_in_one_package(void **state) {
    struct fixture *f = *state;
    struct problem_import_list list;
    package_file(f, "a/problem.yaml", STR("name: A\n"));
    package_file(f, "a/data/secret/1.in", STR("1\n"));
    package_file(f, "a/data/secret/1.ans", STR("1\n"));
    package_file(f, "b/problem.yaml", STR("name: B\n"));
    struct problem_import_request request = {
        .fd = -1, .folder = package_path(f, ""), .dry_run = true};

    assert_true(problem_import(f->app, &f->admin, &request, f->arena, &list, &f->err));
    assert_int_equal(list.count, 2);
    assert_true(str_eq_c(list.items[0].problem.code, "a"));
    assert_int_equal(list.items[0].problem.id.value, 0);
    assert_int_equal(list.items[1].report.refused.count, 1);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem"), 0);
    assert_int_equal(blobs(f), 0);

    request.dry_run = false;
    assert_true(problem_import(f->app, &f->admin, &request, f->arena, &list, &f->err));
    assert_int_equal(list.imported, 1);
    assert_true(list.items[0].problem.id.value > 0);
    assert_true(list.items[1].error.len > 0);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem"), 1);
}

static void the_same_package_again_makes_no_new_version(void **state) {
    struct fixture *f = *state;
    struct problem_import_result result;
    package_write(f);
    struct problem_id first = package_imported(f, "two");
    int stored = blobs(f);

    assert_true(package_import(f, &f->admin, "two", &result));

    assert_false(result.created);
    assert_int_equal(result.problem.id.value, first.value);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem"), 1);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem_manifest"), 1);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem_statement"), 2);
    assert_int_equal(blobs(f), stored);
}

static void changed_test_data_is_a_new_version_of_the_same_problem(void **state) {
    struct fixture *f = *state;
    struct problem_import_result result;
    package_write(f);
    struct problem_id first = package_imported(f, "two");
    package_file(f, "data/secret/c.in", STR("1 1\n"));
    package_file(f, "data/secret/c.ans", STR("2\n"));
    clock_manual_advance(&f->clock, 1000);

    assert_true(package_import(f, &f->admin, "two", &result));

    assert_false(result.created);
    assert_int_equal(result.problem.id.value, first.value);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem_manifest"), 2);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem p, problem_manifest m "
                                    "WHERE m.version = 2 AND m.manifest_id = p.manifest_id"),
                     1);
    assert_int_equal(fixture_i64(f, "SELECT cases_total FROM problem"), 4);
    assert_int_equal(fixture_i64(f, "SELECT revision FROM problem"), 2);
    assert_int_equal(fixture_i64(f, "SELECT created_ms FROM problem"), START_MS);
    assert_int_equal(fixture_i64(f, "SELECT updated_ms FROM problem"), START_MS + 1000);
    /* The old version's files stay for the jobs that have it. */
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM manifest"), 2);
}

static void a_changed_statement_alone_keeps_the_version(void **state) {
    struct fixture *f = *state;
    package_write(f);
    (void)package_imported(f, "two");
    package_file(f, "problem_statement/problem.en.md", STR("Add both.\n"));

    (void)package_imported(f, "two");

    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem_manifest"), 1);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem_statement WHERE body = "
                                    "x'41646420626f74682e0a'"),
                     1);
}

static void a_refused_package_leaves_nothing(void **state) {
    struct fixture *f = *state;
    struct problem_import_result result;
    package_write(f);
    assert_int_equal(unlink(package_path(f, "data/secret/b.ans")), 0);

    assert_false(package_import(f, &f->admin, "two", &result));

    assert_int_equal(f->err.kind, ERR_INVALID);
    assert_string_equal(f->err.code, "bad_package");
    assert_non_null(strstr(f->err.text, "data/secret/b"));
    assert_nothing_is_left(f);
}

static void a_broken_yaml_is_refused_with_file_and_line(void **state) {
    struct fixture *f = *state;
    struct problem_import_result result;
    package_write(f);
    package_file(f, "problem.yaml", STR("name: x\nlimits: [\n"));

    assert_false(package_import(f, &f->admin, "two", &result));

    assert_string_equal(f->err.code, "bad_package");
    assert_non_null(strstr(f->err.text, "problem.yaml:"));
    assert_nothing_is_left(f);
}

static void what_is_no_zip_is_refused(void **state) {
    struct fixture *f = *state;
    struct problem_import_list result;
    own_fd fd = -1;
    assert_true(file_memory("x", STR("this is no zip"), false, &fd, &f->err));
    struct problem_import_request request = {.fd = fd, .file_name = STR("x.zip")};

    assert_false(problem_import(f->app, &f->admin, &request, f->arena, &result, &f->err));

    assert_string_equal(f->err.code, "bad_package");
    assert_nothing_is_left(f);
}

static void teachers_may_import_and_students_may_not(void **state) {
    struct fixture *f = *state;
    struct actor teacher = fixture_user(f, "teacher", ROLE_TEACHER);
    struct actor student = fixture_user(f, "student", ROLE_STUDENT);
    struct actor nobody = {0};
    struct problem_import_result result;
    package_write(f);

    assert_false(package_import(f, &student, "two", &result));
    assert_string_equal(f->err.code, "not_allowed");
    assert_false(package_import(f, &nobody, "two", &result));
    assert_string_equal(f->err.code, "no_session");
    assert_nothing_is_left(f);

    assert_true(package_import(f, &teacher, "two", &result));
    assert_true(package_import(f, &f->system, "two", &result));
}

static bool fail_commits(void *context, enum db_point point, const char *sql, struct err *err) {
    (void)sql;
    if (point == DB_POINT_COMMIT && *(int *)context > 0) {
        (*(int *)context)--;
        return err_set(err, ERR_SYSTEM, "planned", "the disk is full");
    }
    return true;
}

static void a_failed_commit_leaves_no_problem_and_can_be_repeated(void **state) {
    struct fixture *f = *state;
    struct problem_import_result result;
    int failures = 1;
    package_write(f);
    db_set_fault(f->app->db, fail_commits, &failures);

    assert_false(package_import(f, &f->admin, "two", &result));
    db_set_fault(f->app->db, NULL, NULL);

    assert_int_equal(f->err.kind, ERR_SYSTEM);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem"), 0);
    assert_true(package_import(f, &f->admin, "two", &result));
    assert_true(result.created);
}

static bool lose_last_commit(void *context, enum db_point point, const char *sql, struct err *err) {
    bool *in_problem = context;
    if (point == DB_POINT_STEP && strstr(sql, "INSERT INTO problem (") != NULL) {
        *in_problem = true;
    }
    if (point == DB_POINT_COMMITTED && *in_problem) {
        *in_problem = false;
        return err_set(err, ERR_SYSTEM, "commit_unknown", "planned");
    }
    return true;
}

static void a_commit_whose_outcome_is_unknown_makes_one_problem(void **state) {
    struct fixture *f = *state;
    struct problem_import_result result;
    bool in_problem = false;
    package_write(f);
    db_set_fault(f->app->db, lose_last_commit, &in_problem);

    assert_true(package_import(f, &f->admin, "two", &result));
    db_set_fault(f->app->db, NULL, NULL);

    assert_true(result.created);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem"), 1);
    assert_int_equal(fixture_i64(f, "SELECT id FROM problem"), result.problem.id.value);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem_manifest"), 1);
}

int main(void) {
#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_APP(a_package_becomes_a_problem),
        WITH_APP(every_file_that_the_rows_name_is_stored),
        WITH_APP(the_stored_manifest_reads_back),
        WITH_APP(a_zip_is_read_like_a_folder),
        WITH_APP(several_problems_come_in_one_package),
        WITH_APP(the_same_package_again_makes_no_new_version),
        WITH_APP(changed_test_data_is_a_new_version_of_the_same_problem),
        WITH_APP(a_changed_statement_alone_keeps_the_version),
        WITH_APP(a_refused_package_leaves_nothing),
        WITH_APP(a_broken_yaml_is_refused_with_file_and_line),
        WITH_APP(what_is_no_zip_is_refused),
        WITH_APP(teachers_may_import_and_students_may_not),
        WITH_APP(a_failed_commit_leaves_no_problem_and_can_be_repeated),
        WITH_APP(a_commit_whose_outcome_is_unknown_makes_one_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
