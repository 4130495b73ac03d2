/* Testlib: an exit status, and a report in XML where one is asked for (`-appes`). The exit status
 * of "partially correct" is its share, which looks like any other answer, so the report is read
 * first, and whoever writes one must exit as it says. Checkers that only follow the command line
 * write none: then the status decides, with testlib's own first words for numbers. */
#include "base/buf.h"
#include "judge/protocol.h"

#define PARTIAL_FULL 200    /* _pc(200) is everything */
#define PARTIAL_STATUS_2 50 /* under TESTSYS its status begins here instead of at 0 */
#define MESSAGE_BYTES_MAX 1024
#define SHARE_MAX 1000000000

enum testlib_outcome {
    TESTLIB_NONE,
    TESTLIB_OK,
    TESTLIB_WRONG,
    TESTLIB_FORMAT,
    TESTLIB_FAIL,
    TESTLIB_POINTS,
    TESTLIB_PARTIAL,
    TESTLIB_SHARE,
};

struct testlib_said {
    enum testlib_outcome outcome;
    struct str number; /* of POINTS, PARTIAL, SHARE */
    struct str message;
};

static const struct outcome_row {
    const char *name; /* in the report; NULL: only a status */
    enum testlib_outcome outcome;
    int status;
} outcome_rows[] = {
    {"accepted", TESTLIB_OK, 0},
    {"wrong-answer", TESTLIB_WRONG, 1},
    {"presentation-error", TESTLIB_FORMAT, 2},
    {"presentation-error", TESTLIB_FORMAT, 4}, /* dirt */
    {"unexpected-eof", TESTLIB_FORMAT, 8},
    {"unexpected-eof", TESTLIB_FORMAT, 2},
    {"fail", TESTLIB_FAIL, 3},
    {"fail", TESTLIB_FAIL, 4},
    {"points", TESTLIB_POINTS, 7},
    {"relative-scoring", TESTLIB_POINTS, 7},
};
#define ROWS (sizeof outcome_rows / sizeof outcome_rows[0])

/* ---- the report ---- */

static bool find(struct str text, struct str part, size_t *ret_at) {
    for (size_t at = 0; at + part.len <= text.len; at++) {
        if (str_starts(str_sub(text, at, text.len), part)) {
            *ret_at = at;
            return true;
        }
    }
    return false;
}

/* The value of ` name = "value"` in a tag. */
static struct str attribute(struct str tag, struct str name) {
    size_t at = 0;
    struct str value = STR("");
    struct str rest = STR("");
    if (!find(tag, name, &at)) {
        return STR("");
    }
    rest = str_trim(str_sub(tag, at + name.len, tag.len));
    if (!str_starts(rest, STR("="))) {
        return STR("");
    }
    rest = str_trim(str_sub(rest, 1, rest.len));
    if (!str_starts(rest, STR("\""))) {
        return STR("");
    }
    return str_cut(str_sub(rest, 1, rest.len), '"', &value, &rest) ? value : STR("");
}

static struct str unescape(struct arena *arena, struct str text) {
    static const struct {
        struct str entity;
        char c;
    } rows[] = {{STR("&lt;"), '<'}, {STR("&gt;"), '>'}, {STR("&quot;"), '"'}, {STR("&amp;"), '&'}};
    own_buf plain = {0};
    buf_init(&plain, text.len + 1);
    while (text.len > 0) {
        size_t used = 1;
        char c = text.ptr[0];
        for (size_t i = 0; i < sizeof rows / sizeof rows[0] && c == '&'; i++) {
            if (str_starts(text, rows[i].entity)) {
                c = rows[i].c;
                used = rows[i].entity.len;
                break;
            }
        }
        (void)buf_append_char(&plain, c);
        text = str_sub(text, used, text.len);
    }
    return arena_str(arena, buf_str(&plain));
}

