/* The built-in checkers against simple ones, on texts made at random: whatever is done for speed,
 * reason, place and excerpts are those that a reader of the rules would find. */
#include "base/file.h"
#include "base/limits.h"
#include "base/random.h"
#include "judge/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the simple ones: whole texts, byte by byte ---- */

struct text {
    struct str all;
    size_t at;
};

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

static struct str token_of(const struct text *text) {
    size_t end = text->at;
    while (end < text->all.len && !is_space(text->all.ptr[end])) {
        end++;
    }
    return str_of(text->all.ptr + text->at, end - text->at);
}

static struct str gap_of(const struct text *text) {
    size_t end = text->at;
    while (end < text->all.len && is_space(text->all.ptr[end])) {
        end++;
    }
    return str_of(text->all.ptr + text->at, end - text->at);
}

static int breaks_in(struct str gap) {
    int count = 0;
    for (size_t i = 0; i < gap.len; i++) {
        count += gap.ptr[i] == '\n' ? 1 : 0;
    }
    return count;
}

static bool same_letters(struct str a, struct str b, bool case_sensitive) {
    bool same = a.len == b.len;
    for (size_t i = 0; same && i < a.len; i++) {
        same = a.ptr[i] == b.ptr[i] || (!case_sensitive && tolower((unsigned char)a.ptr[i]) ==
                                                               tolower((unsigned char)b.ptr[i]));
    }
    return same;
}

static bool number_of(struct str token, long double *ret_value) {
    char text[4096] = {0};
    char *end = NULL;
    if (token.len == 0 || token.len >= sizeof text) {
        return false;
    }
    memcpy(text, token.ptr, token.len);
    *ret_value = strtold(text, &end);
    return end == text + token.len;
}

static bool numbers_near(const struct compare_rules *rules, long double expected, long double got) {
    if (isnan(expected) || isnan(got)) {
        return isnan(expected) && isnan(got);
    }
    if (isinf(expected) || isinf(got)) {
        return expected == got;
    }
    return (rules->has_absolute && fabsl(expected - got) <= rules->absolute) ||
           (rules->has_relative && fabsl(expected - got) <= rules->relative * fabsl(expected));
}

static enum compare_why simple_token(const struct compare_rules *rules, struct str expected,
                                     struct str got) {
    long double a = 0;
    long double b = 0;
    bool text_same = same_letters(expected, got, rules->case_sensitive);
    if (same_letters(expected, got, true)) {
        return COMPARE_EQUAL;
    }
    if ((rules->has_absolute || rules->has_relative) && number_of(expected, &a)) {
        return number_of(got, &b) && numbers_near(rules, a, b) ? COMPARE_EQUAL : COMPARE_NUMBER;
    }
    return text_same ? COMPARE_EQUAL : COMPARE_TOKEN;
}

static void note(struct compare_result *result, enum compare_why why, const struct text *output,
                 const struct text *answer) {
    struct str expected = token_of(answer);
    struct str got = token_of(output);
    result->why = why;
    result->offset = (int64_t)output->at;
    result->expected_bytes = expected.len;
    result->got_bytes = got.len;
    memcpy(result->expected, expected.ptr, expected.len < 48 ? expected.len : 48);
    memcpy(result->got, got.ptr, got.len < 48 ? got.len : 48);
}

/* The gaps before the next tokens. False: *result says what differs. */
static bool simple_gap(const struct compare_rules *rules, struct text *output, struct text *answer,
                       bool any_token, struct compare_result *result) {
    struct str got = gap_of(output);
    struct str expected = gap_of(answer);
    int64_t offset = (int64_t)output->at;
    output->at += got.len;
    answer->at += expected.len;
    bool output_ends = output->at == output->all.len;
    bool answer_ends = answer->at == answer->all.len;
    bool same = !rules->space_sensitive || same_letters(expected, got, true);
    if (output_ends != answer_ends) {
        enum compare_why early = any_token ? COMPARE_MISSING : COMPARE_NO_OUTPUT;
        note(result, answer_ends ? COMPARE_EXTRA : early, output, answer);
        return false;
    }
    if (!answer_ends && rules->kind == CHECKER_LINES && breaks_in(got) != breaks_in(expected)) {
        same = false;
    }
    if (!same) {
        *result = (struct compare_result){.why = COMPARE_SPACE, .offset = offset};
    }
    return same;
}

