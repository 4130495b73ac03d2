/* Looks for a difference in two texts without what the rules leave out. Both stand at the same
 * place of the texts that are left; a token that differs but is a number as near as the rules allow
 * is passed over on both sides. */
#include "judge/block.h"
#include "judge/compare_internal.h"
#include "judge/squeeze.h"

struct skim {
    const struct compare_rules *rules;
    struct squeeze output;
    struct squeeze answer;
    /* A place before the difference, in bytes that are no white space; negative: the start. */
    int64_t output_before;
    int64_t answer_before;
};

static struct str rest_of(const struct squeeze *squeeze) {
    return str_of(squeeze->window + squeeze->from, squeeze->to - squeeze->from);
}

/* Of what was consumed directly before: white space at its end. */
static size_t space_behind(const struct squeeze *squeeze, size_t at) {
    size_t back = 0;
    while (back < at && reader_is_space(squeeze->window[at - back - 1])) {
        back++;
    }
    return back;
}

/* Of the token that ends at or goes on behind `at`: what of it lies before. */
static size_t token_behind(const struct squeeze *squeeze, size_t at) {
    size_t back = 0;
    while (at - back >= BLOCK_BYTES) {
        uint64_t spaces = block_spaces(squeeze->window + at - back - BLOCK_BYTES);
        if (spaces != 0) {
            return back + (size_t)__builtin_clzll(spaces);
        }
        back += BLOCK_BYTES;
    }
    while (back < at && !reader_is_space(squeeze->window[at - back - 1])) {
        back++;
    }
    return back;
}

/* Bytes back to where the last token began, the one that is being read or the one before the gap.
 * False: that is not known any more. */
static bool last_token(const struct squeeze *squeeze, size_t *ret_bytes, bool *ret_start) {
    size_t space = space_behind(squeeze, squeeze->from);
    *ret_bytes = token_behind(squeeze, squeeze->from - space);
    *ret_start = squeeze->whole && *ret_bytes + space == squeeze->from;
    return *ret_start || *ret_bytes + space < squeeze->from;
}

static void note_place(struct skim *skim) {
    size_t output_back = 0;
    size_t answer_back = 0;
    bool output_start = false;
    bool answer_start = false;
    if (last_token(&skim->output, &output_back, &output_start) &&
        last_token(&skim->answer, &answer_back, &answer_start) && !output_start && !answer_start) {
        skim->output_before = squeeze_tell(&skim->output) - (int64_t)output_back;
        skim->answer_before = squeeze_tell(&skim->answer) - (int64_t)answer_back;
    }
}

static struct str token_at(const struct squeeze *squeeze, size_t *ret_back) {
    size_t back = token_behind(squeeze, squeeze->from);
    size_t ahead = reader_token_bytes(rest_of(squeeze));
    *ret_back = back;
    return str_of(squeeze->window + squeeze->from - back, back + ahead);
}

/* Whether the token's beginning and end are in the window. */
static bool is_whole(const struct squeeze *squeeze, struct str token) {
    const char *window = squeeze->window;
    return (token.ptr > window || squeeze->whole) &&
           (token.ptr + token.len < window + squeeze->to || squeeze->ended);
}

/* Passes over the tokens that differ, if they are near enough. */
static bool pass_number(struct skim *skim) {
    const struct compare_rules *rules = skim->rules;
    size_t output_back = 0;
    size_t answer_back = 0;
    if (!rules->has_absolute && !rules->has_relative) {
        return false;
    }
    struct str got = token_at(&skim->output, &output_back);
    struct str expected = token_at(&skim->answer, &answer_back);
    if (got.len == 0 || expected.len == 0 || str_eq(got, expected) ||
        !is_whole(&skim->output, got) || !is_whole(&skim->answer, expected) ||
        compare_tokens(rules, expected, got) != COMPARE_EQUAL) {
        return false;
    }
    if (got.len == output_back && expected.len == answer_back) {
        return false; /* passed over before: it is the white space behind them that differs */
    }
    skim->output.from += got.len - output_back;
    skim->answer.from += expected.len - answer_back;
    return true;
}

/* One of both has ended: line feeds at the end of the other do not count. */
static bool only_breaks_left(struct squeeze *squeeze) {
    for (;;) {
        squeeze_fill(squeeze);
        if (squeeze->from == squeeze->to) {
            return true;
        }
        for (; squeeze->from < squeeze->to; squeeze->from++) {
            if (squeeze->mode != SQUEEZE_LINES || squeeze->window[squeeze->from] != '\n') {
                return false;
            }
        }
    }
}

static bool skim_all(struct skim *skim) {
    for (;;) {
        squeeze_fill(&skim->output);
        squeeze_fill(&skim->answer);
        struct str got = rest_of(&skim->output);
        struct str expected = rest_of(&skim->answer);
        if (got.len == 0 || expected.len == 0) {
            return only_breaks_left(&skim->output) && only_breaks_left(&skim->answer);
        }
        size_t same = compare_common(expected, got);
        skim->output.from += same;
        skim->answer.from += same;
        if (same == got.len || same == expected.len) {
            note_place(skim);
            continue;
        }
        squeeze_fill(&skim->output);
        squeeze_fill(&skim->answer);
        if (!pass_number(skim)) {
            return false;
        }
    }
}

static enum squeeze_mode mode_of(const struct compare_rules *rules) {
    if (rules->space_sensitive) {
        return SQUEEZE_NOTHING;
    }
    return rules->kind == CHECKER_LINES ? SQUEEZE_LINES : SQUEEZE_TOKENS;
}

bool compare_skim(const struct compare_rules *rules, struct reader *output, struct reader *answer,
                  struct compare_place *ret_before) {
    struct skim skim = {.rules = rules, .output_before = -1, .answer_before = -1};
    bool fold = !rules->case_sensitive;
    squeeze_init(&skim.output, output, mode_of(rules), fold);
    squeeze_init(&skim.answer, answer, mode_of(rules), fold);
    bool equal = skim_all(&skim);
    if (!equal) {
        note_place(&skim);
    }
    *ret_before = (struct compare_place){.output = 0};
    if (!equal && skim.output_before >= 0) {
        ret_before->output = squeeze_find(output->fd, skim.output_before);
        ret_before->answer = squeeze_find(answer->fd, skim.answer_before);
    }
    squeeze_done(&skim.output);
    squeeze_done(&skim.answer);
    return equal;
}
