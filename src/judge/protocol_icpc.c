/* The ICPC output validator: 42 accepts, 43 rejects, and a folder takes its words and points. */
#include "judge/check.h"
#include "judge/protocol.h"

#include <stdio.h>

#define ICPC_EXIT_ACCEPT 42
#define ICPC_EXIT_REJECT 43

/* As the row of ADAPTER_ICPC has them. */
enum feedback { FEEDBACK_TEAM, FEEDBACK_JUDGE, FEEDBACK_POINTS, FEEDBACK_MULTIPLIER };

enum icpc_answer check_icpc_answer(const struct box_result *result, const struct run_limits *limits,
                                   struct outcome *ret_why) {
    bool limits_kept = protocol_ended(result, limits, ret_why);
    if (limits_kept && result->exit_code == ICPC_EXIT_ACCEPT) {
        return ICPC_ACCEPT;
    }
    if (limits_kept && result->exit_code == ICPC_EXIT_REJECT) {
        return ICPC_REJECT;
    }
    if (limits_kept) {
        (void)snprintf(
            ret_why->message, sizeof ret_why->message,
            "ended with exit status %d, which is neither 42 (accepted) nor 43 (rejected)",
            result->exit_code);
    }
    return ICPC_BROKEN;
}

static bool read_score(struct str multiplier, struct str points, struct checker_answer *answer,
                       struct err *err) {
    if (multiplier.ptr != NULL && points.ptr != NULL) {
        return protocol_broken(err, "wrote both score.txt and score_multiplier.txt");
    }
    if (multiplier.ptr != NULL) {
        answer->says = CHECKER_SAYS_SHARE;
        return (ratio_parse(str_trim(multiplier), &answer->value) &&
                ratio_fits(answer->value, 1, 1)) ||
               protocol_broken(err, "wrote a score_multiplier.txt that is no number from 0 to 1");
    }
    if (points.ptr != NULL) {
        answer->says = CHECKER_SAYS_POINTS;
        return ratio_parse(str_trim(points), &answer->value) ||
               protocol_broken(err,
                               "wrote a score.txt that is no number from 0 to the case's maximum");
    }
    answer->says = CHECKER_SAYS_YES;
    return true;
}

bool protocol_read_icpc(const struct protocol_said *said, struct arena *arena,
                        struct checker_answer *ret_answer, struct err *err) {
    (void)arena;
    struct str judge = said->files[FEEDBACK_JUDGE];
    struct checker_answer answer = {.says = CHECKER_SAYS_NO,
                                    .accepted = said->exit_code == ICPC_EXIT_ACCEPT,
                                    .staff = judge.len > 0 ? judge : said->errors,
                                    .student = said->files[FEEDBACK_TEAM]};
    if (!answer.accepted && said->exit_code != ICPC_EXIT_REJECT) {
        return protocol_bad_status(err, said, "42 (accepted) nor 43 (rejected)");
    }
    if (answer.accepted &&
        !read_score(said->files[FEEDBACK_MULTIPLIER], said->files[FEEDBACK_POINTS], &answer, err)) {
        return false;
    }
    *ret_answer = answer;
    return true;
}
