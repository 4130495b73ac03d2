/* What reading gave, as JSON. */
#include "package/outcome.h"

#include "fixture.h"

static void a_problem_and_its_report_are_told(void **state) {
    (void)state;
    struct fixture f;
    own_buf text;
    struct jw json;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "problem.yaml", "name: Sum\nlimits: {time_limit: 1}\nuuid: x\n");
    fixture_must_read(&f);
    buf_init(&text, MIB);
    jw_init(&json, &text);

    package_outcome_json(&json, &(struct package_outcome){
                                    .name = STR("n"), .problem = &f.problem, .report = &f.report});
    assert_true(jw_finish(&json, "it", &f.err));

    const char *got = buf_c(&text);
    assert_non_null(strstr(got, "\"code\":\"sum\",\"title\":\"Sum\",\"manifestId\":\""));
    assert_non_null(strstr(got, "\"kinds\":[\"pass-fail\"],\"timeLimitMs\":1000"));
    assert_non_null(strstr(got, "\"error\":null"));
    assert_non_null(strstr(got, "{\"text\":\"`uuid` is not kept\",\"file\":\"problem.yaml\","
                                "\"line\":3}"));
    assert_non_null(strstr(got, "\"refused\":[]"));
    fixture_done(&f);
}

static void a_refusal_is_told_with_what_was_seen(void **state) {
    (void)state;
    struct fixture f;
    own_buf text;
    struct jw json;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_remove(&f, "data/secret/1.ans");
    assert_false(fixture_read(&f));
    buf_init(&text, MIB);
    jw_init(&json, &text);

    package_outcome_json(&json, &(struct package_outcome){.name = STR(""),
                                                          .report = &f.report,
                                                          .error = str_from(f.err.text)});
    assert_true(jw_finish(&json, "it", &f.err));

    assert_non_null(strstr(buf_c(&text), "\"refused\":[{\"text\":\"its answer 1.ans is missing\","
                                         "\"file\":\"data/secret/1.in\",\"line\":null}]"));
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_and_its_report_are_told),
        cmocka_unit_test(a_refusal_is_told_with_what_was_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
