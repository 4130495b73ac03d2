/* The transaction that makes a problem or gives it a new version. */
#include "account_fixture.h"

#include "app/problem_internal.h"

static struct problem_write a_write(struct fixture *f, const char *manifest) {
    return (struct problem_write){
        .actor = &f->admin,
        .row = {.code = STR("sum"),
                .titles = STR("en\tSum\n"),
                .search_text = STR("sum"),
                .manifest = digest_of(str_from(manifest)),
                .time_limit_ms = 1000,
                .memory_limit_kib = 262144,
                .output_limit_kib = 8192,
                .code_limit_kib = 128,
                .job_total_ms = 60000,
                .cases_total = 1},
        .manifest_bytes = 10,
        .arena = f->arena,
    };
}

static void the_first_write_makes_the_problem_and_the_next_a_version(void **state) {
    struct fixture *f = *state;
    struct problem_write first = a_write(f, "one");
    struct problem_write second = a_write(f, "two");

    assert_true(problem_write(f->app, &first, &f->err));
    assert_true(problem_write(f->app, &second, &f->err));

    assert_true(first.created);
    assert_false(second.created);
    assert_int_equal(first.row.id.value, second.row.id.value);
    assert_int_equal(fixture_i64(f, "SELECT MAX(version) FROM problem_manifest"), 2);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM audit_log WHERE detail = "
                                    "'sum, version 2'"),
                     1);
}

static void going_back_to_older_data_is_a_version_as_well(void **state) {
    struct fixture *f = *state;
    static const char *const manifests[] = {"one", "two", "one"};

    for (size_t i = 0; i < 3; i++) {
        struct problem_write write = a_write(f, manifests[i]);
        assert_true(problem_write(f->app, &write, &f->err));
    }

    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem_manifest"), 3);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM manifest"), 2);
}

static void thousands_of_files_are_noted(void **state) {
    struct fixture *f = *state;
    struct problem_write write = a_write(f, "one");
    struct blob_ref *blobs = arena_array(f->arena, 1234, sizeof(*blobs));
    for (int i = 0; i < 1234; i++) {
        blobs[i] = (struct blob_ref){.sha256 = {(uint8_t)i, (uint8_t)(i >> 8)}, .bytes = i};
    }
    write.blobs = blobs;
    write.blob_count = 1234;

    assert_true(problem_write(f->app, &write, &f->err));

    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM blob_file"), 1234);
    assert_int_equal(fixture_i64(f, "SELECT MAX(bytes) FROM blob_file"), 1233);
}

static void a_right_that_was_lost_meanwhile_counts_no_more(void **state) {
    struct fixture *f = *state;
    struct actor teacher = fixture_user(f, "teacher", ROLE_TEACHER);
    const bool disabled = true;
    struct user_update_request request = {.id = teacher.user, .disabled = &disabled};
    struct user_view user;
    struct problem_write write = a_write(f, "one");
    write.actor = &teacher;
    assert_true(user_update(f->app, &f->admin, &request, f->arena, &user, &f->err));

    assert_false(problem_write(f->app, &write, &f->err));

    assert_string_equal(f->err.code, "not_allowed");
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM problem"), 0);
}

int main(void) {
#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_APP(the_first_write_makes_the_problem_and_the_next_a_version),
        WITH_APP(going_back_to_older_data_is_a_version_as_well),
        WITH_APP(thousands_of_files_are_noted),
        WITH_APP(a_right_that_was_lost_meanwhile_counts_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
