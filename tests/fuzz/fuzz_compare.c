/* The built-in checkers (judge/compare.h) against a plain reading of their rules. The first byte
 * chooses the rules; 0x1e parts output and answer.
 *
 * Holds: an output equals itself under all rules; without tolerances the verdict is that of a naive
 * comparison which has both texts in memory; swapping the sides never changes whether they are
 * equal; the message is short UTF-8, empty exactly when they are equal; no difference lies behind
 * the output's end. */
#include "base/check.h"
#include "base/file.h"
#include "judge/compare.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool is_space(char c) {
    return c != '\0' && strchr(" \t\n\v\f\r", c) != NULL;
}

/* Takes a gap and the token behind it off *rest. */
static struct str next_token(struct str *rest, struct str *ret_gap) {
    size_t gap = 0;
    while (gap < rest->len && is_space(rest->ptr[gap])) {
        gap++;
    }
    size_t end = gap;
    while (end < rest->len && !is_space(rest->ptr[end])) {
        end++;
    }
    *ret_gap = str_sub(*rest, 0, gap);
    struct str token = str_sub(*rest, gap, end - gap);
    *rest = str_sub(*rest, end, rest->len);
    return token;
}

static size_t count_lines(struct str text) {
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++) {
        lines += text.ptr[i] == '\n' ? 1 : 0;
    }
    return lines;
}

static bool naive_equal(const struct compare_rules *rules, struct str output, struct str answer) {
    if (rules->kind == CHECKER_EXACT) {
        return str_eq(output, answer);
    }
    for (;;) {
        struct str output_gap = STR("");
        struct str answer_gap = STR("");
        struct str got = next_token(&output, &output_gap);
        struct str expected = next_token(&answer, &answer_gap);
        bool ends = got.len == 0 && expected.len == 0;
        if (!(rules->case_sensitive ? str_eq(got, expected) : str_eq_nocase(got, expected))) {
            return false;
        }
        if (rules->space_sensitive && !str_eq(output_gap, answer_gap)) {
            return false;
        }
        if (!ends && rules->kind == CHECKER_LINES &&
            count_lines(output_gap) != count_lines(answer_gap)) {
            return false;
        }
        if (ends) {
            return true;
        }
    }
}

static struct compare_result compare(const struct compare_rules *rules, struct str output,
                                     struct str answer) {
    struct compare_result result = {.why = COMPARE_EQUAL};
    struct err err = {0};
    own_fd output_fd = -1;
    own_fd answer_fd = -1;
    CHECK(file_memory("output", output, true, &output_fd, &err));
    CHECK(file_memory("answer", answer, true, &answer_fd, &err));
    CHECK(compare_files(rules, output_fd, answer_fd, &result, &err));
    CHECK(result.offset >= 0 && result.offset <= (int64_t)output.len);
    return result;
}

static void check_message(const struct compare_result *result) {
    own_buf shown = {0};
    buf_init(&shown, 1024);
    compare_message(result, true, &shown);
    CHECK(!shown.full);
    CHECK(str_is_utf8(buf_str(&shown)));
    CHECK((buf_str(&shown).len == 0) == (result->why == COMPARE_EQUAL));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const enum checker_kind kinds[] = {CHECKER_TOKENS, CHECKER_LINES, CHECKER_EXACT,
                                              CHECKER_UNORDERED_LINES};
    struct str output = STR("");
    struct str answer = STR("");
    if (count == 0) {
        return 0;
    }
    uint8_t choice = bytes[0];
    struct compare_rules rules = {.kind = kinds[choice & 3],
                                  .case_sensitive = (choice & 4) != 0,
                                  .space_sensitive = (choice & 8) != 0,
                                  .has_absolute = (choice & 16) != 0,
                                  .has_relative = (choice & 32) != 0,
                                  .absolute = 1e-3L,
                                  .relative = 1e-3L};
    (void)str_cut(str_of(bytes + 1, count - 1), 0x1e, &output, &answer);

    struct compare_result result = compare(&rules, output, answer);

    check_message(&result);
    CHECK(compare(&rules, output, output).why == COMPARE_EQUAL);
    if (!rules.has_absolute && !rules.has_relative) {
        struct compare_result swapped = compare(&rules, answer, output);
        CHECK((swapped.why == COMPARE_EQUAL) == (result.why == COMPARE_EQUAL));
        if (rules.kind != CHECKER_UNORDERED_LINES) {
            CHECK(naive_equal(&rules, output, answer) == (result.why == COMPARE_EQUAL));
        }
    }
    return 0;
}
