/* A judging from sources to verdict, on a box that runs nothing. */
#include "fake_problem.h"

struct calls {
    int count;
    int stop_at; /* the call that answers "stop"; 0: none */
    int finished;
    enum judge_stage first_stage;
};

static struct calls calls;

static bool on_progress(void *context, const struct judge_progress *progress) {
    (void)context;
    calls.count++;
    calls.first_stage = calls.count == 1 ? progress->stage : calls.first_stage;
    calls.finished += progress->finished != NULL ? 1 : 0;
    return calls.count != calls.stop_at;
}

static bool judge_text(struct fake_world *world, const char *language, const char *text,
                       struct judgement *ret_judgement, struct err *err) {
    struct judge_source source = {.name = STR("any name.txt"), .text = str_from(text)};
    struct judge_request request = {.manifest = &world->manifest,
                                    .language = fake_language(world, language),
                                    .sources = &source,
                                    .source_count = 1,
                                    .open_blob = fake_open_blob,
                                    .progress = on_progress,
                                    .context = world};
    memset(&calls, 0, sizeof calls);
    return judge_submission(world->judge, &request, world->arena, ret_judgement, err);
}

static struct judgement judge_well(struct fake_world *world, const char *text) {
    struct judgement judgement = {.verdict = VERDICT_NONE};
    struct err err = {0};
    if (!judge_text(world, "cpp", text, &judgement, &err)) {
        fail_msg("%s: %s", text, err.text);
    }
    assert_int_equal(fake.open_slots, 0);
    return judgement;
}

static void an_accepted_submission_passes_every_case(void **state) {
    struct fake_world *world = *state;

    struct judgement judgement = judge_well(world, "cat");

    assert_int_equal(judgement.verdict, VERDICT_ACCEPTED);
    assert_int_equal(judgement.score_micro, SCORE_FULL_MICRO);
    assert_int_equal(judgement.case_count, 3);
    assert_int_equal(judgement.cases_passed, 3);
    assert_true(judgement.compile.ran && judgement.compile.ok);
    assert_true(str_eq_c(judgement.language, "cpp"));
    assert_true(str_eq_c(judgement.language_version, "Toy 1.2.3"));
    assert_true(str_eq_c(judgement.cases[1].name, "secret/1"));
    assert_true(judgement.cases[0].sample);
    assert_int_equal(judgement.cases[2].cpu_ms, 3);
    assert_int_equal(judgement.cases[2].wall_ms, 7);
    assert_int_equal(judgement.cases[2].memory_kib, 2048);
    assert_int_equal(calls.first_stage, JUDGE_STAGE_COMPILING);
    assert_int_equal(calls.finished, 3); /* each case is told once */
}

