/* Whole packages: what comes out of a good one, what a bad one is told. */
#include "fixture.h"

static void a_minimal_package_gives_a_problem(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_true(str_eq_c(f.problem.code, "sum"));
    assert_int_equal(f.problem.title_count, 1);
    assert_true(str_eq_c(f.problem.titles[0].text, "Sum"));
    assert_true(str_eq_c(f.problem.titles[0].language, "en"));
    assert_int_equal(manifest->kinds, PROBLEM_PASS_FAIL);
    assert_int_equal(manifest->limits.time_ms, 1000);
    assert_int_equal(manifest->case_count, 2);
    assert_true(str_eq_c(manifest->cases[0].name, "sample/1"));
    assert_true(manifest->cases[0].sample);
    assert_true(str_eq_c(manifest->cases[1].name, "secret/1"));
    assert_true(str_eq_c(fixture_content(&f, &manifest->cases[1].input), "5 6\n"));
    assert_true(str_eq_c(fixture_content(&f, &manifest->cases[1].answer), "11\n"));
    assert_int_equal(manifest->checker.kind, CHECKER_TOKENS);
    assert_string_equal(f.report.format, "icpc-legacy");
    assert_int_equal(f.report.warnings.count, 0);
    assert_int_equal(f.report.dropped.count, 0);
    fixture_done(&f);
}

/* The manifest of the same package has the same digest, today and in a year. */
static void a_package_has_one_manifest(void **state) {
    (void)state;
    struct fixture f;
    char hex[DIGEST_HEX_BYTES];
    own_buf text;
    buf_init(&text, MANIFEST_BYTES_MAX);
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_must_read(&f);

    assert_true(manifest_write(&f.problem.manifest, &text, &f.err));

    struct digest digest = digest_of(buf_str(&text));
    digest_hex(&digest, hex);
    assert_string_equal(hex, "ba7e4c2d5bbbf16464280de8bc4d37ffadfdc0adb09e7051673c24f74c90916d");
    fixture_done(&f);
}

static void a_zip_reads_as_its_folder(void **state) {
    (void)state;
    struct fixture f;
    own_buf from_folder;
    own_buf from_zip;
    buf_init(&from_folder, MANIFEST_BYTES_MAX);
    buf_init(&from_zip, MANIFEST_BYTES_MAX);
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_must_read(&f);
    assert_true(manifest_write(&f.problem.manifest, &from_folder, &f.err));
    own_fd fd = memfd_create("zip", MFD_CLOEXEC);
    assert_true(package_zip_folder(f.folder, fd, &f.err));
    package_tree_close(f.tree);
    f.tree = NULL;
    f.kept_count = 0;

    assert_true(package_tree_open_zip(fd, &f.tree, &f.err));
    assert_true(package_read(f.tree, &f.options, f.arena, &f.problem, &f.report, &f.err));

    assert_true(manifest_write(&f.problem.manifest, &from_zip, &f.err));
    assert_true(str_eq(buf_str(&from_folder), buf_str(&from_zip)));
    fixture_done(&f);
}

static void the_code_comes_from_the_best_source(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);

    f.options.file_name = STR("upload/my problem.kpp");
    fixture_must_read(&f);
    assert_true(str_eq_c(f.problem.code, "my-problem"));

    f.options.file_name = STR("\xe9\xa2\x98\xe7\x9b\xae.zip"); /* no letter of it fits */
    fixture_must_read(&f);
    assert_true(str_eq_c(f.problem.code, "Sum"));
    assert_true(notes_have(&f.report.guessed,
                           "the problem's code, from its title or the package's name: Sum"));

    fixture_put(&f, "domjudge-problem.ini", "short-name = adding\n");
    fixture_must_read(&f);
    assert_true(str_eq_c(f.problem.code, "adding"));

    f.options.code = STR("given");
    fixture_must_read(&f);
    assert_true(str_eq_c(f.problem.code, "given"));

    f.options.code = STR("not/good");
    fixture_must_refuse(&f, "bad_package", "a problem's code has letters");
    fixture_done(&f);
}

