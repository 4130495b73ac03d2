/* From a checker's answer to verdict, score and words. */
#include "base/check.h"
#include "judge/check.h"

#define MICRO 1000000 /* of a point */

/* A sample, or a case of a group that only passes or fails, has no points of its own. */
static bool has_points(const struct manifest *manifest, int32_t index) {
    return (manifest->kinds & PROBLEM_SCORING) != 0 && manifest->cases[index].score_micro > 0;
}

static enum verdict verdict_of(const struct manifest *manifest, const struct checker_answer *answer,
                               bool everything) {
    if (everything) {
        return VERDICT_ACCEPTED;
    }
    bool something = answer->accepted || answer->value.over > 0;
    bool scoring = (manifest->kinds & PROBLEM_SCORING) != 0;
    return something && scoring ? VERDICT_PARTIAL : VERDICT_WRONG_ANSWER;
}

static bool value_share(const struct manifest *manifest, int32_t index,
                        const struct checker_answer *answer, struct check_result *result,
                        struct err *err) {
    int64_t maximum = manifest->cases[index].score_micro;
    if (!ratio_fits(answer->value, 1, 1)) {
        return protocol_broken(err, "gave more than the whole case is worth");
    }
    result->verdict = verdict_of(manifest, answer, answer->value.over == answer->value.under);
    result->score_micro =
        result->verdict == VERDICT_WRONG_ANSWER ? 0 : ratio_times(answer->value, maximum);
    return true;
}

/* Points where there is no maximum: some are a yes and none a no, in a problem that counts points.
 * Elsewhere they say neither, unless the checker accepted besides. */
static bool value_pointless(const struct manifest *manifest, int32_t index,
                            const struct checker_answer *answer, struct check_result *result,
                            struct err *err) {
    bool scoring = (manifest->kinds & PROBLEM_SCORING) != 0;
    if (!scoring && !answer->accepted) {
        return protocol_broken(err, "gave points, but this problem counts none");
    }
    bool yes = answer->accepted || answer->value.over > 0;
    result->score_micro = yes ? manifest->cases[index].score_micro : 0;
    result->verdict = yes ? VERDICT_ACCEPTED : VERDICT_WRONG_ANSWER;
    return true;
}

static bool value_points(const struct manifest *manifest, int32_t index,
                         const struct checker_answer *answer, struct check_result *result,
                         struct err *err) {
    int64_t maximum = manifest->cases[index].score_micro;
    if (!has_points(manifest, index)) {
        return value_pointless(manifest, index, answer, result, err);
    }
    if (!ratio_fits(answer->value, MICRO, maximum)) {
        return protocol_broken(err, "gave more points than the case has");
    }
    result->score_micro = ratio_times(answer->value, MICRO);
    result->verdict = verdict_of(manifest, answer, result->score_micro == maximum);
    return true;
}

static bool value_of(const struct manifest *manifest, int32_t index,
                     const struct checker_answer *answer, struct check_result *result,
                     struct err *err) {
    switch (answer->says) {
    case CHECKER_SAYS_YES:
        result->verdict = VERDICT_ACCEPTED;
        result->score_micro = manifest->cases[index].score_micro;
        return true;
    case CHECKER_SAYS_NO: result->verdict = VERDICT_WRONG_ANSWER; return true;
    case CHECKER_SAYS_BAD_FORMAT: result->verdict = VERDICT_PRESENTATION_ERROR; return true;
    case CHECKER_SAYS_SHARE: return value_share(manifest, index, answer, result, err);
    case CHECKER_SAYS_POINTS: return value_points(manifest, index, answer, result, err);
    }
    CHECK(false);
}

/* What a checker says of a secret case may hold its answer; of a sample everybody knows it. */
static struct str words_for_student(const struct checker_answer *answer, bool sample,
                                    enum verdict verdict, const char *otherwise) {
    if (answer->student.len > 0) {
        return answer->student;
    }
    if (sample && answer->staff.len > 0) {
        return answer->staff;
    }
    if (verdict == VERDICT_ACCEPTED || verdict == VERDICT_PARTIAL) {
        return STR("");
    }
    if (otherwise != NULL) {
        return str_from(otherwise);
    }
    return verdict == VERDICT_PRESENTATION_ERROR ? STR("the output has the wrong format")
                                                 : STR("rejected by the checker");
}

bool check_value(const struct manifest *manifest, int32_t index,
                 const struct checker_answer *answer, const char *otherwise,
                 struct check_result *ret_result, struct err *err) {
    struct check_result result = {.staff = answer->staff};
    if (!value_of(manifest, index, answer, &result, err)) {
        return false;
    }
    result.message =
        words_for_student(answer, manifest->cases[index].sample, result.verdict, otherwise);
    *ret_result = result;
    return true;
}
