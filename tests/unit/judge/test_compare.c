/* The built-in checkers, row by row. */
#include "base/file.h"
#include "base/limits.h"
#include "base/random.h"
#include "judge/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int file_of(struct str content) {
    int fd = -1;
    struct err err = {0};
    assert_true(file_memory("test", content, false, &fd, &err));
    return fd;
}

static struct compare_result compare(const struct compare_rules *rules, struct str output,
                                     struct str answer) {
    own_fd output_fd = file_of(output);
    own_fd answer_fd = file_of(answer);
    struct compare_result result = {0};
    struct err err = {0};
    assert_true(compare_files(rules, output_fd, answer_fd, &result, &err));
    return result;
}

struct row {
    struct str output;
    struct str answer;
    enum compare_why why;
};

#define ROW(output, answer, why)                                                                   \
    { {"" output, sizeof(output) - 1}, {"" answer, sizeof(answer) - 1}, why }

static void check_rows(const struct compare_rules *rules, const struct row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct compare_result result = compare(rules, rows[i].output, rows[i].answer);
        if (result.why != rows[i].why) {
            fail_msg("row %zu: output \"" STR_FMT "\" answer \"" STR_FMT "\": %d, not %d", i,
                     STR_ARG(rows[i].output), STR_ARG(rows[i].answer), (int)result.why,
                     (int)rows[i].why);
        }
    }
}

#define CHECK_ROWS(rules, rows) check_rows(&(rules), rows, sizeof(rows) / sizeof((rows)[0]))

static void tokens_ignore_white_space_and_case(void **state) {
    (void)state;
    const struct compare_rules rules = {.kind = CHECKER_TOKENS};
    static const struct row rows[] = {
        ROW("", "", COMPARE_EQUAL),
        ROW(" \n\t\r\v\f", "", COMPARE_EQUAL),
        ROW("", " \n", COMPARE_EQUAL),
        ROW("5\n", "5\n", COMPARE_EQUAL),
        ROW("5", "5\n", COMPARE_EQUAL),
        ROW("5\n", "5", COMPARE_EQUAL),
        ROW("5\r\n6\r\n", "5\n6\n", COMPARE_EQUAL),
        ROW("\n\n5  6\t7\n\n", "5 6\n7", COMPARE_EQUAL),
        ROW("Yes", "YES", COMPARE_EQUAL),
        ROW("yes NO\n", "YES no\n", COMPARE_EQUAL),
        ROW("[a]", "{a}", COMPARE_TOKEN), /* no letters, although 32 apart */
        ROW("\xc3\xa4", "\xc3\x84", COMPARE_TOKEN),
        ROW("5", "6", COMPARE_TOKEN),
        ROW("1.0", "1", COMPARE_TOKEN), /* numbers are text without a tolerance */
        ROW("01", "1", COMPARE_TOKEN),
        ROW("ab cd", "abcd", COMPARE_TOKEN),
        ROW("abcd", "ab cd", COMPARE_TOKEN),
        ROW("abc", "ab", COMPARE_TOKEN),
        ROW("ab", "abc", COMPARE_TOKEN),
        ROW("1 2", "1 2 3", COMPARE_MISSING),
        ROW("1 2 ", "1 2 3", COMPARE_MISSING),
        ROW("1 2 3", "1 2", COMPARE_EXTRA),
        ROW("1", "", COMPARE_EXTRA),
        ROW("", "1", COMPARE_NO_OUTPUT),
        ROW("  \n\n ", "\n1", COMPARE_NO_OUTPUT),
        ROW("\n", "\n1", COMPARE_NO_OUTPUT),
        ROW("a\0b", "a\0b", COMPARE_EQUAL),
        ROW("a\0b", "a\0c", COMPARE_TOKEN),
        ROW("a\0", "a", COMPARE_TOKEN),
        ROW("a", "a\0", COMPARE_TOKEN),
        ROW("\0", "", COMPARE_EXTRA),
        ROW("A\0B", "a\0b", COMPARE_EQUAL),
        ROW("\xef\xbb\xbf"
            "1",
            "1", COMPARE_TOKEN),
        ROW("\xff\xfe", "\xff\xfe", COMPARE_EQUAL),
        ROW("a\xc2\xa0"
            "b",
            "a b", COMPARE_TOKEN), /* a no-break space is no white space */
    };
    CHECK_ROWS(rules, rows);
}

