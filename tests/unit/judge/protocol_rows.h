#ifndef TESTS_PROTOCOL_ROWS_H
#define TESTS_PROTOCOL_ROWS_H

/* Tables of what a checker said and what that means: its verdict and score on a case of nine
 * points, or the words of the problem's fault. Lies stand among them. */

#include "judge/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#define BROKEN VERDICT_NONE
#define AC VERDICT_ACCEPTED
#define WA VERDICT_WRONG_ANSWER
#define PE VERDICT_PRESENTATION_ERROR
#define PC VERDICT_PARTIAL

struct protocol_row {
    int status;
    const char *out;
    const char *errors;
    const char *files[PROTOCOL_OUTPUTS_MAX]; /* NULL: not written */
    enum verdict verdict;                    /* BROKEN: the problem's fault */
    int64_t score_micro;
    const char *says; /* part of the staff's text, or of the fault */
};

static inline struct str maybe(const char *text) {
    return text == NULL ? (struct str){0} : str_from(text);
}

static inline struct protocol_said said_of(const struct protocol_row *row) {
    struct protocol_said said = {.exit_code = row->status,
                                 .out = str_from(row->out),
                                 .errors = str_from(row->errors),
                                 .full_points = 9};
    for (size_t i = 0; i < PROTOCOL_OUTPUTS_MAX; i++) {
        said.files[i] = maybe(row->files[i]);
    }
    return said;
}

static inline bool has(struct str text, const char *part) {
    return part == NULL || part[0] == '\0' ||
           (text.len > 0 && memmem(text.ptr, text.len, part, strlen(part)) != NULL);
}

static inline void run_row(enum program_adapter adapter, const struct protocol_row *row,
                           uint32_t kinds, struct arena *arena, size_t number) {
    struct manifest_case one = {.name = STR("secret/1"), .group = -1, .score_micro = 9000000};
    struct manifest manifest = {.kinds = kinds, .cases = &one, .case_count = 1};
    struct protocol_said said = said_of(row);
    struct checker_answer answer = {.says = CHECKER_SAYS_NO};
    struct check_result result = {.verdict = VERDICT_NONE};
    struct err err = {0};

    bool good = protocol_of(adapter)->read(&said, arena, &answer, &err) &&
                check_value(&manifest, 0, &answer, NULL, &result, &err);

    if (!good && err.fault != FAULT_PROBLEM) {
        fail_msg("row %zu: fault %d: %s", number, (int)err.fault, err.text);
    }
    struct str words = good ? answer.staff : str_from(err.text);
    if (good != (row->verdict != BROKEN) || result.verdict != row->verdict ||
        result.score_micro != row->score_micro || !has(words, row->says)) {
        fail_msg("row %zu: %s %lld \"" STR_FMT "\"", number, verdict_code(result.verdict),
                 (long long)result.score_micro, STR_ARG(words));
    }
}

static inline void run_rows(enum program_adapter adapter, const struct protocol_row *rows,
                            size_t count, uint32_t kinds) {
    for (size_t i = 0; i < count; i++) {
        own(arena) arena = arena_create(MIB);
        run_row(adapter, &rows[i], kinds, arena, i);
    }
}

#define SCORED(adapter, rows)                                                                      \
    run_rows((adapter), (rows), sizeof(rows) / sizeof((rows)[0]), PROBLEM_SCORING)
#define PASS_FAIL(adapter, rows)                                                                   \
    run_rows((adapter), (rows), sizeof(rows) / sizeof((rows)[0]), PROBLEM_PASS_FAIL)

#endif
