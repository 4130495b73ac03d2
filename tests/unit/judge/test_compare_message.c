/* The sentence about a wrong answer. */
#include "judge/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static struct compare_result difference(enum compare_why why) {
    struct compare_result result = {.why = why, .line = 3, .token = 2};
    memcpy(result.expected, "secret", 6);
    result.expected_bytes = 6;
    memcpy(result.got, "mine", 4);
    result.got_bytes = 4;
    return result;
}

static struct str say(const struct compare_result *result, bool show, struct buf *into) {
    buf_init(into, 4096);
    compare_message(result, show, into);
    return buf_str(into);
}

static bool contains(struct str text, const char *part) {
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static void a_secret_case_shows_neither_side(void **state) {
    (void)state;
    for (int why = COMPARE_NO_OUTPUT; why <= COMPARE_SET; why++) {
        struct compare_result result = difference((enum compare_why)why);
        own_buf buffer = {0};

        struct str text = say(&result, false, &buffer);

        assert_true(text.len > 0);
        assert_false(contains(text, "secret"));
        assert_false(contains(text, "mine"));
    }
}

static void each_difference_has_its_words(void **state) {
    (void)state;
    static const struct {
        enum compare_why why;
        bool show;
        const char *text;
    } rows[] = {
        {COMPARE_EQUAL, true, ""},
        {COMPARE_NO_OUTPUT, true, "no output"},
        {COMPARE_TOKEN, false, "line 3, token 2 is wrong"},
        {COMPARE_TOKEN, true, "line 3, token 2: expected \"secret\", got \"mine\""},
        {COMPARE_NUMBER, false, "line 3, token 2 is not a number within the tolerance"},
        {COMPARE_MISSING, false, "the output ends too early, in line 3"},
        {COMPARE_MISSING, true, "the output ends too early, in line 3: next would be \"secret\""},
        {COMPARE_EXTRA, false, "line 3, token 2: the output goes on where it should end"},
        {COMPARE_SPACE, false, "line 3: white space or line breaks differ"},
        {COMPARE_SET, false, "these are not the expected lines"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct compare_result result = difference(rows[i].why);
        own_buf buffer = {0};
        if (!str_eq_c(say(&result, rows[i].show, &buffer), rows[i].text)) {
            fail_msg("row %zu: %s", i, buf_c(&buffer));
        }
    }
}

static void white_space_alone_is_hinted_at(void **state) {
    (void)state;
    struct compare_result result = difference(COMPARE_SPACE);
    own_buf buffer = {0};
    result.only_space = true;

    assert_true(contains(say(&result, false, &buffer), "(only white space differs)"));
}

static void odd_and_long_tokens_become_short_valid_text(void **state) {
    (void)state;
    struct compare_result result = difference(COMPARE_TOKEN);
    own_buf buffer = {0};
    memset(result.expected, 'x', sizeof result.expected);
    result.expected_bytes = 100000;
    memcpy(result.got, "a\0\xff\x1b", 4);
    /* a sequence that the excerpt's end cuts */
    memcpy(result.expected + COMPARE_EXCERPT_BYTES_MAX - 2, "\xe4\xbd", 2);

    struct str text = say(&result, true, &buffer);

    assert_true(str_is_utf8(text));
    assert_true(text.len < 200);
    assert_true(contains(text, "xxx...\""));
    assert_true(contains(text, "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_secret_case_shows_neither_side),
        cmocka_unit_test(each_difference_has_its_words),
        cmocka_unit_test(white_space_alone_is_hinted_at),
        cmocka_unit_test(odd_and_long_tokens_become_short_valid_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
