/* Views as JSON: each held against its schema, and what is null when. */
#include "api_contract.h"
#include "ask.h"
#include "server/view_json.h"

static struct text_by_language titles[] = {
    {STR("zh"), STR("\xe5\x92\x8c")}, {STR("en"), STR("Sum")}, {STR("de"), STR("Summe")}};
static struct buf out;
static struct reply reply;

static struct jw *begin(void) {
    static struct jw json;
    buf_init(&out, 4 * MIB);
    jw_init(&json, &out);
    return &json;
}

static void finish(struct jw *json, const char *file, const char *schema) {
    struct err err = {0};
    assert_true(jw_finish(json, "the view", &err));
    reply.body = buf_str(&out);
    if (!jr_parse(reply.body, &reply.json, &err)) {
        fail_msg("%s", err.text);
    }
    api_check_schema(file, schema, reply.json);
}

static int tear_down(void **state) {
    (void)state;
    jr_free(reply.json);
    reply.json = NULL;
    buf_done(&out);
    return 0;
}

static struct submission_view a_submission(void) {
    return (struct submission_view){.id = {7},
                                    .problem = {3},
                                    .problem_code = STR("sum"),
                                    .problem_titles = titles,
                                    .problem_title_count = 3,
                                    .user = {2},
                                    .username = STR("ann"),
                                    .language = STR("cpp"),
                                    .state = SUBMISSION_PENDING,
                                    .reason = {.code = "queued", .text = STR("place 1")},
                                    .cases_total = 2,
                                    .case_index = -1,
                                    .generation = 1,
                                    .created_ms = INT64_C(1796032991042),
                                    .trace_id = STR("trace_7_0a0b0c0d")};
}

static void a_title_follows_the_language_then_english_then_the_first(void **state) {
    (void)state;
    assert_true(str_eq_c(view_title(titles, 3, "zh"), "\xe5\x92\x8c"));
    assert_true(str_eq_c(view_title(titles, 3, "en"), "Sum"));
    assert_true(str_eq_c(view_title(titles, 3, "fr"), "Sum"));
    assert_true(str_eq_c(view_title(titles, 1, "en"), "\xe5\x92\x8c"));
    assert_int_equal(view_title(titles, 0, "en").len, 0);
}

static void a_waiting_submission_has_its_reason_and_no_numbers(void **state) {
    (void)state;
    struct submission_view view = a_submission();
    struct jw *json = begin();

    view_submission(json, &view, "en");

    finish(json, "submissions.yaml", "Submission");
    assert_true(reply_is(&reply, "state", "PENDING"));
    assert_true(reply_is(&reply, "reason.code", "queued"));
    assert_true(reply_is_null(&reply, "reason.place"));
    assert_true(reply_is_null(&reply, "verdict"));
    assert_true(reply_is_null(&reply, "verdictShort"));
    assert_true(reply_is_null(&reply, "cpuMs"));
    assert_true(reply_is_null(&reply, "memoryKb"));
    assert_true(reply_is_null(&reply, "caseIndex"));
    assert_true(reply_is_null(&reply, "compile"));
    assert_true(reply_is_null(&reply, "message"));
    assert_true(reply_is_null(&reply, "judgedAt"));
    assert_null(reply_at(&reply, "source")); /* not for this viewer */
    assert_true(reply_is(&reply, "problemTitle", "Sum"));
    assert_true(reply_is(&reply, "createdAt", "2026-11-30T10:03:11.042Z"));
}

static void the_running_case_counts_from_one(void **state) {
    (void)state;
    struct submission_view view = a_submission();
    view.state = SUBMISSION_JUDGING;
    view.case_index = 0;
    struct jw *json = begin();

    view_submission_state(json, &view);

    finish(json, "submissions.yaml", "StateEvent");
    assert_int_equal(reply_i64(&reply, "caseIndex"), 1);
    assert_true(reply_is_null(&reply, "reason")); /* it does not wait any more */
}

static void a_known_place_is_shown(void **state) {
    (void)state;
    struct submission_view view = a_submission();
    view.reason.place = 4;
    struct jw *json = begin();

    view_submission_state(json, &view);

    finish(json, "submissions.yaml", "StateEvent");
    assert_int_equal(reply_i64(&reply, "reason.place"), 4);
}

