/* The conventions of HUSTOJ, QDUOJ, CMS, Lemon and SYZOJ. */
#include "judge/protocol.h"

/* ---- exit status alone ---- */

static struct str what_it_wrote(const struct protocol_said *said) {
    return said->errors.len > 0 ? said->errors : said->out;
}

/* 0 is right and anything else is wrong: the convention has no word for a fault of its own. */
bool protocol_read_hustoj(const struct protocol_said *said, struct arena *arena,
                          struct checker_answer *ret_answer, struct err *err) {
    (void)arena, (void)err;
    *ret_answer =
        (struct checker_answer){.says = said->exit_code == 0 ? CHECKER_SAYS_YES : CHECKER_SAYS_NO,
                                .staff = what_it_wrote(said)};
    return true;
}

bool protocol_read_hustoj_score(const struct protocol_said *said, struct arena *arena,
                                struct checker_answer *ret_answer, struct err *err) {
    (void)arena;
    if (said->exit_code > 100) {
        return protocol_broken(err, "ended with exit status %d, which is no per cent",
                               said->exit_code);
    }
    *ret_answer = (struct checker_answer){.says = CHECKER_SAYS_SHARE,
                                          .value = {.over = said->exit_code, .under = 100},
                                          .staff = what_it_wrote(said)};
    return true;
}

bool protocol_read_qduoj(const struct protocol_said *said, struct arena *arena,
                         struct checker_answer *ret_answer, struct err *err) {
    (void)arena;
    if (said->exit_code != 0 && said->exit_code != 1) {
        return protocol_bad_status(err, said, "0 (accepted) nor 1 (wrong answer)");
    }
    *ret_answer =
        (struct checker_answer){.says = said->exit_code == 0 ? CHECKER_SAYS_YES : CHECKER_SAYS_NO,
                                .staff = what_it_wrote(said)};
    return true;
}

/* ---- a number ---- */

static bool need_status_0(const struct protocol_said *said, struct err *err) {
    return said->exit_code == 0 ||
           protocol_broken(err, "ended with exit status %d instead of 0", said->exit_code);
}

static struct str first_line(struct str text) {
    struct str line = STR("");
    (void)str_next_line(&text, &line);
    return str_trim(line);
}

/* Words that CMS translates for the contestant. */
static struct str translated(struct str text) {
    static const struct {
        const char *key;
        const char *text;
    } rows[] = {{"translate:success", "Output is correct"},
                {"translate:partial", "Output is partially correct"},
                {"translate:wrong", "Output isn't correct"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (str_eq_c(first_line(text), rows[i].key)) {
            return str_from(rows[i].text);
        }
    }
    return text;
}

bool protocol_read_cms(const struct protocol_said *said, struct arena *arena,
                       struct checker_answer *ret_answer, struct err *err) {
    (void)arena;
    struct checker_answer answer = {.says = CHECKER_SAYS_SHARE,
                                    .student = translated(said->errors)};
    if (!need_status_0(said, err)) {
        return false;
    }
    if (!ratio_parse(first_line(said->out), &answer.value) || !ratio_fits(answer.value, 1, 1)) {
        return protocol_broken(err, "wrote no number from 0 to 1 in the first line of its output");
    }
    *ret_answer = answer;
    return true;
}

static bool share_of(struct str text, int64_t full, struct ratio *ret_share) {
    struct ratio points = {.under = 1};
    if (!ratio_parse(str_trim(text), &points) || !ratio_fits(points, 1, full)) {
        return false;
    }
    *ret_share = ratio_divide(points, full);
    return true;
}

bool protocol_read_lemon(const struct protocol_said *said, struct arena *arena,
                         struct checker_answer *ret_answer, struct err *err) {
    (void)arena;
    struct checker_answer answer = {
        .says = CHECKER_SAYS_SHARE, .student = said->files[1], .staff = what_it_wrote(said)};
    if (!need_status_0(said, err)) {
        return false;
    }
    if (said->files[0].ptr == NULL) {
        return protocol_broken(err, "wrote no score file");
    }
    if (!share_of(said->files[0], said->full_points, &answer.value)) {
        return protocol_broken(err, "wrote a score that is no number from 0 to %lld",
                               (long long)said->full_points);
    }
    *ret_answer = answer;
    return true;
}

bool protocol_read_syzoj(const struct protocol_said *said, struct arena *arena,
                         struct checker_answer *ret_answer, struct err *err) {
    (void)arena;
    struct checker_answer answer = {.says = CHECKER_SAYS_SHARE, .student = said->errors};
    if (!need_status_0(said, err)) {
        return false;
    }
    if (!share_of(first_line(said->out), 100, &answer.value)) {
        return protocol_broken(err, "wrote no score from 0 to 100 in the first line of its output");
    }
    *ret_answer = answer;
    return true;
}