static void letters_count_when_the_rules_say_so(void **state) {
    (void)state;
    const struct compare_rules rules = {.kind = CHECKER_TOKENS, .case_sensitive = true};
    static const struct row rows[] = {
        ROW("Yes", "YES", COMPARE_TOKEN),
        ROW("YES\n", "YES", COMPARE_EQUAL),
        ROW("A a", "A A", COMPARE_TOKEN),
    };
    CHECK_ROWS(rules, rows);
}

static void white_space_counts_when_the_rules_say_so(void **state) {
    (void)state;
    const struct compare_rules rules = {.kind = CHECKER_TOKENS, .space_sensitive = true};
    static const struct row rows[] = {
        ROW("1 2\n", "1 2\n", COMPARE_EQUAL),   ROW("YES 2\n", "yes 2\n", COMPARE_EQUAL),
        ROW("1  2\n", "1 2\n", COMPARE_SPACE),  ROW("1\t2\n", "1 2\n", COMPARE_SPACE),
        ROW("1 2", "1 2\n", COMPARE_SPACE),     ROW("1 2\n", "1 2", COMPARE_SPACE),
        ROW("1 2\r\n", "1 2\n", COMPARE_SPACE), ROW(" 1 2\n", "1 2\n", COMPARE_SPACE),
        ROW("1 2\n\n", "1 2\n", COMPARE_SPACE), ROW("1 3\n", "1 2\n", COMPARE_TOKEN),
        ROW("1\n", "1 2\n", COMPARE_MISSING),   ROW("1 2 3\n", "1 2\n", COMPARE_EXTRA),
        ROW("", "\n", COMPARE_SPACE),
    };
    CHECK_ROWS(rules, rows);
}

static void numbers_are_near_by_absolute_or_relative_error(void **state) {
    (void)state;
    const struct compare_rules rules = {.kind = CHECKER_TOKENS,
                                        .has_absolute = true,
                                        .has_relative = true,
                                        .absolute = 1e-6L,
                                        .relative = 1e-6L};
    static const struct row rows[] = {
        ROW("1.0", "1", COMPARE_EQUAL),
        ROW("1e0", "1", COMPARE_EQUAL),
        ROW("+1", "1", COMPARE_EQUAL),
        ROW("0x1p4", "16", COMPARE_EQUAL),
        ROW("0.0000005", "0", COMPARE_EQUAL),
        ROW("0.000002", "0", COMPARE_NUMBER),
        ROW("-0", "0", COMPARE_EQUAL),
        ROW("1000000.5", "1000000", COMPARE_EQUAL), /* relative */
        ROW("1000002", "1000000", COMPARE_NUMBER),  /* neither */
        ROW("1000000", "1000002", COMPARE_NUMBER),
        ROW("1.00000099", "1.0", COMPARE_EQUAL),
        ROW("nan", "NaN", COMPARE_EQUAL),
        ROW("-nan", "nan", COMPARE_EQUAL),
        ROW("nan", "1", COMPARE_NUMBER),
        ROW("1", "nan", COMPARE_NUMBER),
        ROW("inf", "Infinity", COMPARE_EQUAL),
        ROW("-inf", "inf", COMPARE_NUMBER),
        ROW("1e4932", "inf", COMPARE_NUMBER),
        ROW("1e9999", "inf", COMPARE_EQUAL), /* it overflows to infinity */
        ROW("inf", "1e4000", COMPARE_NUMBER),
        ROW("1e4000", "1e4000", COMPARE_EQUAL), /* long double: no double holds it */
        ROW("x", "1", COMPARE_NUMBER),
        ROW("1x", "1", COMPARE_NUMBER),
        ROW("1,5", "1.5", COMPARE_NUMBER),
        ROW("1\0", "1", COMPARE_NUMBER),
        ROW("1", "x", COMPARE_TOKEN), /* the answer has no number: text */
        ROW("Impossible", "IMPOSSIBLE", COMPARE_EQUAL),
        ROW("1.0 abc 2.0000001\n", "1 ABC 2\n", COMPARE_EQUAL),
        ROW("1.0 2.0", "1", COMPARE_EXTRA),
        ROW("1.0", "1 2", COMPARE_MISSING),

    };
    CHECK_ROWS(rules, rows);
}