static bool read_report(struct str report, struct arena *arena, struct testlib_said *said,
                        struct err *err) {
    struct str tag = STR("");
    struct str rest = STR("");
    size_t at = 0;
    if (!find(report, STR("<result"), &at) ||
        !str_cut(str_sub(report, at, report.len), '>', &tag, &rest)) {
        return protocol_broken(err, "wrote a report that is not testlib's");
    }
    struct str name = attribute(tag, STR(" outcome"));
    for (size_t i = 0; i < ROWS && said->outcome == TESTLIB_NONE; i++) {
        said->outcome =
            str_eq_c(name, outcome_rows[i].name) ? outcome_rows[i].outcome : TESTLIB_NONE;
    }
    said->number = attribute(tag, STR(" points"));
    if (str_eq_c(name, "partially-correct")) {
        said->outcome = TESTLIB_PARTIAL;
        said->number = attribute(tag, STR(" pctype"));
    }
    if (said->outcome == TESTLIB_NONE) {
        return protocol_broken(err, "reported an outcome that testlib does not have");
    }
    said->message =
        unescape(arena, find(rest, STR("</result>"), &at) ? str_sub(rest, 0, at) : rest);
    return true;
}

static bool status_fits(const struct testlib_said *said, int status) {
    struct err ignored = {0};
    int64_t share = 0;
    if (said->outcome == TESTLIB_PARTIAL) {
        return str_to_i64(said->number, 0, PARTIAL_FULL, &share, &ignored) &&
               (status == share || status == PARTIAL_STATUS_2 + share);
    }
    for (size_t i = 0; i < ROWS; i++) {
        if (outcome_rows[i].outcome == said->outcome && outcome_rows[i].status == status) {
            return true;
        }
    }
    return false;
}

/* ---- without a report ---- */

/* "partially correct (40) because": testlib's own words, at the beginning of standard error. */
static bool read_partial_words(const struct protocol_said *said, struct testlib_said *ret_said) {
    static const struct str begin = STR("partially correct (");
    struct testlib_said partial = {.outcome = TESTLIB_PARTIAL};
    if (!str_starts(said->errors, begin) ||
        !str_cut(str_sub(said->errors, begin.len, said->errors.len), ')', &partial.number,
                 &partial.message) ||
        !status_fits(&partial, said->exit_code)) {
        return false;
    }
    partial.message = str_trim(partial.message);
    *ret_said = partial;
    return true;
}

/* The last line that says "points X". */
static void read_points_words(struct str errors, struct testlib_said *said) {
    static const struct str begin = STR("points ");
    struct str line = STR("");
    while (str_next_line(&errors, &line)) {
        struct str word = STR("");
        struct str rest = str_sub(line, begin.len, line.len);
        if (str_starts(line, begin) && str_next_word(&rest, &word)) {
            said->number = word;
        }
    }
}

/* DMOJ's dialect for COCI: a line "partial X/Y" where stock testlib says "points X". */
static void read_share_words(struct str errors, struct testlib_said *said) {
    static const struct str begin = STR("partial ");
    struct str line = STR("");
    while (str_next_line(&errors, &line)) {
        struct str rest = str_sub(line, begin.len, line.len);
        if (str_starts(line, begin)) {
            said->outcome = TESTLIB_SHARE;
            said->number = rest;
        }
    }
}

static bool parse_share(struct str text, struct ratio *ret_value) {
    struct err ignored = {0};
    struct str over = STR("");
    struct str under = STR("");
    return str_cut(str_trim(text), '/', &over, &under) &&
           str_to_i64(over, 0, SHARE_MAX, &ret_value->over, &ignored) &&
           str_to_i64(under, 1, SHARE_MAX, &ret_value->under, &ignored);
}

static bool read_status(const struct protocol_said *said, struct testlib_said *ret_said,
                        struct err *err) {
    struct testlib_said found = {.message = said->errors.len > 0 ? said->errors : said->out};
    if (read_partial_words(said, ret_said)) {
        return true;
    }
    for (size_t i = 0; i < ROWS && found.outcome == TESTLIB_NONE; i++) {
        found.outcome =
            outcome_rows[i].status == said->exit_code ? outcome_rows[i].outcome : TESTLIB_NONE;
    }
    if (found.outcome == TESTLIB_NONE) {
        return protocol_bad_status(err, said, "one of testlib's (0 to 4, 7, 8) nor a share in it");
    }
    if (found.outcome == TESTLIB_POINTS) {
        read_points_words(said->errors, &found);
    }
    if (found.outcome == TESTLIB_POINTS && found.number.len == 0) {
        read_share_words(said->errors, &found);
    }
    *ret_said = found;
    return true;
}

