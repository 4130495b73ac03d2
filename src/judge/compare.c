/* The built-in checkers. One loop serves tokens and lines: skip what is equal byte for byte up to
 * the last white space, then look at one gap and one token on each side, and again. */
#include "judge/compare.h"
#include "data/digest.h"
#include "judge/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES_MAX 4096

struct compare {
    const struct compare_rules *rules;
    struct reader output;
    struct reader answer;
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
    result->offset = reader_tell(&compare->output);
    excerpt(reader_token(&compare->answer, &whole), result->expected, &result->expected_bytes);
    excerpt(reader_token(&compare->output, &whole), result->got, &result->got_bytes);
    return false;
}

static bool ends_early(struct compare *compare) {
    return differs(compare, compare->output_has_token ? COMPARE_MISSING : COMPARE_NO_OUTPUT);
}

/* Line and token of the difference, counted only now: most outputs are right. */
static void locate(struct compare_result *result, int output_fd) {
    struct reader reader;
    reader_init(&reader, output_fd);
    bool in_token = false;
    result->line = 1;
    result->token = 1;
    for (int64_t left = result->offset; left > 0;) {
        struct str seen = reader_peek(&reader, 1);
        size_t usable = (int64_t)seen.len < left ? seen.len : (size_t)left;
        for (size_t i = 0; i < usable; i++) {
            bool space = reader_is_space(seen.ptr[i]);
            result->token += in_token && space ? 1 : 0;
            in_token = !space;
            if (seen.ptr[i] == '\n') {
                result->line++;
                result->token = 1;
            }
        }
        reader_skip(&reader, usable);
        left = usable == 0 ? 0 : left - (int64_t)usable;
    }
    result->token += in_token && reader_at_end(&reader) ? 1 : 0;
    reader_done(&reader);
}

/* ---- one token ---- */