static void one_tolerance_alone_does_not_bring_the_other(void **state) {
    (void)state;
    const struct compare_rules absolute = {
        .kind = CHECKER_TOKENS, .has_absolute = true, .absolute = 0.5L};
    const struct compare_rules relative = {
        .kind = CHECKER_TOKENS, .has_relative = true, .relative = 0.5L};
    const struct compare_rules zero = {.kind = CHECKER_TOKENS, .has_absolute = true};
    static const struct row by_absolute[] = {ROW("1000000.4", "1000000", COMPARE_EQUAL),
                                             ROW("1000001", "1000000", COMPARE_NUMBER)};
    static const struct row by_relative[] = {
        ROW("1400000", "1000000", COMPARE_EQUAL), ROW("0.1", "0", COMPARE_NUMBER),
        ROW("0.0", "0", COMPARE_EQUAL), ROW("-1.4", "-1", COMPARE_EQUAL)};
    static const struct row by_zero[] = {
        ROW("1.000", "1", COMPARE_EQUAL), ROW("1.001", "1", COMPARE_NUMBER),
        /* long double keeps apart what a double would not */
        ROW("9007199254740993", "9007199254740992", COMPARE_NUMBER)};

    CHECK_ROWS(absolute, by_absolute);
    CHECK_ROWS(relative, by_relative);
    CHECK_ROWS(zero, by_zero);
}

static void a_very_long_token_is_text_even_with_a_tolerance(void **state) {
    (void)state;
    const struct compare_rules rules = {
        .kind = CHECKER_TOKENS, .has_absolute = true, .absolute = 10};
    char digits[5000];
    char others[5000];
    memset(digits, '1', sizeof digits);
    memset(others, '1', sizeof others);
    others[4999] = '2';

    assert_int_equal(compare(&rules, str_of(digits, 5000), str_of(others, 5000)).why,
                     COMPARE_TOKEN);
    assert_int_equal(compare(&rules, str_of(digits, 5000), str_of(digits, 5000)).why,
                     COMPARE_EQUAL);
}

static void lines_must_break_between_the_same_tokens(void **state) {
    (void)state;
    const struct compare_rules rules = {.kind = CHECKER_LINES, .case_sensitive = true};
    static const struct row rows[] = {
        ROW("1 2\n3\n", "1 2\n3\n", COMPARE_EQUAL),
        ROW("1  2 \t\n3", "1 2\n3\n", COMPARE_EQUAL),
        ROW("1 2\r\n3\r\n", "1 2\n3\n", COMPARE_EQUAL),
        ROW("1 2\n3\n\n\n", "1 2\n3", COMPARE_EQUAL),
        ROW("1 2 3\n", "1 2\n3\n", COMPARE_SPACE),
        ROW("1\n2\n3\n", "1 2\n3\n", COMPARE_SPACE),
        ROW("1 2\n\n3\n", "1 2\n3\n", COMPARE_SPACE),
        ROW("\n1 2\n3\n", "1 2\n3\n", COMPARE_SPACE),
        ROW("1 2\n", "1 2\n3\n", COMPARE_MISSING),
        ROW("1 2\n3\n4\n", "1 2\n3\n", COMPARE_EXTRA),
        ROW("a\n", "A\n", COMPARE_TOKEN),
        ROW("\n\n", "a\n", COMPARE_NO_OUTPUT),
    };
    CHECK_ROWS(rules, rows);
}