static void simple_tokens(const struct compare_rules *rules, struct text output, struct text answer,
                          struct compare_result *result) {
    bool any_token = false;
    while (simple_gap(rules, &output, &answer, any_token, result) && answer.at < answer.all.len) {
        struct str expected = token_of(&answer);
        struct str got = token_of(&output);
        enum compare_why why = simple_token(rules, expected, got);
        any_token = true;
        if (why != COMPARE_EQUAL) {
            note(result, why, &output, &answer);
            return;
        }
        output.at += got.len;
        answer.at += expected.len;
    }
}

/* The lines' tokens, one space apart, sorted; without blank lines. */
static int by_text(const void *a, const void *b) {
    const struct str *one = a;
    const struct str *other = b;
    int order = memcmp(one->ptr, other->ptr, one->len < other->len ? one->len : other->len);
    return order != 0 ? order : (one->len > other->len) - (one->len < other->len);
}

static struct str plain_line(struct str line, bool case_sensitive) {
    char *plain = malloc(line.len + 1);
    size_t length = 0;
    assert_non_null(plain);
    for (size_t i = 0; i < line.len; i++) {
        bool ends_gap = i > 0 && is_space(line.ptr[i - 1]) && length > 0;
        if (!is_space(line.ptr[i])) {
            plain[length] = ' ';
            length += ends_gap ? 1 : 0;
            plain[length++] =
                case_sensitive ? line.ptr[i] : (char)tolower((unsigned char)line.ptr[i]);
        }
    }
    return str_of(plain, length);
}

static size_t lines_of(struct str all, bool case_sensitive, struct str *lines) {
    size_t count = 0;
    struct str head = {0};
    while (all.len > 0) {
        struct str tail = {0};
        if (!str_cut(all, '\n', &head, &tail)) {
            head = all;
            tail = str_of(all.ptr, 0);
        }
        lines[count] = plain_line(head, case_sensitive);
        if (lines[count].len > 0) {
            count++;
        } else {
            free((void *)(uintptr_t)lines[count].ptr);
        }
        all = tail;
    }
    qsort(lines, count, sizeof *lines, by_text);
    return count;
}

static void simple_lines(const struct compare_rules *rules, struct str output, struct str answer,
                         struct compare_result *result) {
    struct str *got = calloc(output.len + 1, sizeof *got);
    struct str *expected = calloc(answer.len + 1, sizeof *expected);
    assert_non_null(got);
    assert_non_null(expected);
    size_t got_count = lines_of(output, rules->case_sensitive, got);
    size_t expected_count = lines_of(answer, rules->case_sensitive, expected);
    bool same = got_count == expected_count;
    for (size_t i = 0; same && i < got_count; i++) {
        same = str_eq(got[i], expected[i]);
    }
    if (!same) {
        result->why = got_count == 0 ? COMPARE_NO_OUTPUT : COMPARE_SET;
    }
    for (size_t i = 0; i < got_count; i++) {
        free((void *)(uintptr_t)got[i].ptr);
    }
    for (size_t i = 0; i < expected_count; i++) {
        free((void *)(uintptr_t)expected[i].ptr);
    }
    free(got);
    free(expected);
}

/* Line and token at an offset. */
static void simple_place(struct str output, struct compare_result *result) {
    result->line = 1;
    result->token = 1;
    for (size_t i = 0; i < (size_t)result->offset; i++) {
        bool ends = i + 1 == output.len || is_space(output.ptr[i + 1]);
        if (output.ptr[i] == '\n') {
            result->line++;
            result->token = 1;
        } else if (!is_space(output.ptr[i]) && ends &&
                   (i + 1 < (size_t)result->offset || i + 1 == output.len)) {
            result->token++;
        }
    }
}

