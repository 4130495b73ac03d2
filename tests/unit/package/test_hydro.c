/* Hydro: statements and what stands beside them. */
#include "fixture.h"

static void hydro(struct fixture *f) {
    fixture_init(f);
    fixture_put(f, "problem.yaml", "pid: P1000\nowner: 1\ntitle: A + B\ntag: [x]\n");
    fixture_put(f, "problem_en.md",
                "Add ![](file://a.png).\n\n```input1\n1 2\n```\n\n```output1\n3\n```\n\nEnd.\n");
    fixture_put(f, "problem_zh.md", "加法\n");
    fixture_put(f, "additional_file/a.png", "picture");
    fixture_put(f, "testdata/config.yaml", "time: 500ms\nmemory: 64m\n");
    fixture_put(f, "testdata/1.in", "1 2\r\n");
    fixture_put(f, "testdata/1.out", "3\n");
    fixture_put(f, "testdata/2.in", "4 5\n");
    fixture_put(f, "testdata/2.ans", "9\n");
    fixture_put(f, "std/sum.cpp", "int main(){}\n");
}

static void a_whole_problem_is_read(void **state) {
    (void)state;
    struct fixture f;
    hydro(&f);

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_string_equal(f.report.format, "hydro");
    assert_true(str_eq_c(f.problem.code, "P1000"));
    assert_true(str_eq_c(f.problem.titles[0].text, "A + B"));
    assert_int_equal(f.problem.statement_count, 2);
    assert_int_equal(f.problem.asset_count, 1);
    assert_int_equal(f.problem.sample_count, 1);
    assert_true(str_eq_c(f.problem.samples[0].input, "1 2\n"));
    assert_true(str_eq_c(f.problem.samples[0].answer, "3\n"));
    assert_true(str_eq_c(f.problem.statements[0].text, "Add ![](a.png).\n\n\n\nEnd."));
    assert_int_equal(manifest->case_count, 2);
    assert_int_equal(manifest->cases[0].score_micro + manifest->cases[1].score_micro, 100000000);
    assert_true(str_eq_c(fixture_content(&f, &manifest->cases[0].input), "1 2\n"));
    assert_int_equal(manifest->limits.time_ms, 500);
    assert_int_equal(manifest->limits.memory_kib, 64 * KIB);
    assert_int_equal(f.problem.submission_count, 1);
    assert_true(notes_have(&f.report.dropped, "problem.yaml:2: `owner` belongs to the site"));
    fixture_done(&f);
}

static void one_file_may_hold_all_languages(void **state) {
    (void)state;
    struct fixture f;
    hydro(&f);
    fixture_remove(&f, "problem_en.md");
    fixture_remove(&f, "problem_zh.md");
    fixture_put(&f, "problem.md", "{\"en\": \"Add.\", \"zh\": \"\xe5\x8a\xa0\"}");

    fixture_must_read(&f);

    assert_int_equal(f.problem.statement_count, 2);
    assert_true(str_eq_c(f.problem.statements[0].text, "Add."));
    fixture_done(&f);
}

static void what_is_wrong_is_said_with_its_place(void **state) {
    (void)state;
    static const struct {
        const char *file, *content, *code, *message;
    } rows[] = {
        {"problem.yaml", "pid: [1]\ntitle: x\n", "bad_yaml", "problem.yaml:1: "},
        {"problem.yaml", "pid: &a x\ntitle: *a\n", "bad_yaml", "problem.yaml:1: "},
        {"problem_en.md", "\xff\xfe", "bad_package", "problem_en.md: it is not UTF-8"},
        {"testdata/config.yaml", "time: soon\n", "bad_yaml", "testdata/config.yaml:1: expected"},
        {"testdata/config.yaml", "type: objective\n", "unsupported_package",
         "testdata/config.yaml:1: objective questions"},
        {"testdata/config.yaml", "cases:\n- {input: 9.in, output: 1.out}\n", "bad_yaml",
         "testdata/config.yaml:2: there is no testdata/9.in: add it"},
        {"testdata/config.yaml", "checker_type: testlib\nchecker: c.cc\n", "bad_yaml",
         "testdata/config.yaml:2: there is no testdata/c.cc: add it"},
        {"testdata/config.yaml", "time: 1s\ntime: 2s\n", "bad_yaml", "testdata/config.yaml:2: "},
        {"testdata/3.in", "lonely\n", "bad_package", "its expected answer is missing"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        hydro(&f);
        fixture_put(&f, rows[i].file, rows[i].content);
        fixture_must_refuse(&f, rows[i].code, rows[i].message);
        fixture_done(&f);
    }
}

static void each_part_may_be_missing_or_empty(void **state) {
    (void)state;
    static const struct {
        const char *file;
        bool reads_without, reads_empty;
    } rows[] = {
        {"problem.yaml", false, true},        {"problem_en.md", true, true},
        {"testdata/config.yaml", true, true}, {"testdata/1.in", true, true},
        {"testdata/1.out", false, true},      {"additional_file/a.png", true, true},
        {"std/sum.cpp", true, true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        hydro(&f);
        fixture_put(&f, rows[i].file, "");
        assert_int_equal(fixture_read(&f), rows[i].reads_empty);
        fixture_remove(&f, rows[i].file);
        assert_int_equal(fixture_read(&f), rows[i].reads_without);
        assert_true(rows[i].reads_without || f.err.text[0] != '\0');
        fixture_done(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_problem_is_read),
        cmocka_unit_test(one_file_may_hold_all_languages),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
        cmocka_unit_test(each_part_may_be_missing_or_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
