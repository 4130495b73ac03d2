/* A result that cannot be right never becomes a verdict. */
#include "app/result_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct manifest_case three[3] = {
    {.name = {"sample/1", 8}, .sample = true, .group = -1},
    {.name = {"secret/1", 8}, .group = -1},
    {.name = {"secret/2", 8}, .group = -1},
};
static const struct manifest manifest = {.kinds = PROBLEM_PASS_FAIL,
                                         .aggregation = AGGREGATE_PASS_FAIL,
                                         .score_micro = SCORE_FULL_MICRO,
                                         .cases = three,
                                         .case_count = 3};

struct scene {
    struct judgement judgement;
    struct case_result cases[4];
};

static void make(struct scene *scene, enum verdict verdict, int32_t count) {
    memset(scene, 0, sizeof *scene);
    for (int32_t i = 0; i < count; i++) {
        bool last = i == count - 1;
        scene->cases[i] = (struct case_result){
            .index = i,
            .name = three[i < 3 ? i : 2].name,
            .verdict = last ? verdict : VERDICT_ACCEPTED,
        };
    }
    bool accepted = verdict == VERDICT_ACCEPTED;
    scene->judgement = (struct judgement){
        .verdict = verdict,
        .score_micro = accepted ? SCORE_FULL_MICRO : 0,
        .cases_passed = accepted ? count : count - 1,
        .cases_total = 3,
        .compile = {.ran = true, .ok = true},
        .cases = scene->cases,
        .case_count = count,
    };
}

static bool check(const struct scene *scene) {
    struct err err = {0};
    bool ok = result_check(&manifest, &scene->judgement, &err);
    assert_true(ok || (err.kind == ERR_INVALID && strcmp(err.code, "bad_field") == 0));
    return ok;
}

static void honest_results_pass(void **state) {
    (void)state;
    struct scene scene;

    make(&scene, VERDICT_ACCEPTED, 3);
    assert_true(check(&scene));
    make(&scene, VERDICT_WRONG_ANSWER, 1);
    assert_true(check(&scene));
    make(&scene, VERDICT_TIME_LIMIT_EXCEEDED, 3);
    assert_true(check(&scene));
    scene.judgement.compile.ran = false;
    assert_true(check(&scene));
}

static void a_compile_error_has_no_cases(void **state) {
    (void)state;
    struct scene scene;
    make(&scene, VERDICT_ACCEPTED, 3);
    scene.judgement.compile.ok = false;
    scene.judgement.verdict = VERDICT_COMPILE_ERROR;
    scene.judgement.score_micro = 0;
    scene.judgement.cases_passed = 0;

    assert_false(check(&scene));
    scene.judgement.case_count = 0;
    assert_true(check(&scene));
    scene.judgement.compile.ok = true;
    assert_false(check(&scene));
}

static void missing_extra_and_unnamed_cases_are_refused(void **state) {
    (void)state;
    struct scene scene;
    make(&scene, VERDICT_ACCEPTED, 2);
    assert_false(check(&scene));
    make(&scene, VERDICT_ACCEPTED, 0);
    assert_false(check(&scene));
    make(&scene, VERDICT_ACCEPTED, 4);
    assert_false(check(&scene));
    make(&scene, VERDICT_ACCEPTED, 3);
    scene.cases[1].name = STR("secret/9");
    assert_false(check(&scene));
    make(&scene, VERDICT_ACCEPTED, 3);
    scene.cases[1].index = 2;
    scene.cases[2].index = 1;
    assert_false(check(&scene));
    make(&scene, VERDICT_ACCEPTED, 3);
    scene.judgement.cases_total = 2;
    assert_false(check(&scene));
}

static void verdict_and_score_must_follow_from_the_cases(void **state) {
    (void)state;
    struct scene scene;
    make(&scene, VERDICT_WRONG_ANSWER, 2);
    scene.judgement.verdict = VERDICT_ACCEPTED;
    assert_false(check(&scene));
    make(&scene, VERDICT_WRONG_ANSWER, 2);
    scene.judgement.score_micro = 1;
    assert_false(check(&scene));
    make(&scene, VERDICT_WRONG_ANSWER, 2);
    scene.judgement.cases_passed = 2;
    assert_false(check(&scene));
    make(&scene, VERDICT_WRONG_ANSWER, 2);
    scene.judgement.verdict = VERDICT_SYSTEM_ERROR;
    assert_false(check(&scene));
    make(&scene, VERDICT_ACCEPTED, 3);
    scene.cases[0].verdict = VERDICT_SYSTEM_ERROR;
    assert_false(check(&scene));
    scene.cases[0].verdict = VERDICT_NONE;
    assert_false(check(&scene));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_results_pass),
        cmocka_unit_test(a_compile_error_has_no_cases),
        cmocka_unit_test(missing_extra_and_unnamed_cases_are_refused),
        cmocka_unit_test(verdict_and_score_must_follow_from_the_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
