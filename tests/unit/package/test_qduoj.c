/* QDUOJ packages. */
#include "fixture.h"

#define HEAD                                                                                       \
    "{\"display_id\":\"A1\",\"title\":\"Sum\",\"description\":{\"format\":\"html\",\"value\":"     \
    "\"<p>Add</"                                                                                   \
    "p>\"},\"input_description\":{\"format\":\"html\",\"value\":\"two\"},\"time_limit\":"          \
    "1000,\"memory_limit\":128,\"samples\":[{\"input\":\"1 2\",\"output\":\"3\"}],"
#define SCORES                                                                                     \
    "\"test_case_score\":[{\"score\":40,\"input_name\":\"1.in\",\"output_name\":\"1.out\"},"       \
    "{\"score\":60,\"input_name\":\"2.in\",\"output_name\":\"2.out\"}]"
#define PLAIN HEAD SCORES "}"

static void qduoj(struct fixture *f, const char *json) {
    fixture_init(f);
    fixture_put(f, "1/problem.json", json);
    for (int i = 1; i <= 2; i++) {
        fixture_put(f, arena_printf(f->arena, "1/testcase/%d.in", i), "1\r\n");
        fixture_put(f, arena_printf(f->arena, "1/testcase/%d.out", i), "2\n");
    }
}

static void a_whole_problem_is_read(void **state) {
    (void)state;
    struct fixture f;
    qduoj(&f, HEAD "\"rule_type\":\"OI\",\"answers\":[{\"language\":\"C++\",\"code\":\"int "
                   "main(){}\"}]," SCORES "}");

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_string_equal(f.report.format, "qduoj");
    assert_true(str_eq_c(f.problem.code, "A1"));
    assert_int_equal(manifest->score_micro, 100000000);
    assert_int_equal(manifest->cases[1].score_micro, 60000000);
    assert_int_equal(manifest->limits.memory_kib, 128 * KIB);
    assert_int_equal(f.problem.sample_count, 1);
    assert_string_equal(f.problem.statements[0].format, "html");
    assert_true(str_eq_c(f.problem.statements[0].text, "<p>Add</p>\n\n<h2>Input</h2>\ntwo"));
    assert_int_equal(f.problem.submission_count, 1);
    assert_true(str_eq_c(f.problem.submissions[0].names[0], "answer1.cpp"));
    assert_true(str_eq_c(f.problem.submissions[0].texts[0], "int main(){}"));
    fixture_done(&f);
}

static void acm_problems_pass_or_fail(void **state) {
    (void)state;
    struct fixture f;
    qduoj(&f, PLAIN);

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.kinds, PROBLEM_PASS_FAIL);
    assert_int_equal(f.problem.manifest.cases[0].score_micro, 0);
    fixture_done(&f);
}

/* hydro-dev/Hydro had it as an answer called "-". */
static void a_special_judge_needs_no_answers(void **state) {
    (void)state;
    struct fixture f;
    qduoj(&f, HEAD "\"spj\":{\"language\":\"C++\",\"code\":\"int main(){}\"},"
                   "\"test_case_score\":[{\"score\":100,\"input_name\":\"1.in\",\"output_name\":"
                   "\"-\"}]}");

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_int_equal(manifest->checker.program.adapter, ADAPTER_QDUOJ);
    assert_int_equal(manifest->cases[0].answer.bytes, -1);
    fixture_done(&f);
}

static void what_is_wrong_is_said_with_its_file(void **state) {
    (void)state;
    static const struct {
        const char *json, *message;
    } rows[] = {
        {"", "problem.json: "},
        {"[]", "problem.json:1: expected an object"},
        {"{\"title\":", "problem.json: "},
        {"{\"title\":\"x\",\"title\":\"y\"}", "problem.json: "},
        {"{}", "problem.json: field `title`"},
        {HEAD "\"x\":1}", "problem.json: field `test_case_score`"},
        {HEAD "\"test_case_score\":[{\"input_name\":\"9.in\",\"output_name\":\"9.out\"}]}",
         "problem.json: it names testcase/9.in, which is missing: add it"},
        {HEAD "\"test_case_score\":[{\"input_name\":\"../../x\",\"output_name\":\"9.out\"}]}",
         "is no name for a case"},
        {HEAD "\"test_case_score\":[{\"input_name\":\"1.in\",\"output_name\":\"-\"}]}",
         "its expected answer is missing"},
        {HEAD "\"test_case_score\":[]}", "there is no test data"},
        {HEAD "\"spj\":{\"language\":\"Logo\",\"code\":\"x\"}," SCORES "}", "`spj` is not known"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        qduoj(&f, rows[i].json);
        fixture_must_say(&f, rows[i].message);
        fixture_done(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_problem_is_read),
        cmocka_unit_test(acm_problems_pass_or_fail),
        cmocka_unit_test(a_special_judge_needs_no_answers),
        cmocka_unit_test(what_is_wrong_is_said_with_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