static void exact_means_every_byte(void **state) {
    (void)state;
    const struct compare_rules rules = {.kind = CHECKER_EXACT};
    static const struct row rows[] = {
        ROW("", "", COMPARE_EQUAL),           ROW("a b\n", "a b\n", COMPARE_EQUAL),
        ROW("a b", "a b\n", COMPARE_MISSING), ROW("a b\n", "a b", COMPARE_EXTRA),
        ROW("a B\n", "a b\n", COMPARE_TOKEN), ROW("a\0b", "a\0c", COMPARE_TOKEN),
        ROW("", "a", COMPARE_NO_OUTPUT),      ROW("a", "", COMPARE_EXTRA),
    };
    CHECK_ROWS(rules, rows);
    assert_true(compare(&rules, STR("a b"), STR("a b\n")).only_space);
    assert_false(compare(&rules, STR("a B\n"), STR("a b\n")).only_space);
}

#define DIGITS_49 "1234567123456712345671234567123456712345671234567"
#define ZEROS_14 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define ZEROS_56 ZEROS_14 ZEROS_14 ZEROS_14 ZEROS_14

static void unordered_lines_are_a_set_with_repetitions(void **state) {
    (void)state;
    const struct compare_rules rules = {.kind = CHECKER_UNORDERED_LINES};
    const struct compare_rules sensitive = {.kind = CHECKER_UNORDERED_LINES,
                                            .case_sensitive = true};
    static const struct row rows[] = {
        ROW("b\na\n", "a\nb\n", COMPARE_EQUAL),
        ROW("b  x\n\n\na", "A\nB x\n", COMPARE_EQUAL),
        ROW("a\na\nb\n", "a\nb\nb\n", COMPARE_SET),
        ROW("a\nb\n", "a\nb\nb\n", COMPARE_SET),
        ROW("a b\n", "a\nb\n", COMPARE_SET),
        ROW("ab\n", "a b\n", COMPARE_SET),
        ROW("", "a", COMPARE_NO_OUTPUT),
        ROW("", "\n", COMPARE_EQUAL),
        ROW("a", "", COMPARE_SET),
        ROW("x y\n", "y x\n", COMPARE_SET), /* tokens keep their order */
    };
    static const struct row by_case[] = {ROW("b\nA\n", "a\nb\n", COMPARE_SET),
                                         ROW("b\nA\n", "A\nb\n", COMPARE_EQUAL)};
    static const struct row long_lines[] = {
        /* where a line is cut into words and blocks of words, nothing may be taken for another */
        ROW(DIGITS_49 "abcd567", DIGITS_49 "abcd567", COMPARE_EQUAL),
        ROW(DIGITS_49 "abc", DIGITS_49 "abc\1\0\0\0", COMPARE_SET),
        ROW(DIGITS_49 "abcdefg", DIGITS_49 "abcdefg\1", COMPARE_SET),
        ROW(DIGITS_49 "abcdefg", DIGITS_49 "abcdefg\0", COMPARE_SET),
        ROW(DIGITS_49 "abcdefg", DIGITS_49 "abcdefh", COMPARE_SET),
        ROW(ZEROS_56 "x", "x", COMPARE_SET),
        ROW(ZEROS_56 ZEROS_56 "x", ZEROS_56 "x", COMPARE_SET),
        ROW("\0", "\0\0", COMPARE_SET),
        ROW("\1", "\1\0", COMPARE_SET),
        ROW("\0", "\n", COMPARE_SET),
    };
    CHECK_ROWS(rules, rows);
    CHECK_ROWS(sensitive, by_case);
    CHECK_ROWS(sensitive, long_lines);
}

