/* Two texts token by token: look at one gap and one token on each side, and again. Says where and
 * how they differ. */
#include "judge/compare_internal.h"

#include <string.h>

struct compare {
    const struct compare_rules *rules;
    struct reader *output;
    struct reader *answer;
    bool output_has_token;
    struct compare_result result;
};

/* ---- differences ---- */

static void excerpt(struct str token, char *into, size_t *ret_bytes) {
    *ret_bytes = token.len;
    memcpy(into, token.ptr,
           token.len < COMPARE_EXCERPT_BYTES_MAX ? token.len : COMPARE_EXCERPT_BYTES_MAX);
}

/* Notes the difference at the place both readers stand at, with the tokens that begin there. */
static bool differs(struct compare *compare, enum compare_why why) {
    struct compare_result *result = &compare->result;
    bool whole = false;
    result->why = why;
    result->offset = reader_tell(compare->output);
    excerpt(reader_token(compare->answer, &whole), result->expected, &result->expected_bytes);
    excerpt(reader_token(compare->output, &whole), result->got, &result->got_bytes);
    return false;
}

static bool ends_early(struct compare *compare) {
    return differs(compare, compare->output_has_token ? COMPARE_MISSING : COMPARE_NO_OUTPUT);
}

/* ---- one token ---- */

/* Tokens longer than the window, piece by piece. */
static enum compare_why compare_long(struct compare *compare) {
    for (;;) {
        bool answer_whole = false;
        bool output_whole = false;
        struct str expected = reader_token(compare->answer, &answer_whole);
        struct str got = reader_token(compare->output, &output_whole);
        size_t both = expected.len < got.len ? expected.len : got.len;
        if (!compare_text(compare->rules, expected.ptr, got.ptr, both)) {
            return COMPARE_TOKEN;
        }
        bool answer_done = answer_whole && both == expected.len;
        bool output_done = output_whole && both == got.len;
        if (answer_done != output_done) {
            return COMPARE_TOKEN;
        }
        reader_skip(compare->answer, both);
        reader_skip(compare->output, both);
        if (answer_done) {
            return COMPARE_EQUAL;
        }
    }
}

static bool compare_token(struct compare *compare) {
    bool answer_whole = false;
    bool output_whole = false;
    struct str expected = reader_token(compare->answer, &answer_whole);
    struct str got = reader_token(compare->output, &output_whole);
    compare->output_has_token = true;
    if (!answer_whole || !output_whole) {
        struct compare_result at_start = {.offset = reader_tell(compare->output)};
        excerpt(expected, at_start.expected, &at_start.expected_bytes);
        excerpt(got, at_start.got, &at_start.got_bytes);
        at_start.why = compare_long(compare);
        compare->result = at_start;
        return at_start.why == COMPARE_EQUAL;
    }
    enum compare_why why = compare_tokens(compare->rules, expected, got);
    if (why != COMPARE_EQUAL) {
        return differs(compare, why);
    }
    reader_skip(compare->answer, expected.len);
    reader_skip(compare->output, got.len);
    return true;
}

/* ---- gaps ---- */

static bool begins_with_space(struct str seen) {
    return seen.len > 0 && reader_is_space(seen.ptr[0]);
}

/* Passes over the gap on both sides only as long as it is the same, byte for byte. */
static bool same_gap(struct compare *compare) {
    for (;;) {
        struct str expected = reader_peek(compare->answer, 1);
        struct str got = reader_peek(compare->output, 1);
        if (!begins_with_space(expected) && !begins_with_space(got)) {
            return true;
        }
        if (expected.len == 0 || got.len == 0 || expected.ptr[0] != got.ptr[0]) {
            return false;
        }
        reader_skip(compare->answer, 1);
        reader_skip(compare->output, 1);
    }
}

/* Passes over the gap on both sides. False: it differs where it must not. */
static bool compare_gap(struct compare *compare) {
    const struct compare_rules *rules = compare->rules;
    int64_t offset = reader_tell(compare->output);
    bool same = !rules->space_sensitive || same_gap(compare);
    int64_t answer_lines = reader_skip_space(compare->answer);
    int64_t output_lines = reader_skip_space(compare->output);
    bool answer_ends = reader_at_end(compare->answer);
    bool output_ends = reader_at_end(compare->output);
    if (answer_ends != output_ends) {
        return answer_ends ? differs(compare, COMPARE_EXTRA) : ends_early(compare);
    }
    if (!answer_ends && rules->kind == CHECKER_LINES && answer_lines != output_lines) {
        same = false;
    }
    if (!same) {
        compare->result = (struct compare_result){.why = COMPARE_SPACE, .offset = offset};
    }
    return same;
}

/* ---- byte by byte ---- */

static void walk_bytes(struct compare *compare) {
    for (;;) {
        struct str expected = reader_peek(compare->answer, 1);
        struct str got = reader_peek(compare->output, 1);
        if (expected.len == 0 && got.len == 0) {
            return;
        }
        if (got.len == 0) {
            (void)ends_early(compare);
            return;
        }
        compare->output_has_token = true;
        if (expected.len == 0) {
            (void)differs(compare, COMPARE_EXTRA);
            return;
        }
        size_t same = compare_common(expected, got);
        reader_skip(compare->answer, same);
        reader_skip(compare->output, same);
        if (same < expected.len && same < got.len) {
            (void)differs(compare, COMPARE_TOKEN);
            return;
        }
    }
}

void compare_walk(const struct compare_rules *rules, struct reader *output, struct reader *answer,
                  struct compare_result *ret_result) {
    struct compare compare = {.rules = rules, .output = output, .answer = answer};
    if (rules->kind == CHECKER_EXACT) {
        walk_bytes(&compare);
        *ret_result = compare.result;
        return;
    }
    while (compare_gap(&compare) && !reader_at_end(answer) && compare_token(&compare)) {
    }
    *ret_result = compare.result;
}