static void a_title_is_found_or_guessed(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "problem.yaml", "limits:\n  time_limit: 1\n");

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.titles[0].text, "sum"));
    assert_true(notes_have(&f.report.guessed, "no title is given"));
    fixture_done(&f);
}

static void what_is_missing_is_named(void **state) {
    (void)state;
    const struct {
        const char *remove;
        const char *message;
    } rows[] = {
        {"problem.yaml", "problem.yaml is missing: this is no ICPC package"},
        {"data/secret/1.ans", "data/secret/1.in: its answer 1.ans is missing"},
        {"data/sample/1.ans", "data/sample/1.in: its answer 1.ans is missing"},
        {"data", "data/secret: there is no test data"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        fixture_init(&f);
        fixture_minimal(&f);
        fixture_remove(&f, rows[i].remove);
        fixture_must_refuse(&f, "bad_package", rows[i].message);
        fixture_done(&f);
    }
}

static void samples_alone_are_enough_with_a_warning(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_remove(&f, "data/secret");

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.case_count, 1);
    assert_true(notes_have(&f.report.warnings, "there is no secret data"));
    fixture_done(&f);
}

static void a_missing_statement_is_only_a_warning(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_remove(&f, "problem_statement");

    fixture_must_read(&f);

    assert_true(notes_have(&f.report.warnings, "there is no statement"));
    fixture_done(&f);
}

static void what_is_not_used_is_said(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "attachments/a.txt", "x");
    fixture_put(&f, "input_validators/v.py", "x");
    fixture_put(&f, "input_validators/v.ctd", "x");
    fixture_put(&f, "notes.txt", "x");
    fixture_put(&f, "data/invalid_input/1.in", "x");
    fixture_put(&f, ".DS_Store", "x");

    fixture_must_read(&f);

    assert_true(notes_have(&f.report.dropped, "attachments:0: attachments are not kept yet"));
    assert_true(notes_have(&f.report.dropped, "input_validators/v.ctd:0: no language"));
    assert_int_equal(f.problem.validator_count, 1);
    assert_true(notes_have(&f.report.dropped, "notes.txt:0: it is no part of the package format"));
    assert_true(notes_have(&f.report.dropped, "data/invalid_input is not used"));
    assert_true(notes_have(&f.report.dropped, "1 entries of the operating system"));
    fixture_done(&f);
}

static bool refuse_to_keep(void *context, int fd, struct blob_ref *ret_blob, struct err *err) {
    (void)context;
    (void)fd;
    (void)ret_blob;
    return err_set(err, ERR_SYSTEM, "disk_full", "the disk is full");
}

static void a_full_disk_is_not_the_packages_fault(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    f.options.put = refuse_to_keep;

    assert_false(fixture_read(&f));

    assert_int_equal(f.err.kind, ERR_SYSTEM);
    assert_string_equal(f.err.code, "disk_full");
    assert_non_null(strstr(f.err.text, "data/sample/1.in"));
    fixture_done(&f);
}

static void a_job_has_time_for_all_cases(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "problem.yaml", "name: Sum\nlimits: {time_limit: 600}\n");

    fixture_must_read(&f);

    assert_true(f.problem.manifest.limits.job_total_ms >= 2 * 2 * 600000);
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minimal_package_gives_a_problem),
        cmocka_unit_test(a_package_has_one_manifest),
        cmocka_unit_test(a_zip_reads_as_its_folder),
        cmocka_unit_test(the_code_comes_from_the_best_source),
        cmocka_unit_test(a_title_is_found_or_guessed),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(samples_alone_are_enough_with_a_warning),
        cmocka_unit_test(a_missing_statement_is_only_a_warning),
        cmocka_unit_test(what_is_not_used_is_said),
        cmocka_unit_test(a_full_disk_is_not_the_packages_fault),
        cmocka_unit_test(a_job_has_time_for_all_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