/* ---- what it means ---- */

static bool read_said(const struct protocol_said *said, struct arena *arena,
                      struct testlib_said *ret_said, struct err *err) {
    struct testlib_said found = {.outcome = TESTLIB_NONE};
    if (said->files[0].len == 0) {
        return read_status(said, ret_said, err);
    }
    if (!read_report(said->files[0], arena, &found, err)) {
        return false;
    }
    if (!status_fits(&found, said->exit_code)) {
        return protocol_broken(err, "ended with exit status %d, but its report says otherwise",
                               said->exit_code);
    }
    *ret_said = found;
    return true;
}

static bool read_answer(const struct testlib_said *said, struct checker_answer *answer,
                        struct err *err) {
    switch (said->outcome) {
    case TESTLIB_OK: answer->says = CHECKER_SAYS_YES; break;
    case TESTLIB_WRONG: answer->says = CHECKER_SAYS_NO; break;
    case TESTLIB_FORMAT: answer->says = CHECKER_SAYS_BAD_FORMAT; break;
    case TESTLIB_NONE:
    case TESTLIB_FAIL:
        return protocol_broken(err, "says FAIL: " STR_FMT,
                               STR_ARG(str_utf8_prefix(said->message, 100)));
    case TESTLIB_PARTIAL:
    case TESTLIB_POINTS:
        answer->says = said->outcome == TESTLIB_POINTS ? CHECKER_SAYS_POINTS : CHECKER_SAYS_SHARE;
        if (!ratio_parse(said->number, &answer->value)) {
            return protocol_broken(err, "gave points without a number of 0 or more");
        }
        break;
    case TESTLIB_SHARE:
        answer->says = CHECKER_SAYS_SHARE;
        if (!parse_share(said->number, &answer->value)) {
            return protocol_broken(err, "said `partial` without a share such as 3/4");
        }
        break;
    }
    answer->staff = said->message;
    return true;
}

static bool read_all(const struct protocol_said *said, struct arena *arena,
                     struct testlib_said *ret_said, struct checker_answer *answer,
                     struct err *err) {
    return read_said(said, arena, ret_said, err) && read_answer(ret_said, answer, err);
}

static bool is_number(enum checker_says says) {
    return says == CHECKER_SAYS_SHARE || says == CHECKER_SAYS_POINTS;
}

bool protocol_read_testlib(const struct protocol_said *said, struct arena *arena,
                           struct checker_answer *ret_answer, struct err *err) {
    struct testlib_said found = {.outcome = TESTLIB_NONE};
    struct checker_answer answer = {.says = CHECKER_SAYS_NO};
    if (!read_all(said, arena, &found, &answer, err)) {
        return false;
    }
    if (found.outcome == TESTLIB_PARTIAL) {
        answer.value = ratio_divide(answer.value, PARTIAL_FULL);
    }
    *ret_answer = answer;
    return true;
}

bool protocol_read_hustoj_testlib(const struct protocol_said *said, struct arena *arena,
                                  struct checker_answer *ret_answer, struct err *err) {
    struct checker_answer answer = {.says = CHECKER_SAYS_NO};
    if (!protocol_read_testlib(said, arena, &answer, err)) {
        return false;
    }
    if (answer.says == CHECKER_SAYS_POINTS) {
        answer.says = CHECKER_SAYS_SHARE;
    }
    *ret_answer = answer;
    return true;
}

bool protocol_read_hydro_testlib(const struct protocol_said *said, struct arena *arena,
                                 struct checker_answer *ret_answer, struct err *err) {
    struct testlib_said found = {.outcome = TESTLIB_NONE};
    struct checker_answer answer = {.says = CHECKER_SAYS_NO};
    if (!read_all(said, arena, &found, &answer, err)) {
        return false;
    }
    if (is_number(answer.says)) {
        answer.says = CHECKER_SAYS_SHARE;
        answer.value =
            ratio_fits(answer.value, 1, 1) ? answer.value : ratio_divide(answer.value, 100);
    }
    *ret_answer = answer;
    return true;
}
