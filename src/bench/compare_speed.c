/* Large outputs that are right, in each way that a rule lets them differ from the answer. */
#include "bench/compare_speed.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/random.h"
#include "bench/table.h"
#include "judge/compare.h"
#include <stdlib.h>
#include <string.h>

#define MEGABYTE ((size_t)1000000)
#define SPACE_BYTES 64 /* what one line may be longer than asked */

enum text_kind {
    TEXT_LINES,    /* 1 to 16 tokens of 1 to 9 letters and digits */
    TEXT_ONE,      /* one such token a line */
    TEXT_DECIMALS, /* one number with 9 digits behind the point a line */
};

enum text_change {
    CHANGE_NONE,
    CHANGE_CRLF,
    CHANGE_WIDE,    /* two spaces for one */
    CHANGE_CASE,    /* capital letters */
    CHANGE_REVERSE, /* the lines from the last to the first */
    CHANGE_DIGIT,   /* another digit behind each line */
};

/* clang-format off */
static const struct {
    const char *name;
    const char *title;
    enum text_kind kind;
    enum text_change change;
    struct compare_rules rules;
} rows[] = {
    {"exact", "exact", TEXT_LINES, CHANGE_NONE, {.kind = CHECKER_EXACT}},
    {"tokens", "tokens, the same bytes", TEXT_LINES, CHANGE_NONE,
     {.kind = CHECKER_TOKENS, .case_sensitive = true}},
    {"tokensCrlf", "tokens, CR LF for LF", TEXT_LINES, CHANGE_CRLF, {.kind = CHECKER_TOKENS, .case_sensitive = true}},
    {"tokensWide", "tokens, every gap wider", TEXT_LINES, CHANGE_WIDE,
     {.kind = CHECKER_TOKENS, .case_sensitive = true}},
    {"tokensCase", "tokens, other letters' case", TEXT_LINES, CHANGE_CASE, {.kind = CHECKER_TOKENS}},
    {"lines", "lines, the same bytes", TEXT_LINES, CHANGE_NONE, {.kind = CHECKER_LINES, .case_sensitive = true}},
    {"linesWide", "lines, every gap wider", TEXT_LINES, CHANGE_WIDE, {.kind = CHECKER_LINES, .case_sensitive = true}},
    {"numbers", "numbers with a tolerance, the same bytes", TEXT_DECIMALS, CHANGE_NONE,
     {.kind = CHECKER_TOKENS, .has_absolute = true, .absolute = 1e-6L}},
    {"numbersDigit", "numbers with a tolerance, each with another digit", TEXT_DECIMALS, CHANGE_DIGIT,
     {.kind = CHECKER_TOKENS, .has_absolute = true, .absolute = 1e-6L}},
    {"unordered", "unordered lines, reversed", TEXT_LINES, CHANGE_REVERSE,
     {.kind = CHECKER_UNORDERED_LINES, .case_sensitive = true}},
    {"unorderedOne", "unordered lines of one token, reversed", TEXT_ONE, CHANGE_REVERSE,
     {.kind = CHECKER_UNORDERED_LINES, .case_sensitive = true}},
};
/* clang-format on */
static_assert(sizeof rows / sizeof rows[0] <= COMPARE_ROWS_MAX, "every row has a place");

void compare_speed_init(struct compare_speed *speed, int64_t megabytes) {
    *speed = (struct compare_speed){.row_count = (int)(sizeof rows / sizeof rows[0]),
                                    .megabytes = megabytes};
    for (int i = 0; i < speed->row_count; i++) {
        speed->rows[i].name = rows[i].name;
        speed->rows[i].title = rows[i].title;
    }
}

void compare_speed_done(struct compare_speed *speed) {
    for (int i = 0; speed != NULL && i < speed->row_count; i++) {
        samples_done(&speed->rows[i].ns);
    }
}

/* ---- texts ---- */

struct text {
    char *bytes;
    size_t len;
};

static void text_done(struct text *text) {
    free(text->bytes);
}
#define own_made_text __attribute__((cleanup(text_done))) struct text

static void text_init(struct text *text, size_t most) {
    *text = (struct text){.bytes = malloc(most)};
    CHECK(text->bytes != NULL);
}

static void put(struct text *text, char c) {
    text->bytes[text->len++] = c;
}

static void put_token(struct text *text, uint64_t random) {
    for (uint64_t left = 1 + random % 9; left > 0; left--) {
        put(text, "0123456789abcdef"[random >> 60]);
        random <<= 4;
    }
}

static void put_decimal(struct text *text, uint64_t random) {
    for (int i = 0; i < 12; i++) {
        put(text, i == 2 ? '.' : (char)('0' + random % 10));
        random /= 10;
    }
}

