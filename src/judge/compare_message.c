/* What a student reads about a wrong answer. */
#include "judge/compare.h"

static void add_excerpt(struct buf *into, const char *excerpt_bytes, size_t whole_bytes) {
    struct str rest =
        str_of(excerpt_bytes,
               whole_bytes < COMPARE_EXCERPT_BYTES_MAX ? whole_bytes : COMPARE_EXCERPT_BYTES_MAX);
    (void)buf_append_char(into, '"');
    while (rest.len > 0) {
        size_t length = str_utf8_len(rest);
        bool cut_tail = length == 0 && rest.len < 4 && whole_bytes > COMPARE_EXCERPT_BYTES_MAX;
        if (cut_tail) {
            break;
        }
        bool plain = length > 1 || (length == 1 && rest.ptr[0] >= ' ' && rest.ptr[0] != 0x7f);
        (void)buf_append(into, plain ? str_sub(rest, 0, length) : STR("\xef\xbf\xbd"));
        rest = str_sub(rest, length == 0 ? 1 : length, rest.len);
    }
    (void)buf_append_c(into, whole_bytes > COMPARE_EXCERPT_BYTES_MAX ? "...\"" : "\"");
}

static void add_expected(const struct compare_result *result, bool show, const char *otherwise,
                         struct buf *into) {
    if (!show) {
        (void)buf_append_c(into, otherwise);
        return;
    }
    (void)buf_append_c(into, ": expected ");
    add_excerpt(into, result->expected, result->expected_bytes);
    (void)buf_append_c(into, ", got ");
    add_excerpt(into, result->got, result->got_bytes);
}

static void add_place(const struct compare_result *result, struct buf *into) {
    (void)buf_printf(into, "line %lld, token %lld", (long long)result->line,
                     (long long)result->token);
}

void compare_message(const struct compare_result *result, bool show, struct buf *into) {
    switch (result->why) {
    case COMPARE_EQUAL: return;
    case COMPARE_NO_OUTPUT: (void)buf_append_c(into, "no output"); return;
    case COMPARE_TOKEN:
        add_place(result, into);
        add_expected(result, show, " is wrong", into);
        break;
    case COMPARE_NUMBER:
        add_place(result, into);
        add_expected(result, show, " is not a number within the tolerance", into);
        break;
    case COMPARE_MISSING:
        (void)buf_printf(into, "the output ends too early, in line %lld", (long long)result->line);
        if (show && result->expected_bytes > 0) {
            (void)buf_append_c(into, ": next would be ");
            add_excerpt(into, result->expected, result->expected_bytes);
        }
        break;
    case COMPARE_EXTRA:
        add_place(result, into);
        (void)buf_append_c(into, ": the output goes on where it should end");
        break;
    case COMPARE_SPACE:
        (void)buf_printf(into, "line %lld: white space or line breaks differ",
                         (long long)result->line);
        break;
    case COMPARE_SET: (void)buf_append_c(into, "these are not the expected lines"); break;
    }
    if (result->only_space) {
        (void)buf_append_c(into, " (only white space differs)");
    }
}