static void a_missing_file_is_an_empty_one(void **state) {
    (void)state;
    const struct compare_rules rules = {.kind = CHECKER_TOKENS};
    own_fd some = file_of(STR("1"));
    struct compare_result result = {0};
    struct err err = {0};

    assert_true(compare_files(&rules, -1, -1, &result, &err));
    assert_int_equal(result.why, COMPARE_EQUAL);
    assert_true(compare_files(&rules, -1, some, &result, &err));
    assert_int_equal(result.why, COMPARE_NO_OUTPUT);
}

static void an_unreadable_file_is_the_nodes_fault(void **state) {
    (void)state;
    const struct compare_rules rules = {.kind = CHECKER_TOKENS};
    own_fd output = file_of(STR("1"));
    struct compare_result result = {0};
    struct err err = {0};
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);

    assert_false(compare_files(&rules, output, pipes[0], &result, &err));

    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_int_equal(err.fault, FAULT_NODE);
    assert_non_null(strstr(err.text, "expected answer"));
    (void)close(pipes[0]);
    (void)close(pipes[1]);
}

static void the_place_of_the_difference_is_told(void **state) {
    (void)state;
    const struct compare_rules rules = {.kind = CHECKER_TOKENS};
    static const struct {
        const char *output;
        const char *answer;
        int64_t line;
        int64_t token;
    } rows[] = {
        {"1 2\n3 5\n", "1 2\n3 4\n", 2, 2},
        {"5", "4", 1, 1},
        {"  5", "4", 1, 1},
        {"\n\n 1  x", "1 y", 3, 2},
        {"1 2 3", "1 2", 1, 3},
        {"1\n2\n", "1\n2\n3\n", 3, 1},
        {"1 2", "1 2 3", 1, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct compare_result result =
            compare(&rules, str_from(rows[i].output), str_from(rows[i].answer));
        if (result.line != rows[i].line || result.token != rows[i].token) {
            fail_msg("row %zu: line %lld, token %lld", i, (long long)result.line,
                     (long long)result.token);
        }
    }
}

/* ---- beyond one window ---- */

#define BIG_BYTES ((size_t)1 * MIB)

/* Tokens of up to token_max bytes, white space in between. */
static char *make_big(uint64_t seed, int64_t token_max) {
    char *text = malloc(BIG_BYTES);
    assert_non_null(text);
    struct random_seeded seeded;
    random_seeded_init(&seeded, seed);
    size_t at = 0;
    while (at < BIG_BYTES) {
        int64_t length = random_below(&seeded.random, token_max) + 1;
        for (; length > 0 && at < BIG_BYTES; length--) {
            text[at++] = (char)('a' + random_below(&seeded.random, 26));
        }
        if (at < BIG_BYTES) {
            text[at++] = random_below(&seeded.random, 8) == 0 ? '\n' : ' ';
        }
    }
    return text;
}

static void long_files_and_long_tokens_compare_right(void **state) {
    (void)state;
    const struct compare_rules tokens = {.kind = CHECKER_TOKENS};
    const struct compare_rules lines = {.kind = CHECKER_LINES};
    const struct compare_rules exact = {.kind = CHECKER_EXACT};
    const struct compare_rules set = {.kind = CHECKER_UNORDERED_LINES};
    static const int64_t token_max[] = {10, 1000, 700000, 4 * (int64_t)BIG_BYTES};
    for (size_t i = 0; i < sizeof token_max / sizeof token_max[0]; i++) {
        char *text = make_big(i, token_max[i]);
        char *shifted = malloc(BIG_BYTES + 1);
        assert_non_null(shifted);
        shifted[0] = ' ';
        memcpy(shifted + 1, text, BIG_BYTES);
        struct str big = str_of(text, BIG_BYTES);
        struct str moved = str_of(shifted, BIG_BYTES + 1);

        assert_int_equal(compare(&tokens, big, big).why, COMPARE_EQUAL);
        assert_int_equal(compare(&exact, big, big).why, COMPARE_EQUAL);
        assert_int_equal(compare(&tokens, moved, big).why, COMPARE_EQUAL);
        assert_int_equal(compare(&lines, big, moved).why, COMPARE_EQUAL);
        assert_int_equal(compare(&set, big, moved).why, COMPARE_EQUAL);
        assert_int_equal(compare(&exact, moved, big).why, COMPARE_TOKEN);
        shifted[BIG_BYTES] = '!';
        assert_int_equal(compare(&tokens, moved, big).why, COMPARE_TOKEN);
        assert_int_equal(compare(&tokens, big, moved).why, COMPARE_TOKEN);
        assert_int_equal(compare(&lines, moved, big).why, COMPARE_TOKEN);
        assert_int_equal(compare(&set, moved, big).why, COMPARE_SET);
        free(text);
        free(shifted);
    }
}

static void a_gap_longer_than_the_window_is_still_one_gap(void **state) {
    (void)state;
    const struct compare_rules tokens = {.kind = CHECKER_TOKENS};
    const struct compare_rules lines = {.kind = CHECKER_LINES};
    char *text = malloc(BIG_BYTES);
    assert_non_null(text);
    memset(text, '\n', BIG_BYTES);
    text[0] = 'a';
    text[BIG_BYTES - 1] = 'b';

    struct str gap = str_of(text, BIG_BYTES);
    assert_int_equal(compare(&tokens, gap, STR("a b")).why, COMPARE_EQUAL);
    assert_int_equal(compare(&lines, gap, STR("a\nb")).why, COMPARE_SPACE);
    assert_int_equal(compare(&tokens, str_sub(gap, 0, BIG_BYTES - 1), STR("a")).why, COMPARE_EQUAL);
    assert_int_equal(compare(&tokens, gap, STR("a")).line, (int64_t)BIG_BYTES - 1);
    free(text);
}

/* ---- bad outputs, by each rule ---- */

/* clang-format off */
static const struct compare_rules each_rule[] = {
    {.kind = CHECKER_EXACT},
    {.kind = CHECKER_TOKENS},
    {.kind = CHECKER_TOKENS, .case_sensitive = true, .space_sensitive = true},
    {.kind = CHECKER_TOKENS, .has_absolute = true, .absolute = 1e-6L},
    {.kind = CHECKER_LINES, .case_sensitive = true},
    {.kind = CHECKER_UNORDERED_LINES, .case_sensitive = true},
};

#define OK COMPARE_EQUAL
#define TOKEN COMPARE_TOKEN
#define NUMBER COMPARE_NUMBER
#define SPACE COMPARE_SPACE
#define EARLY COMPARE_MISSING
#define EXTRA COMPARE_EXTRA
#define NONE COMPARE_NO_OUTPUT
#define SET COMPARE_SET

static const struct {
    struct row row; /* `why` is not used */
    enum compare_why by_rule[sizeof each_rule / sizeof each_rule[0]];
} bad_rows[] = {
    /*                                                 exact  tokens  spaces  numbers lines  set */
    {ROW("1\0\n2\n", "1\n2\n", OK),                   {TOKEN, TOKEN,  TOKEN,  NUMBER, TOKEN, SET}},
    {ROW("1\n2\n\0", "1\n2\n", OK),                   {EXTRA, EXTRA,  EXTRA,  EXTRA,  EXTRA, SET}},
    {ROW("1\n2", "1\n2\n", OK),                        {EARLY, OK,     SPACE,  OK,     OK,    OK}},
    {ROW("1\r\n2\r\n", "1\n2\n", OK),                 {TOKEN, OK,     SPACE,  OK,     OK,    OK}},
    {ROW("1\r2\r", "1\n2\n", OK),                      {TOKEN, OK,     SPACE,  OK,     SPACE, SET}},
    {ROW("\xef\xbb\xbf\x31\n2\n", "1\n2\n", OK),       {TOKEN, TOKEN,  TOKEN,  NUMBER, TOKEN, SET}},
    {ROW("\xff\n2\n", "1\n2\n", OK),                   {TOKEN, TOKEN,  TOKEN,  NUMBER, TOKEN, SET}},
    {ROW("\xff\xc3\n", "\xff\xc3\n", OK),              {OK,    OK,     OK,     OK,     OK,    OK}},
    {ROW("\xe2\x80\xa8\n", "\n", OK),                   {TOKEN, EXTRA,  EXTRA,  EXTRA,  EXTRA, SET}},
    {ROW("", "1\n2\n", OK),                            {NONE,  NONE,   NONE,   NONE,   NONE,  NONE}},
    {ROW(" \r\n\t", "1\n2\n", OK),                     {TOKEN, NONE,   NONE,   NONE,   NONE,  NONE}},
    {ROW("", "", OK),                                  {OK,    OK,     OK,     OK,     OK,    OK}},
    {ROW("1\n2\n", "", OK),                            {EXTRA, EXTRA,  EXTRA,  EXTRA,  EXTRA, SET}},
};
/* clang-format on */

static void bad_outputs_get_their_verdict_by_each_rule(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad_rows / sizeof bad_rows[0]; i++) {
        for (size_t rule = 0; rule < sizeof each_rule / sizeof each_rule[0]; rule++) {
            struct compare_result result =
                compare(&each_rule[rule], bad_rows[i].row.output, bad_rows[i].row.answer);
            own_buf message = {0};
            buf_init(&message, 4 * KIB);
            compare_message(&result, true, &message);
            if (result.why != bad_rows[i].by_rule[rule]) {
                fail_msg("row %zu, rule %zu: %d", i, rule, (int)result.why);
            }
            for (struct str rest = buf_str(&message); rest.len > 0;) {
                size_t length = str_utf8_len(rest);
                assert_true(length > 0); /* what a student reads is text */
                rest = str_sub(rest, length, rest.len);
            }
        }
    }
}