static struct compare_result simple_compare(const struct compare_rules *rules, struct str output,
                                            struct str answer) {
    static const struct compare_rules lenient = {.kind = CHECKER_TOKENS, .case_sensitive = true};
    struct compare_result result = {.why = COMPARE_EQUAL};
    struct compare_result by_tokens = {.why = COMPARE_EQUAL};
    if (rules->kind == CHECKER_UNORDERED_LINES) {
        simple_lines(rules, output, answer, &result);
    } else {
        simple_tokens(rules, (struct text){.all = output}, (struct text){.all = answer}, &result);
        simple_tokens(&lenient, (struct text){.all = output}, (struct text){.all = answer},
                      &by_tokens);
    }
    if (result.why != COMPARE_EQUAL) {
        simple_place(output, &result);
        result.only_space = result.why != COMPARE_NO_OUTPUT && by_tokens.why == COMPARE_EQUAL &&
                            rules->kind != CHECKER_UNORDERED_LINES;
    }
    return result;
}

/* ---- texts ---- */

struct maker {
    struct random_seeded seeded;
    char *bytes;
    size_t len;
    size_t most;
};

static int64_t below(struct maker *maker, int64_t limit) {
    return random_below(&maker->seeded.random, limit);
}

static void put(struct maker *maker, struct str bytes) {
    size_t room = maker->most - maker->len;
    size_t count = bytes.len < room ? bytes.len : room;
    memcpy(maker->bytes + maker->len, bytes.ptr, count);
    maker->len += count;
}

static void put_gap(struct maker *maker, int64_t longest) {
    static const char spaces[] = " \n  \t\n\r \v\f";
    for (int64_t length = 1 + below(maker, longest); length > 0; length--) {
        put(maker, str_of(&spaces[below(maker, sizeof spaces - 1)], 1));
    }
}

static void put_number(struct maker *maker) {
    static const char *const rare[] = {"nan",  "inf", "-INF",  "1e5",  "0x1p3",
                                       "1e-9", "-0",  "1e500", "0.1.", ".5"};
    char text[64];
    long long whole = (long long)below(maker, 3);
    if (below(maker, 8) == 0) {
        put(maker, str_from(rare[below(maker, 10)]));
        return;
    }
    int digits = (int)below(maker, 20);
    int length =
        snprintf(text, sizeof text, "%lld.%0*lld", whole, digits, (long long)below(maker, 4));
    put(maker, str_of(text, (size_t)length));
}

static void put_token(struct maker *maker, int64_t longest) {
    static const char letters[] = "aAbB01\0\xff\xc3\xa4";
    if (below(maker, 3) == 0) {
        put_number(maker);
        return;
    }
    for (int64_t length = 1 + below(maker, longest); length > 0; length--) {
        put(maker, str_of(&letters[below(maker, sizeof letters - 1)], 1));
    }
}

/* `from` with other white space, other cases, other ways to write a number or other bytes, each of
 * them or not. */
static void put_changed(struct maker *maker, struct str from, int64_t longest) {
    bool spaces = below(maker, 2) == 0;
    bool cases = below(maker, 2) == 0;
    bool zeros = below(maker, 3) == 0;
    int64_t every = below(maker, 2) == 0 ? 0 : 1 + below(maker, (int64_t)from.len + 1);
    struct text text = {.all = from};
    while (text.at < from.len) {
        struct str gap = gap_of(&text);
        if (spaces && gap.len > 0 && below(maker, 2) == 0) {
            put_gap(maker, longest);
        } else {
            put(maker, gap);
        }
        text.at += gap.len;
        struct str token = token_of(&text);
        for (size_t i = 0; i < token.len; i++) {
            char c = token.ptr[i];
            if (every > 0 && below(maker, every) == 0) {
                c = "aB1 \n"[below(maker, 5)];
            }
            c = cases && isalpha((unsigned char)c) ? (char)(c ^ 0x20) : c;
            put(maker, str_of(&c, 1));
        }
        if (zeros && token.len > 0 && memchr(token.ptr, '.', token.len) != NULL) {
            put(maker, STR("0"));
        }
        text.at += token.len;
    }
}

/* ---- the comparison ---- */

static int file_of(struct str content) {
    int fd = -1;
    struct err err = {0};
    assert_true(file_memory("test", content, false, &fd, &err));
    return fd;
}

