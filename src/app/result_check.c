#include "app/result_check.h"
#include "domain/scoring.h"

static bool fail(struct err *err, const char *what) {
    return err_set(err, ERR_INVALID, "bad_field", "the result cannot be right: %s", what);
}

/* By the manifest's order, each at most once. */
static bool check_cases(const struct manifest *manifest, const struct judgement *judgement,
                        struct err *err) {
    int32_t last = -1;
    for (int32_t i = 0; i < judgement->case_count; i++) {
        const struct case_result *result = &judgement->cases[i];
        if (result->index <= last || result->index >= manifest->case_count) {
            return err_set(err, ERR_INVALID, "bad_field",
                           "the result cannot be right: case number %d is not in order",
                           (int)result->index + 1);
        }
        if (!str_eq(result->name, manifest->cases[result->index].name)) {
            return err_set(err, ERR_INVALID, "bad_field",
                           "the result cannot be right: case number %d has another name",
                           (int)result->index + 1);
        }
        if (result->verdict <= VERDICT_NONE || result->verdict >= VERDICT_SYSTEM_ERROR ||
            result->verdict == VERDICT_COMPILE_ERROR) {
            return fail(err, "a case has a verdict that no case can have");
        }
        last = result->index;
    }
    return true;
}

static bool all_accepted(const struct judgement *judgement) {
    for (int32_t i = 0; i < judgement->case_count; i++) {
        if (judgement->cases[i].verdict != VERDICT_ACCEPTED) {
            return false;
        }
    }
    return true;
}

bool result_check(const struct manifest *manifest, const struct judgement *judgement,
                  struct err *err) {
    if (judgement->cases_total != manifest->case_count) {
        return fail(err, "the number of cases is not the manifest's");
    }
    bool compiled = !judgement->compile.ran || judgement->compile.ok;
    if (compiled != (judgement->verdict != VERDICT_COMPILE_ERROR)) {
        return fail(err, "verdict and compilation contradict each other");
    }
    if (!compiled && judgement->case_count > 0) {
        return fail(err, "cases were run though nothing was compiled");
    }
    if (!check_cases(manifest, judgement, err)) {
        return false;
    }
    bool scoring = (manifest->kinds & PROBLEM_SCORING) != 0;
    if (compiled && !scoring && all_accepted(judgement) &&
        judgement->case_count < manifest->case_count) {
        return fail(err, "cases are missing");
    }
    struct judgement expected = *judgement;
    scoring_finish(manifest, &expected);
    if (expected.verdict != judgement->verdict) {
        return fail(err, "the verdict does not follow from the cases");
    }
    if (expected.score_micro != judgement->score_micro ||
        expected.cases_passed != judgement->cases_passed) {
        return fail(err, "the score does not follow from the cases");
    }
    return true;
}