/* A file with a hole: it takes no memory and reads as zeros. */
static void a_gigabyte_of_output_is_read_in_constant_memory(void **state) {
    (void)state;
    own_fd output = file_of(STR("1\n2\n"));
    own_fd answer = file_of(STR("1\n2\n"));
    assert_int_equal(ftruncate(output, (off_t)1 << 30), 0);
    for (size_t rule = 0; rule < sizeof each_rule / sizeof each_rule[0]; rule++) {
        struct compare_result result = {0};
        struct err err = {0};
        if (each_rule[rule].kind == CHECKER_UNORDERED_LINES) {
            assert_int_equal(ftruncate(output, (off_t)1 << 27), 0); /* it reads to the end */
        }
        assert_true(compare_files(&each_rule[rule], output, answer, &result, &err));
        assert_int_equal(result.why, each_rule[rule].kind == CHECKER_UNORDERED_LINES ? SET : EXTRA);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_outputs_get_their_verdict_by_each_rule),
        cmocka_unit_test(a_gigabyte_of_output_is_read_in_constant_memory),
        cmocka_unit_test(tokens_ignore_white_space_and_case),
        cmocka_unit_test(letters_count_when_the_rules_say_so),
        cmocka_unit_test(white_space_counts_when_the_rules_say_so),
        cmocka_unit_test(numbers_are_near_by_absolute_or_relative_error),
        cmocka_unit_test(one_tolerance_alone_does_not_bring_the_other),
        cmocka_unit_test(a_very_long_token_is_text_even_with_a_tolerance),
        cmocka_unit_test(lines_must_break_between_the_same_tokens),
        cmocka_unit_test(exact_means_every_byte),
        cmocka_unit_test(unordered_lines_are_a_set_with_repetitions),
        cmocka_unit_test(a_missing_file_is_an_empty_one),
        cmocka_unit_test(an_unreadable_file_is_the_nodes_fault),
        cmocka_unit_test(the_place_of_the_difference_is_told),
        cmocka_unit_test(long_files_and_long_tokens_compare_right),
        cmocka_unit_test(a_gap_longer_than_the_window_is_still_one_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