/* clang-format off */
static const struct compare_rules all_rules[] = {
    {.kind = CHECKER_TOKENS},
    {.kind = CHECKER_TOKENS, .case_sensitive = true},
    {.kind = CHECKER_TOKENS, .space_sensitive = true},
    {.kind = CHECKER_TOKENS, .space_sensitive = true, .case_sensitive = true},
    {.kind = CHECKER_TOKENS, .has_absolute = true, .absolute = 1e-3L},
    {.kind = CHECKER_TOKENS, .has_absolute = true, .has_relative = true, .absolute = 1e-9L, .relative = 0.4L},
    {.kind = CHECKER_TOKENS, .has_absolute = true, .absolute = 1e-3L, .space_sensitive = true},
    {.kind = CHECKER_TOKENS, .has_relative = true, .relative = 0, .case_sensitive = true},
    {.kind = CHECKER_LINES},
    {.kind = CHECKER_LINES, .case_sensitive = true},
    {.kind = CHECKER_LINES, .has_absolute = true, .absolute = 1e-3L},
    {.kind = CHECKER_UNORDERED_LINES},
    {.kind = CHECKER_UNORDERED_LINES, .case_sensitive = true},
};
/* clang-format on */

static void check(uint64_t seed, size_t rule, struct str output, struct str answer) {
    const struct compare_rules *rules = &all_rules[rule];
    struct compare_result wanted = simple_compare(rules, output, answer);
    own_fd output_fd = file_of(output);
    own_fd answer_fd = file_of(answer);
    struct compare_result got = {0};
    struct err err = {0};
    assert_true(compare_files(rules, output_fd, answer_fd, &got, &err));
    if (memcmp(&wanted, &got, sizeof wanted) != 0) {
        fail_msg("seed %llu, rule %zu: reason %d at %lld (line %lld, token %lld), not %d at %lld "
                 "(line %lld, token %lld)",
                 (unsigned long long)seed, rule, (int)got.why, (long long)got.offset,
                 (long long)got.line, (long long)got.token, (int)wanted.why,
                 (long long)wanted.offset, (long long)wanted.line, (long long)wanted.token);
    }
}

/* One answer of up to `bytes` bytes and one output made from it, by every rule. */
static void check_seed(uint64_t seed, size_t bytes, int64_t longest) {
    struct maker answer = {.most = bytes, .bytes = malloc(bytes)};
    struct maker output = {.most = 2 * bytes, .bytes = malloc(2 * bytes)};
    assert_non_null(answer.bytes);
    assert_non_null(output.bytes);
    random_seeded_init(&answer.seeded, seed);
    random_seeded_init(&output.seeded, seed + 1);
    bool starts_with_gap = below(&answer, 2) == 0;
    while (answer.len < bytes) {
        if (starts_with_gap) {
            put_gap(&answer, longest);
        }
        put_token(&answer, longest);
        starts_with_gap = true;
    }
    answer.len -= (size_t)below(&answer, (int64_t)bytes);
    put_changed(&output, str_of(answer.bytes, answer.len), longest);
    for (size_t rule = 0; rule < sizeof all_rules / sizeof all_rules[0]; rule++) {
        check(seed, rule, str_of(output.bytes, output.len), str_of(answer.bytes, answer.len));
        check(seed, rule, str_of(answer.bytes, answer.len), str_of(output.bytes, output.len));
    }
    free(answer.bytes);
    free(output.bytes);
}

static bool is_long(void) {
    return getenv("ASSIZE_LONG") != NULL;
}

static void short_texts_compare_as_the_rules_say(void **state) {
    (void)state;
    uint64_t seeds = is_long() ? 200000 : 1200;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        check_seed(seed, 1 + seed % 150, 1 + (int64_t)(seed % 7));
    }
}

/* Beyond the windows of both readers, so that differences and tokens lie across their borders. */
static void long_texts_compare_as_the_rules_say(void **state) {
    (void)state;
    static const int64_t longest[] = {1, 8, 300, 20000, 400000};
    uint64_t seeds = is_long() ? 500 : 10;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        check_seed(seed, (size_t)400 * KIB, longest[seed % 5]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_texts_compare_as_the_rules_say),
        cmocka_unit_test(long_texts_compare_as_the_rules_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