static void a_judged_submission_shows_score_and_cases(void **state) {
    (void)state;
    struct case_result cases[] = {
        {.index = 0, .name = STR("sample/1"), .sample = true, .verdict = VERDICT_ACCEPTED},
        {.index = 1,
         .name = STR("secret/1"),
         .verdict = VERDICT_WRONG_ANSWER,
         .cpu_ms = 7,
         .wall_ms = 9,
         .memory_kib = 512,
         .message = STR("expected \"1\", got \"2\"")}};
    struct submission_view view = a_submission();
    view.state = SUBMISSION_DONE;
    view.verdict = VERDICT_PARTIAL;
    view.score_micro = INT64_C(33333334);
    view.cases_passed = 1;
    view.cpu_ms = 7;
    view.memory_kib = 512;
    view.judged_ms = view.created_ms + 1000;
    view.source = STR("int main(){}");
    view.judgement = (struct judgement){.verdict = VERDICT_PARTIAL,
                                        .compile = {.ran = true, .ok = true, .log = STR("fine")},
                                        .cases = cases,
                                        .case_count = 2};
    struct jw *json = begin();

    view_submission(json, &view, "zh");

    finish(json, "submissions.yaml", "Submission");
    assert_true(reply_is(&reply, "verdict", "PARTIAL"));
    assert_true(reply_is(&reply, "verdictShort", "PC"));
    assert_non_null(memmem(reply.body.ptr, reply.body.len, "\"score\":33.333334,", 18)); /* exact */
    assert_int_equal(reply_i64(&reply, "cpuMs"), 7);
    assert_int_equal(reply_i64(&reply, "cases.1.index"), 2);
    assert_true(reply_is_null(&reply, "cases.0.message"));
    assert_true(reply_is(&reply, "compile.log", "fine"));
    assert_true(reply_is(&reply, "source", "int main(){}"));
    assert_true(reply_is(&reply, "problemTitle", "\xe5\x92\x8c"));
}

static void what_never_ran_has_no_time(void **state) {
    (void)state;
    static const enum verdict verdicts[] = {VERDICT_COMPILE_ERROR, VERDICT_SYSTEM_ERROR};
    for (size_t i = 0; i < 2; i++) {
        struct submission_view view = a_submission();
        view.state = SUBMISSION_DONE;
        view.verdict = verdicts[i];
        view.judged_ms = view.created_ms;
        struct jw *json = begin();

        view_submission_summary(json, &view, "en");

        finish(json, "submissions.yaml", "SubmissionSummary");
        assert_true(reply_is_null(&reply, "cpuMs"));
        assert_true(reply_is_null(&reply, "memoryKb"));
        (void)tear_down(NULL);
    }
}

static void every_state_and_verdict_has_a_documented_name(void **state) {
    (void)state;
    for (int verdict = VERDICT_NONE + 1; verdict < VERDICT_COUNT; verdict++) {
        struct submission_view view = a_submission();
        view.state = verdict <= 3 ? (enum submission_state)verdict : SUBMISSION_DONE;
        view.verdict = (enum verdict)verdict;
        view.case_index = 1;
        struct jw *json = begin();

        view_submission_summary(json, &view, "en");

        finish(json, "submissions.yaml", "SubmissionSummary");
        assert_int_equal(reply_is_null(&reply, "verdict"), view.state != SUBMISSION_DONE);
        (void)tear_down(NULL);
    }
}

static void only_signing_in_shows_the_token(void **state) {
    (void)state;
    struct session_view session = {
        .user = {.id = {2}, .username = STR("ann"), .display_name = STR("Ann"), .role = ROLE_ADMIN},
        .access_token = "a.b.c",
        .expires_ms = INT64_C(1796032991042)};
    struct jw *json = begin();

    view_session(json, &session, true);

    finish(json, "session.yaml", "Session");
    assert_true(reply_is(&reply, "accessToken", "a.b.c"));
    (void)tear_down(NULL);
    json = begin();
    view_session(json, &session, false);
    finish(json, "session.yaml", "Session");
    assert_null(reply_at(&reply, "accessToken"));
}

static void a_problem_shows_statements_as_text_or_as_address(void **state) {
    (void)state;
    struct problem_statement statements[] = {
        {.language = STR("en"), .format = STR("markdown"), .text = STR("# Sum")},
        {.language = STR("zh"), .format = STR("pdf"), .file = STR("problem.zh.pdf")}};
    struct problem_sample samples[] = {{STR("1"), STR("1 2\n"), STR("3\n")}};
    struct problem_view problem = {.summary = {.id = {3},
                                               .code = STR("sum"),
                                               .titles = titles,
                                               .title_count = 3,
                                               .time_limit_ms = 1000,
                                               .memory_limit_kib = 262144},
                                   .output_limit_kib = 8192,
                                   .code_limit_kib = 128,
                                   .cases_total = 2,
                                   .statements = statements,
                                   .statement_count = 2,
                                   .samples = samples,
                                   .sample_count = 1,
                                   .languages = STR("c cpp"),
                                   .created_ms = INT64_C(1796032991042)};
    memset(problem.manifest_id, 'a', 64);
    struct jw *json = begin();

    view_problem(json, &problem, "en");

    finish(json, "problems.yaml", "ProblemDetail");
    assert_true(reply_is_null(&reply, "statements.0.url"));
    assert_true(reply_is(&reply, "statements.0.text", "# Sum"));
    assert_true(reply_is_null(&reply, "statements.1.text"));
    assert_true(reply_is(&reply, "statements.1.url", "/api/v1/problems/3/files/problem.zh.pdf"));
    assert_int_equal(jr_count(reply_at(&reply, "languages")), 2);
    assert_true(reply_is(&reply, "titles.de", "Summe"));
}