static char fold(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_text(const struct compare_rules *rules, const char *a, const char *b, size_t len) {
    if (memcmp(a, b, len) == 0) {
        return true;
    }
    for (size_t i = 0; i < len && !rules->case_sensitive; i++) {
        if (fold(a[i]) != fold(b[i])) {
            return false;
        }
    }
    return !rules->case_sensitive;
}

static bool is_number(struct str token, long double *ret_value) {
    char text[NUMBER_BYTES_MAX];
    char *end = NULL;
    if (token.len == 0 || token.len >= sizeof text) {
        return false;
    }
    memcpy(text, token.ptr, token.len);
    text[token.len] = '\0';
    *ret_value = strtold(text, &end);
    return end == text + token.len;
}

static bool is_near(const struct compare_rules *rules, long double expected, long double got) {
    if (isnan(expected) || isnan(got)) {
        return isnan(expected) && isnan(got);
    }
    if (isinf(expected) || isinf(got)) {
        return expected == got;
    }
    long double difference = fabsl(expected - got);
    return (rules->has_absolute && difference <= rules->absolute) ||
           (rules->has_relative && difference <= rules->relative * fabsl(expected));
}

static enum compare_why compare_short(const struct compare_rules *rules, struct str expected,
                                      struct str got) {
    long double number = 0;
    long double value = 0;
    if (str_eq(expected, got)) {
        return COMPARE_EQUAL;
    }
    if ((rules->has_absolute || rules->has_relative) && is_number(expected, &number)) {
        return is_number(got, &value) && is_near(rules, number, value) ? COMPARE_EQUAL
                                                                       : COMPARE_NUMBER;
    }
    return expected.len == got.len && same_text(rules, expected.ptr, got.ptr, got.len)
               ? COMPARE_EQUAL
               : COMPARE_TOKEN;
}

/* Tokens longer than the window, piece by piece. */
static enum compare_why compare_long(struct compare *compare) {
    for (;;) {
        bool answer_whole = false;
        bool output_whole = false;
        struct str expected = reader_token(&compare->answer, &answer_whole);
        struct str got = reader_token(&compare->output, &output_whole);
        size_t both = expected.len < got.len ? expected.len : got.len;
        if (!same_text(compare->rules, expected.ptr, got.ptr, both)) {
            return COMPARE_TOKEN;
        }
        bool answer_done = answer_whole && both == expected.len;
        bool output_done = output_whole && both == got.len;
        if (answer_done != output_done) {
            return COMPARE_TOKEN;
        }
        reader_skip(&compare->answer, both);
        reader_skip(&compare->output, both);
        if (answer_done) {
            return COMPARE_EQUAL;
        }
    }
}

static bool compare_token(struct compare *compare) {
    bool answer_whole = false;
    bool output_whole = false;
    struct str expected = reader_token(&compare->answer, &answer_whole);
    struct str got = reader_token(&compare->output, &output_whole);
    compare->output_has_token = true;
    if (!answer_whole || !output_whole) {
        struct compare_result at_start = {.offset = reader_tell(&compare->output)};
        excerpt(expected, at_start.expected, &at_start.expected_bytes);
        excerpt(got, at_start.got, &at_start.got_bytes);
        at_start.why = compare_long(compare);
        compare->result = at_start;
        return at_start.why == COMPARE_EQUAL;
    }
    enum compare_why why = compare_short(compare->rules, expected, got);
    if (why != COMPARE_EQUAL) {
        return differs(compare, why);
    }
    reader_skip(&compare->answer, expected.len);
    reader_skip(&compare->output, got.len);
    return true;
}

/* ---- gaps ---- */

static size_t common_prefix(struct str a, struct str b) {
    size_t both = a.len < b.len ? a.len : b.len;
    size_t at = 0;
    while (both - at >= 64 && memcmp(a.ptr + at, b.ptr + at, 64) == 0) {
        at += 64;
    }
    while (at < both && a.ptr[at] == b.ptr[at]) {
        at++;
    }
    return at;
}

/* Skips what is the same on both sides, up to behind the last white space in it, so that both
 * readers stand between tokens afterwards as before. */
static void skip_common(struct compare *compare) {
    for (;;) {
        struct str expected = reader_peek(&compare->answer, 1);
        struct str got = reader_peek(&compare->output, 1);
        size_t same = common_prefix(expected, got);
        size_t cut = same;
        while (cut > 0 && !reader_is_space(got.ptr[cut - 1])) {
            cut--;
        }
        for (size_t i = 0; i < cut && !compare->output_has_token; i++) {
            compare->output_has_token = !reader_is_space(got.ptr[i]);
        }
        reader_skip(&compare->answer, cut);
        reader_skip(&compare->output, cut);
        if (cut == 0 || (same < expected.len && same < got.len)) {
            return;
        }
    }
}

static bool begins_with_space(struct str seen) {
    return seen.len > 0 && reader_is_space(seen.ptr[0]);
}

/* Passes over the gap on both sides only as long as it is the same, byte for byte. */
static bool same_gap(struct compare *compare) {
    for (;;) {
        struct str expected = reader_peek(&compare->answer, 1);
        struct str got = reader_peek(&compare->output, 1);
        if (!begins_with_space(expected) && !begins_with_space(got)) {
            return true;
        }
        if (expected.len == 0 || got.len == 0 || expected.ptr[0] != got.ptr[0]) {
            return false;
        }
        reader_skip(&compare->answer, 1);
        reader_skip(&compare->output, 1);
    }
}

/* Passes over the gap on both sides. False: it differs where it must not. */
static bool compare_gap(struct compare *compare) {
    const struct compare_rules *rules = compare->rules;
    int64_t offset = reader_tell(&compare->output);
    bool same = !rules->space_sensitive || same_gap(compare);
    int64_t answer_lines = reader_skip_space(&compare->answer);
    int64_t output_lines = reader_skip_space(&compare->output);
    bool answer_ends = reader_at_end(&compare->answer);
    bool output_ends = reader_at_end(&compare->output);
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

static void compare_tokens(struct compare *compare) {
    for (;;) {
        skip_common(compare);
        if (!compare_gap(compare) || reader_at_end(&compare->answer) || !compare_token(compare)) {
            return;
        }
    }
}

/* ---- exact ---- */

static void compare_exact(struct compare *compare) {
    for (;;) {
        struct str expected = reader_peek(&compare->answer, 1);
        struct str got = reader_peek(&compare->output, 1);
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
        size_t same = common_prefix(expected, got);
        reader_skip(&compare->answer, same);
        reader_skip(&compare->output, same);
        if (same < expected.len && same < got.len) {
            (void)differs(compare, COMPARE_TOKEN);
            return;
        }
    }
}

/* ---- unordered lines ---- */

/* A set of lines as the sum of their digests: the order of adding does not matter, and finding
 * another set with the same sum is as hard as breaking the digest. */
struct line_set {
    uint64_t sum[4];
    int64_t lines;
};

static void add_line(struct line_set *set, struct digest_stream *line) {
    struct digest digest = digest_end(line);
    for (size_t i = 0; i < 4; i++) {
        uint64_t lane = 0;
        memcpy(&lane, digest.bytes + 8 * i, sizeof lane);
        set->sum[i] += lane;
    }
    set->lines++;
}

static void add_folded(struct digest_stream *line, struct str text, bool case_sensitive) {
    char piece[512];
    for (size_t at = 0; at < text.len && !case_sensitive; at += sizeof piece) {
        struct str part = str_sub(text, at, sizeof piece);
        for (size_t i = 0; i < part.len; i++) {
            piece[i] = fold(part.ptr[i]);
        }
        digest_add(line, str_of(piece, part.len));
    }
    if (case_sensitive) {
        digest_add(line, text);
    }
}

static struct line_set read_line_set(struct reader *reader, bool case_sensitive) {
    struct line_set set = {.lines = 0};
    struct digest_stream line;
    bool open = false;
    for (;;) {
        int64_t breaks = reader_skip_space(reader);
        bool ends = reader_at_end(reader);
        if (open && (ends || breaks > 0)) {
            add_line(&set, &line);
            open = false;
        }
        if (ends) {
            return set;
        }
        if (!open) {
            digest_begin(&line);
            open = true;
        }
        bool whole = false;
        while (!whole) {
            struct str token = reader_token(reader, &whole);
            add_folded(&line, token, case_sensitive);
            reader_skip(reader, token.len);
        }
        digest_add(&line, STR(" "));
    }
}

static void compare_unordered(struct compare *compare) {
    bool sensitive = compare->rules->case_sensitive;
    struct line_set expected = read_line_set(&compare->answer, sensitive);
    struct line_set got = read_line_set(&compare->output, sensitive);
    if (got.lines == 0 && expected.lines > 0) {
        compare->result.why = COMPARE_NO_OUTPUT;
    } else if (got.lines != expected.lines || memcmp(got.sum, expected.sum, sizeof got.sum) != 0) {
        compare->result.why = COMPARE_SET;
    }
}

/* ---- all of it ---- */

static bool run_compare(const struct compare_rules *rules, int output_fd, int answer_fd,
                        struct compare_result *ret_result, struct err *err) {
    struct compare compare = {.rules = rules};
    reader_init(&compare.output, output_fd);
    reader_init(&compare.answer, answer_fd);
    if (rules->kind == CHECKER_EXACT) {
        compare_exact(&compare);
    } else if (rules->kind == CHECKER_UNORDERED_LINES) {
        compare_unordered(&compare);
    } else {
        compare_tokens(&compare);
    }
    bool good = reader_ok(&compare.output, "the program's output", err) &&
                reader_ok(&compare.answer, "the expected answer", err);
    reader_done(&compare.output);
    reader_done(&compare.answer);
    *ret_result = compare.result;
    return good;
}

bool compare_files(const struct compare_rules *rules, int output_fd, int answer_fd,
                   struct compare_result *ret_result, struct err *err) {
    static const struct compare_rules lenient = {.kind = CHECKER_TOKENS, .case_sensitive = true};
    struct compare_result result = {.why = COMPARE_EQUAL};
    struct compare_result by_tokens = {.why = COMPARE_EQUAL};
    if (!run_compare(rules, output_fd, answer_fd, &result, err)) {
        return false;
    }
    if (result.why != COMPARE_EQUAL) {
        locate(&result, output_fd);
    }
    if (result.why != COMPARE_EQUAL && result.why != COMPARE_NO_OUTPUT &&
        rules->kind != CHECKER_UNORDERED_LINES) {
        if (!run_compare(&lenient, output_fd, answer_fd, &by_tokens, err)) {
            return false;
        }
        result.only_space = by_tokens.why == COMPARE_EQUAL;
    }
    *ret_result = result;
    return true;
}