/* A little more than `bytes`. */
static void make_text(struct text *text, enum text_kind kind, size_t bytes) {
    struct random_seeded seeded;
    random_seeded_init(&seeded, 1);
    text_init(text, bytes + 16 * SPACE_BYTES);
    while (text->len < bytes) {
        uint64_t random = random_u64(&seeded.random);
        uint64_t tokens = kind == TEXT_LINES ? random % 16 : 0;
        if (kind == TEXT_DECIMALS) {
            put_decimal(text, random);
        } else {
            put_token(text, random);
        }
        for (; tokens > 0; tokens--) {
            put(text, ' ');
            put_token(text, random_u64(&seeded.random));
        }
        put(text, '\n');
    }
}

static void reverse_lines(struct text *to, const struct text *from) {
    size_t end = from->len;
    while (end > 0) {
        size_t start = end - 1;
        while (start > 0 && from->bytes[start - 1] != '\n') {
            start--;
        }
        memcpy(to->bytes + to->len, from->bytes + start, end - start);
        to->len += end - start;
        end = start;
    }
}

static void change_bytes(struct text *to, const struct text *from, enum text_change change) {
    for (size_t i = 0; i < from->len; i++) {
        char c = from->bytes[i];
        if (c == '\n' && change == CHANGE_CRLF) {
            put(to, '\r');
        } else if (c == ' ' && change == CHANGE_WIDE) {
            put(to, ' ');
        } else if (c == '\n' && change == CHANGE_DIGIT) {
            put(to, '1');
        }
        put(to, change == CHANGE_CASE && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
}

static void make_changed(struct text *to, const struct text *from, enum text_change change) {
    text_init(to, 2 * from->len);
    if (change == CHANGE_REVERSE) {
        reverse_lines(to, from);
    } else {
        change_bytes(to, from, change);
    }
}

/* ---- measuring ---- */

static bool once(const struct compare_rules *rules, int output, int answer, struct samples *into,
                 struct err *err) {
    struct compare_result result;
    int64_t from_ns = clock_real_mono_ns();
    if (!compare_files(rules, output, answer, &result, err)) {
        return false;
    }
    samples_add(into, clock_real_mono_ns() - from_ns);
    return result.why == COMPARE_EQUAL ||
           err_set(err, ERR_SYSTEM, "bench_failed", "the texts differ in line %lld",
                   (long long)result.line);
}

static bool measure_row(struct compare_speed *speed, int index, int64_t rounds, struct err *err) {
    struct compare_row *row = &speed->rows[index];
    own_made_text answer = {.bytes = NULL};
    own_made_text output = {.bytes = NULL};
    own_fd answer_fd = -1;
    own_fd output_fd = -1;
    make_text(&answer, rows[index].kind, (size_t)speed->megabytes * MEGABYTE);
    make_changed(&output, &answer, rows[index].change);
    row->bytes = (int64_t)output.len;
    if (!file_memory("answer", str_of(answer.bytes, answer.len), false, &answer_fd, err) ||
        !file_memory("output", str_of(output.bytes, output.len), false, &output_fd, err)) {
        return err_wrap(err, "compare %s", row->name);
    }
    text_done(&answer);
    answer.bytes = NULL;
    text_done(&output);
    output.bytes = NULL;
    for (int64_t i = 0; i < rounds; i++) {
        if (!once(&rows[index].rules, output_fd, answer_fd, &row->ns, err)) {
            return err_wrap(err, "compare %s", row->name);
        }
    }
    return true;
}

bool compare_speed_measure(struct compare_speed *speed, int64_t rounds, struct err *err) {
    for (int i = 0; i < speed->row_count && speed->megabytes > 0; i++) {
        if (!measure_row(speed, i, rounds, err)) {
            return false;
        }
    }
    return true;
}

/* ---- the report ---- */

int64_t compare_speed_rate(struct compare_row *row) {
    int64_t ns = samples_median(&row->ns);
    return ns == 0 ? 0 : row->bytes * 1000 / ns;
}

void compare_speed_print(struct compare_speed *speed, enum bench_format format, struct buf *out) {
    if (speed->megabytes == 0) {
        return;
    }
    own_table table;
    table_init(&table, "comparing|MB of output|median ms|MB/s");
    for (int i = 0; i < speed->row_count; i++) {
        struct compare_row *row = &speed->rows[i];
        table_cell(&table, "%s", row->title);
        table_number(&table, row->bytes, 6, 0);
        table_number(&table, samples_median(&row->ns), 6, 0);
        table_number(&table, compare_speed_rate(row), 0, 0);
    }
    buf_append_c(out, "\n");
    table_print(&table, format, out);
}

void compare_speed_json(struct compare_speed *speed, struct jw *json) {
    jw_key(json, "compare");
    jw_object_begin(json);
    for (int i = 0; i < speed->row_count && speed->megabytes > 0; i++) {
        struct compare_row *row = &speed->rows[i];
        jw_key(json, row->name);
        jw_object_begin(json);
        jw_put_i64(json, "outputBytes", row->bytes);
        jw_key(json, "ms");
        samples_json(&row->ns, 6, json);
        jw_put_i64(json, "megabytesPerSecond", compare_speed_rate(row));
        jw_object_end(json);
    }
    jw_object_end(json);
}