static void a_file_of_any_name_has_an_address_that_finds_it(void **state) {
    (void)state;
    struct problem_statement statement = {
        .language = STR("en"), .format = STR("pdf"), .file = STR("a b?#%\xe5\x92\x8c.pdf")};
    struct problem_view problem = {.summary = {.id = {3},
                                               .code = STR("sum"),
                                               .titles = titles,
                                               .title_count = 3,
                                               .time_limit_ms = 1000,
                                               .memory_limit_kib = 262144},
                                   .output_limit_kib = 8192,
                                   .code_limit_kib = 128,
                                   .cases_total = 2,
                                   .statements = &statement,
                                   .statement_count = 1,
                                   .created_ms = INT64_C(1796032991042)};
    memset(problem.manifest_id, 'a', 64);
    struct jw *json = begin();

    view_problem(json, &problem, "en");

    finish(json, "problems.yaml", "ProblemDetail");
    assert_true(reply_is(&reply, "statements.0.url",
                         "/api/v1/problems/3/files/a%20b%3F%23%25%E5%92%8C.pdf"));
}

static void a_node_that_never_came_has_no_times(void **state) {
    (void)state;
    struct node_view node = {.id = {4},
                             .name = STR("n1"),
                             .pool = STR("cpp"),
                             .runtime_spec = STR("default"),
                             .slots = 2,
                             .config = NODE_PENDING,
                             .observed = NODE_NEVER_SEEN,
                             .revision = 1};
    struct jw *json = begin();

    view_judger(json, &node);

    finish(json, "admin.yaml", "Judger");
    assert_true(reply_is_null(&reply, "lastHeartbeatAt"));
    assert_true(reply_is_null(&reply, "version"));
    assert_true(reply_is_null(&reply, "message"));
    assert_int_equal(jr_count(reply_at(&reply, "languages")), 0);
}

static void an_import_tells_what_it_read_and_what_it_guessed(void **state) {
    (void)state;
    struct package_note read = {.file = STR("problem.yaml")};
    struct package_note guessed = {.text = STR("time limit 2 s"), .file = STR(""), .line = 0};
    struct package_note warning = {.text = STR("odd"), .file = STR("problem.yaml"), .line = 3};
    struct problem_import_result result = {
        .problem = {.id = {3}, .code = STR("sum"), .titles = titles, .title_count = 3},
        .created = true,
        .report = {.format = "legacy",
                   .read = {.items = &read, .count = 1},
                   .guessed = {.items = &guessed, .count = 1},
                   .warnings = {.items = &warning, .count = 1}}};
    struct jw *json = begin();

    const struct problem_import_list list = {.items = &result, .count = 1, .imported = 1};
    view_import(json, &list, "en");

    finish(json, "admin.yaml", "ImportResult");
    assert_true(reply_bool(&reply, "created"));
    assert_true(reply_is_null(&reply, "report.guessed.0.file"));
    assert_true(reply_is_null(&reply, "report.guessed.0.line"));
    assert_int_equal(reply_i64(&reply, "report.warnings.0.line"), 3);
    assert_int_equal(reply_i64(&reply, "items.0.problem.id"), 3);
    assert_true(reply_is_null(&reply, "items.0.error"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, NULL, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_title_follows_the_language_then_english_then_the_first),
        TEST(a_waiting_submission_has_its_reason_and_no_numbers),
        TEST(the_running_case_counts_from_one),
        TEST(a_known_place_is_shown),
        TEST(a_judged_submission_shows_score_and_cases),
        TEST(what_never_ran_has_no_time),
        TEST(every_state_and_verdict_has_a_documented_name),
        TEST(only_signing_in_shows_the_token),
        TEST(a_problem_shows_statements_as_text_or_as_address),
        TEST(a_file_of_any_name_has_an_address_that_finds_it),
        TEST(a_node_that_never_came_has_no_times),
        TEST(an_import_tells_what_it_read_and_what_it_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
