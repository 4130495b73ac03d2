/* The built-in checkers. */
#include "judge/compare.h"
#include "judge/block.h"
#include "judge/compare_internal.h"

#include <string.h>

/* ---- the place of a difference ---- */

/* Counted only when there is one: most outputs are right. */
struct place {
    int64_t line;
    int64_t token_ends;  /* in this line */
    uint64_t last_token; /* 1: the last byte was one of a token */
};

/* The first `count` of 64 bytes, at least one. */
static void pass_block(struct place *place, const char *bytes, size_t count) {
    uint64_t inside = block_first(count);
    uint64_t spaces = block_spaces(bytes);
    uint64_t breaks = block_equal(bytes, '\n') & inside;
    uint64_t ends = spaces & (~spaces << 1 | place->last_token) & inside;
    if (breaks != 0) {
        place->line += __builtin_popcountll(breaks);
        place->token_ends = 0;
        ends &= ~(~(uint64_t)0 >> __builtin_clzll(breaks));
    }
    place->token_ends += __builtin_popcountll(ends);
    place->last_token = ~spaces >> (count - 1) & 1;
}

static void locate(struct compare_result *result, int output_fd) {
    struct reader reader;
    struct place place = {.line = 1};
    reader_init(&reader, output_fd);
    for (int64_t left = result->offset; left > 0;) {
        char padded[BLOCK_BYTES] = {0};
        struct str seen = str_sub(reader_peek(&reader, BLOCK_BYTES), 0, BLOCK_BYTES);
        size_t usable = (int64_t)seen.len < left ? seen.len : (size_t)left;
        if (usable > 0) {
            memcpy(padded, seen.ptr, usable);
            pass_block(&place, padded, usable);
        }
        reader_skip(&reader, usable);
        left = usable == 0 ? 0 : left - (int64_t)usable;
    }
    bool behind_all = place.last_token == 1 && reader_at_end(&reader);
    result->line = place.line;
    result->token = place.token_ends + (behind_all ? 2 : 1);
    reader_done(&reader);
}

/* ---- all of it ---- */

static void compare_readers(const struct compare_rules *rules, struct reader *output,
                            struct reader *answer, struct compare_result *ret_result) {
    struct compare_place from = {.output = 0};
    *ret_result = (struct compare_result){.why = COMPARE_EQUAL};
    if (rules->kind == CHECKER_UNORDERED_LINES) {
        ret_result->why = compare_line_sets(rules, output, answer);
    } else if (rules->kind == CHECKER_EXACT) {
        compare_walk(rules, output, answer, ret_result);
    } else if (!compare_skim(rules, output, answer, &from)) {
        reader_seek(output, from.output);
        reader_seek(answer, from.answer);
        compare_walk(rules, output, answer, ret_result);
    }
}

static bool run_compare(const struct compare_rules *rules, int output_fd, int answer_fd,
                        struct compare_result *ret_result, struct err *err) {
    struct reader output;
    struct reader answer;
    reader_init(&output, output_fd);
    reader_init(&answer, answer_fd);
    compare_readers(rules, &output, &answer, ret_result);
    bool good = reader_ok(&output, "the program's output", err) &&
                reader_ok(&answer, "the expected answer", err);
    reader_done(&output);
    reader_done(&answer);
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