static void each_end_of_the_program_is_the_cases_verdict(void **state) {
    struct fake_world *world = *state;
    static const struct {
        const char *source;
        enum verdict verdict;
        const char *says;
    } rows[] = {
        {"say 7", VERDICT_WRONG_ANSWER, "expected \"1\", got \"7\""},
        {"exit 0", VERDICT_WRONG_ANSWER, "no output"},
        {"exit 3", VERDICT_RUNTIME_ERROR, "exit status 3\nwords on stderr"},
        {"signal 11", VERDICT_RUNTIME_ERROR, "signal 11 (segmentation fault)"},
        {"cpu", VERDICT_TIME_LIMIT_EXCEEDED, "CPU time"},
        {"wall", VERDICT_TIME_LIMIT_EXCEEDED, "wall time"},
        {"memory", VERDICT_MEMORY_LIMIT_EXCEEDED, "memory"},
        {"output", VERDICT_OUTPUT_LIMIT_EXCEEDED, "wrote more"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct judgement judgement = judge_well(world, rows[i].source);

        assert_int_equal(judgement.verdict, rows[i].verdict);
        assert_int_equal(judgement.case_count, 1); /* the rest cannot change it */
        assert_int_equal(judgement.cases_total, 3);
        if (strstr(judgement.cases[0].message.ptr, rows[i].says) == NULL) {
            fail_msg("%s: \"" STR_FMT "\"", rows[i].source, STR_ARG(judgement.cases[0].message));
        }
    }
}

static void a_secret_case_says_no_more_than_where(void **state) {
    struct fake_world *world = *state;

    struct judgement wrong = judge_well(world, "say 1"); /* right for the sample only */
    assert_int_equal(wrong.verdict, VERDICT_WRONG_ANSWER);
    assert_int_equal(wrong.case_count, 2);
    assert_true(str_eq_c(wrong.cases[1].message, "line 1, token 1 is wrong"));

    world->cases[0].sample = false;
    struct judgement crashed = judge_well(world, "exit 3");
    assert_true(str_eq_c(crashed.cases[0].message, "exit status 3"));
}

static void all_cases_run_when_asked(void **state) {
    struct fake_world *world = *state;
    world->manifest.run_all_cases = true;

    struct judgement judgement = judge_well(world, "say 2");

    assert_int_equal(judgement.case_count, 3);
    assert_int_equal(judgement.cases_passed, 1);
    assert_int_equal(judgement.verdict, VERDICT_WRONG_ANSWER);
}

static void a_compile_error_runs_no_case(void **state) {
    struct fake_world *world = *state;

    struct judgement judgement = judge_well(world, "error");

    assert_int_equal(judgement.verdict, VERDICT_COMPILE_ERROR);
    assert_false(judgement.compile.ok);
    assert_true(str_eq_c(judgement.compile.log, "main.cpp:1:1: error: no such word"));
    assert_int_equal(judgement.case_count, 0);
}

static void a_checker_decides_and_speaks_to_the_student(void **state) {
    struct fake_world *world = *state;

    fake_checker(world, 3);
    struct judgement accepted = judge_well(world, "say anything");
    assert_int_equal(accepted.verdict, VERDICT_ACCEPTED);
    assert_true(str_eq_c(accepted.cases[0].message, "well done"));

    fake_checker(world, 4);
    struct judgement rejected = judge_well(world, "cat");
    assert_int_equal(rejected.verdict, VERDICT_WRONG_ANSWER);
    assert_true(str_eq_c(rejected.cases[0].message, "not like this"));
}

static void the_checker_is_not_asked_about_a_crash(void **state) {
    struct fake_world *world = *state;
    fake_checker(world, 3);

    struct judgement judgement = judge_well(world, "exit 1");

    assert_int_equal(judgement.verdict, VERDICT_RUNTIME_ERROR);
}

static void a_broken_checker_is_the_problems_fault(void **state) {
    struct fake_world *world = *state;
    static const struct {
        int blob;
        const char *says;
    } rows[] = {{5, "exit status 1, which is neither"},
                {6, "exit status 0, which is neither"},
                {7, "does not compile"},
                {10, "CPU time"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct judgement judgement = {.verdict = VERDICT_NONE};
        struct err err = {0};
        fake_checker(world, rows[i].blob);

        assert_false(judge_text(world, "cpp", "cat", &judgement, &err));

        assert_int_equal(err.kind, ERR_SYSTEM);
        assert_int_equal(err.fault, FAULT_PROBLEM);
        if (strstr(err.text, rows[i].says) == NULL) {
            fail_msg("%s", err.text);
        }
        assert_int_equal(fake.open_slots, 0);
    }
}

static void a_missing_file_is_the_problems_fault(void **state) {
    struct fake_world *world = *state;
    struct judgement judgement = {.verdict = VERDICT_NONE};
    struct err err = {0};
    world->cases[1].input.sha256[0] = 200;

    assert_false(judge_text(world, "cpp", "cat", &judgement, &err));

    assert_int_equal(err.fault, FAULT_PROBLEM);
    assert_int_equal(fake.open_slots, 0);
}

static void a_broken_box_is_the_nodes_fault(void **state) {
    struct fake_world *world = *state;
    bool *const faults[] = {&fake.fail_open, &fake.fail_start, &fake.fail_wait};
    for (size_t i = 0; i < 3; i++) {
        struct judgement judgement = {.verdict = VERDICT_NONE};
        struct err err = {0};
        *faults[i] = true;

        assert_false(judge_text(world, "cpp", "cat", &judgement, &err));

        assert_int_equal(err.kind, ERR_SYSTEM);
        assert_int_equal(err.fault, FAULT_NODE);
        assert_int_equal(fake.open_slots, 0);
        *faults[i] = false;
    }
}

static void stopping_works_between_cases_and_during_a_run(void **state) {
    struct fake_world *world = *state;
    struct judge_source source = {.name = STR("a.cpp"), .text = STR("cat")};
    struct judge_request request = {.manifest = &world->manifest,
                                    .language = fake_language(world, "cpp"),
                                    .sources = &source,
                                    .source_count = 1,
                                    .open_blob = fake_open_blob,
                                    .progress = on_progress};
    for (int stop_at = 1; stop_at <= 5; stop_at++) {
        struct judgement judgement = {.verdict = VERDICT_NONE};
        struct err err = {0};
        calls = (struct calls){.stop_at = stop_at};

        assert_false(judge_submission(world->judge, &request, world->arena, &judgement, &err));

        assert_int_equal(err.kind, ERR_CANCELLED);
        assert_int_equal(err.fault, FAULT_NONE);
        assert_int_equal(fake.open_slots, 0);
    }
    assert_int_equal(fake.kills, 0);
    struct judgement judgement = {.verdict = VERDICT_NONE};
    struct err err = {0};
    calls = (struct calls){.stop_at = 2};
    fake.deadlines = 1; /* the compiler is still running when the second question comes */
    assert_false(judge_submission(world->judge, &request, world->arena, &judgement, &err));
    assert_int_equal(err.kind, ERR_CANCELLED);
    assert_int_equal(fake.kills, 1);
}

static void several_files_are_one_submission(void **state) {
    struct fake_world *world = *state;
    struct judge_source sources[] = {{.name = STR("b.cpp"), .text = STR("cat")},
                                     {.name = STR("c.h"), .text = STR("h")},
                                     {.name = STR("a.cc"), .text = STR("x")}};
    struct judge_request request = {.manifest = &world->manifest,
                                    .language = fake_language(world, "cpp"),
                                    .sources = sources,
                                    .source_count = 3,
                                    .open_blob = fake_open_blob};
    struct judgement judgement = {.verdict = VERDICT_NONE};
    struct err err = {0};

    world->manifest.case_count = 1;
    assert_true(judge_submission(world->judge, &request, world->arena, &judgement, &err));
    assert_int_equal(judgement.verdict, VERDICT_ACCEPTED);

    sources[2].name = STR("b.cpp");
    assert_true(judge_submission(world->judge, &request, world->arena, &judgement, &err));
    assert_int_equal(judgement.verdict, VERDICT_COMPILE_ERROR);
    assert_non_null(strstr(judgement.compile.log.ptr, "two files are called b.cpp"));
    sources[2].name = STR("-fplugin=x.cpp");
    assert_true(judge_submission(world->judge, &request, world->arena, &judgement, &err));
    assert_int_equal(judgement.verdict, VERDICT_COMPILE_ERROR);
    assert_non_null(strstr(judgement.compile.log.ptr, "may not be called"));
    request.source_count = 0;
    assert_true(judge_submission(world->judge, &request, world->arena, &judgement, &err));
    assert_int_equal(judgement.verdict, VERDICT_COMPILE_ERROR);
}

static void a_source_over_the_limit_is_a_compile_error(void **state) {
    struct fake_world *world = *state;
    char big[4096];
    memset(big, 'a', sizeof big);
    big[4095] = '\0';
    world->manifest.limits.code_kib = 3;

    struct judgement judgement = judge_well(world, big);

    assert_int_equal(judgement.verdict, VERDICT_COMPILE_ERROR);
    assert_non_null(strstr(judgement.compile.log.ptr, "larger than 3 KiB"));
}

static void an_included_file_wins_over_a_submitted_one(void **state) {
    struct fake_world *world = *state;
    static struct manifest_include includes[2];
    struct judge_source sources[2] = {{STR("first.cpp"), STR("exit 1")},
                                      {STR("main.cpp"), STR("exit 2")}};
    struct judgement judgement = {.verdict = VERDICT_NONE};
    struct err err = {0};
    struct judge_request request = {.manifest = &world->manifest,
                                    .language = fake_language(world, "cpp"),
                                    .sources = sources,
                                    .source_count = 2,
                                    .open_blob = fake_open_blob,
                                    .context = world};
    includes[0] = (struct manifest_include){
        .language = STR("python3"), .file = {.name = STR("other.py"), .blob = fake_blob(1)}};
    includes[1] = (struct manifest_include){
        .language = STR("cpp"), .file = {.name = STR("first.cpp"), .blob = fake_blob(6)}};
    world->manifest.includes = includes;
    world->manifest.include_count = 2;

    assert_true(judge_submission(world->judge, &request, world->arena, &judgement, &err));

    assert_int_equal(judgement.verdict, VERDICT_WRONG_ANSWER); /* it is "say 1" now */
    includes[1].file.name = STR("../main.cpp");
    assert_false(judge_text(world, "cpp", "cat", &judgement, &err));
    assert_int_equal(err.fault, FAULT_PROBLEM);
}

static void a_function_is_refused_where_there_is_no_grader(void **state) {
    struct fake_world *world = *state;
    world->manifest.kinds |= PROBLEM_FUNCTION;

    struct judgement judgement = judge_well(world, "cat");

    assert_int_equal(judgement.verdict, VERDICT_COMPILE_ERROR);
    assert_non_null(strstr(judgement.compile.log.ptr, "cannot be solved in C++"));
}

static void what_cannot_be_judged_yet_is_refused_by_name(void **state) {
    struct fake_world *world = *state;
    struct judgement judgement = {.verdict = VERDICT_NONE};
    struct err err = {0};
    struct manifest good = world->manifest;

    world->manifest.kinds |= PROBLEM_SQL;
    assert_false(judge_text(world, "cpp", "cat", &judgement, &err));
    assert_string_equal(err.code, "wrong_dialect");
    world->manifest = good;
    world->manifest.kinds |= PROBLEM_INTERACTIVE;
    assert_false(judge_text(world, "cpp", "cat", &judgement, &err));
    assert_string_equal(err.code, "no_interactor");
    world->manifest = good;
    world->manifest.kinds |= PROBLEM_MULTI_PASS;
    assert_false(judge_text(world, "cpp", "cat", &judgement, &err));
    assert_string_equal(err.code, "no_validator");
    world->manifest = good;
    world->manifest.case_count = 0;
    assert_false(judge_text(world, "cpp", "cat", &judgement, &err));
    assert_string_equal(err.code, "no_cases");
    world->manifest = good;
    world->manifest.checker.kind = CHECKER_NONE;
    assert_false(judge_text(world, "cpp", "cat", &judgement, &err));
    assert_string_equal(err.code, "no_checker");
    assert_int_equal(err.fault, FAULT_PROBLEM);
}

static void a_scored_problem_adds_points(void **state) {
    struct fake_world *world = *state;
    world->manifest.kinds = PROBLEM_SCORING;
    world->manifest.aggregation = AGGREGATE_SUM;
    world->manifest.score_micro = 10000000;
    world->cases[1].score_micro = 4000000;
    world->cases[2].score_micro = 6000000;

    struct judgement half = judge_well(world, "say 1");
    assert_int_equal(half.verdict, VERDICT_PARTIAL);
    assert_int_equal(half.score_micro, 6000000);
    assert_int_equal(half.case_count, 3);

    fake_checker(world, 8); /* 3 points for each case */
    struct judgement scored = judge_well(world, "cat");
    assert_int_equal(scored.verdict, VERDICT_PARTIAL);
    assert_int_equal(scored.score_micro, 6000000);
    assert_int_equal(scored.cases[1].verdict, VERDICT_PARTIAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(an_accepted_submission_passes_every_case),
        FAKE_TEST(each_end_of_the_program_is_the_cases_verdict),
        FAKE_TEST(a_secret_case_says_no_more_than_where),
        FAKE_TEST(all_cases_run_when_asked),
        FAKE_TEST(a_compile_error_runs_no_case),
        FAKE_TEST(a_checker_decides_and_speaks_to_the_student),
        FAKE_TEST(the_checker_is_not_asked_about_a_crash),
        FAKE_TEST(a_broken_checker_is_the_problems_fault),
        FAKE_TEST(a_missing_file_is_the_problems_fault),
        FAKE_TEST(a_broken_box_is_the_nodes_fault),
        FAKE_TEST(stopping_works_between_cases_and_during_a_run),
        FAKE_TEST(several_files_are_one_submission),
        FAKE_TEST(a_source_over_the_limit_is_a_compile_error),
        FAKE_TEST(an_included_file_wins_over_a_submitted_one),
        FAKE_TEST(a_function_is_refused_where_there_is_no_grader),
        FAKE_TEST(what_cannot_be_judged_yet_is_refused_by_name),
        FAKE_TEST(a_scored_problem_adds_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
