/* What `assize problem check` found, for people and for programs. */
#include "local/check_result.h"

#include "data/json_write.h"
#include "local/terminal.h"

#define PATH_COLUMNS_MAX 60
#define CODE_COLUMNS 21
#define SCORE_DIGITS 6 /* micro-points */

bool check_result_agrees(const struct check_result *result) {
    uint32_t got = PACKAGE_EXPECT(result->verdict);
    if (result->verdict == VERDICT_NONE) {
        return false;
    }
    if (result->has_score && (result->score_micro < result->score_min_micro ||
                              result->score_micro > result->score_max_micro)) {
        return false;
    }
    /* Some points and a wrong answer is what the formats call a wrong answer; some points and no
     * rejected case is accepted. */
    if (result->verdict == VERDICT_PARTIAL) {
        got |=
            PACKAGE_EXPECT(result->rejected == VERDICT_NONE ? VERDICT_ACCEPTED : result->rejected);
    }
    return result->expected == 0 || (result->expected & got) != 0;
}

enum verdict check_result_expected(uint32_t expected) {
    static const enum verdict plainest[] = {
        VERDICT_ACCEPTED,
        VERDICT_PARTIAL,
        VERDICT_WRONG_ANSWER,
        VERDICT_TIME_LIMIT_EXCEEDED,
        VERDICT_RUNTIME_ERROR,
        VERDICT_COMPILE_ERROR,
        VERDICT_MEMORY_LIMIT_EXCEEDED,
        VERDICT_OUTPUT_LIMIT_EXCEEDED,
        VERDICT_PRESENTATION_ERROR,
    };
    for (size_t i = 0; i < sizeof(plainest) / sizeof(plainest[0]); i++) {
        if ((expected & PACKAGE_EXPECT(plainest[i])) != 0) {
            return plainest[i];
        }
    }
    return VERDICT_NONE;
}

struct summary {
    size_t agreed, disagreed, skipped;
};

static struct summary sum_up(const struct check_result *results, size_t count) {
    struct summary summary = {0};
    for (size_t i = 0; i < count; i++) {
        if (results[i].skipped) {
            summary.skipped++;
        } else if (check_result_agrees(&results[i])) {
            summary.agreed++;
        } else {
            summary.disagreed++;
        }
    }
    return summary;
}

static void print_row(FILE *file, const struct check_result *result, int columns, bool colours) {
    enum verdict expected = check_result_expected(result->expected);
    bool agrees = check_result_agrees(result);
    const char *mark = result->skipped ? "skipped" : agrees ? "ok" : "DIFFERS";
    enum verdict colour = agrees || result->skipped ? VERDICT_ACCEPTED : VERDICT_WRONG_ANSWER;
    terminal_cell(file, result->path, columns);
    (void)fprintf(file, "  %-*s  %-*s  %7lld ms  %s%-7s%s  ", CODE_COLUMNS,
                  expected == VERDICT_NONE ? "-" : verdict_code(expected), CODE_COLUMNS,
                  result->verdict == VERDICT_NONE ? "-" : verdict_code(result->verdict),
                  (long long)result->cpu_ms, terminal_colour(colours, colour), mark,
                  terminal_plain(colours));
    if (!agrees && result->has_score) {
        (void)fprintf(file, "%lld.%06lld points: ", (long long)(result->score_micro / 1000000),
                      (long long)(result->score_micro % 1000000));
    }
    if (!agrees) {
        terminal_cell(file, result->message, 0);
    }
    (void)fputc('\n', file);
}

void check_result_table(FILE *file, const struct check_result *results, size_t count,
                        bool colours) {
    struct summary summary = sum_up(results, count);
    int columns = 10;
    for (size_t i = 0; i < count; i++) {
        int needed = terminal_columns(results[i].path);
        columns = needed > columns ? needed : columns;
    }
    columns = columns > PATH_COLUMNS_MAX ? PATH_COLUMNS_MAX : columns;
    (void)fprintf(file, "%-*s  %-*s  %-*s  %10s\n", columns, "submission", CODE_COLUMNS, "expected",
                  CODE_COLUMNS, "verdict", "CPU");
    for (size_t i = 0; i < count; i++) {
        print_row(file, &results[i], columns, colours);
    }
    (void)fprintf(file, "%zu agree, %zu differ, %zu skipped\n", summary.agreed, summary.disagreed,
                  summary.skipped);
}

static void write_permitted(struct jw *json, uint32_t expected) {
    jw_key(json, "permitted");
    jw_array_begin(json);
    for (int verdict = VERDICT_NONE + 1; verdict < VERDICT_COUNT; verdict++) {
        if ((expected & PACKAGE_EXPECT(verdict)) != 0) {
            jw_cstr(json, verdict_code((enum verdict)verdict));
        }
    }
    jw_array_end(json);
}

static const char *code_or_null(enum verdict verdict) {
    return verdict == VERDICT_NONE ? NULL : verdict_code(verdict);
}

static void write_score(struct jw *json, const struct check_result *result) {
    jw_put_decimal(json, "score", result->score_micro, SCORE_DIGITS);
    jw_key(json, "promisedScore");
    if (!result->has_score) {
        jw_null(json);
        return;
    }
    jw_object_begin(json);
    jw_put_decimal(json, "min", result->score_min_micro, SCORE_DIGITS);
    jw_put_decimal(json, "max", result->score_max_micro, SCORE_DIGITS);
    jw_object_end(json);
}

static void write_row(struct jw *json, const struct check_result *result) {
    jw_object_begin(json);
    jw_put_str(json, "path", result->path);
    jw_put_cstr(json, "expected", code_or_null(check_result_expected(result->expected)));
    write_permitted(json, result->expected);
    jw_put_cstr(json, "verdict", code_or_null(result->verdict));
    if (result->skipped) {
        jw_put_null(json, "agrees");
    } else {
        jw_put_bool(json, "agrees", check_result_agrees(result));
    }
    jw_put_i64(json, "cpuMs", result->cpu_ms);
    write_score(json, result);
    jw_put_str(json, "message", result->message);
    jw_object_end(json);
}

void check_problem_table(FILE *file, const struct check_problem *problem) {
    for (int32_t i = 0; i < problem->fault_count; i++) {
        const struct problem_data_fault *fault = &problem->faults[i];
        (void)fprintf(file, "invalid input: ");
        terminal_cell(file, fault->name, 0);
        (void)fprintf(file, ": ");
        terminal_cell(file, fault->validator, 0);
        (void)fprintf(file, ": ");
        terminal_cell(file, fault->message, 0);
        (void)fputc('\n', file);
    }
    if (problem->validated > 0) {
        (void)fprintf(file, "%d inputs validated, %d complaints\n", problem->validated,
                      problem->fault_count);
    }
    if (problem->time_limit_found) {
        (void)fprintf(file, "time limit by Kattis' rule, since the package gives none: %lld ms\n",
                      (long long)problem->time_limit_ms);
    }
}

static void write_problem(struct jw *json, const struct check_problem *problem) {
    jw_object_begin(json);
    jw_put_str(json, "code", problem->code);
    if (problem->error.len > 0) {
        jw_put_str(json, "error", problem->error);
    } else {
        jw_put_null(json, "error");
    }
    jw_put_i64(json, "timeLimitMs", problem->time_limit_ms);
    jw_put_bool(json, "timeLimitFound", problem->time_limit_found);
    jw_put_i64(json, "inputsValidated", problem->validated);
    jw_key(json, "invalidInputs");
    jw_array_begin(json);
    for (int32_t i = 0; i < problem->fault_count; i++) {
        jw_object_begin(json);
        jw_put_str(json, "case", problem->faults[i].name);
        jw_put_str(json, "validator", problem->faults[i].validator);
        jw_put_str(json, "message", problem->faults[i].message);
        jw_object_end(json);
    }
    jw_array_end(json);
    jw_object_end(json);
}

bool check_report_json(const struct check_report *report, struct buf *into, struct err *err) {
    struct jw json;
    const struct check_result *results = report->results;
    size_t count = report->count;
    struct summary summary = sum_up(results, count);
    jw_init(&json, into);
    jw_object_begin(&json);
    jw_key(&json, "submissions");
    jw_array_begin(&json);
    for (size_t i = 0; i < count; i++) {
        write_row(&json, &results[i]);
    }
    jw_array_end(&json);
    jw_key(&json, "problems");
    jw_array_begin(&json);
    for (int32_t i = 0; i < report->problem_count; i++) {
        write_problem(&json, &report->problems[i]);
    }
    jw_array_end(&json);
    jw_put_i64(&json, "agree", (int64_t)summary.agreed);
    jw_put_i64(&json, "differ", (int64_t)summary.disagreed);
    jw_put_i64(&json, "skipped", (int64_t)summary.skipped);
    jw_object_end(&json);
    if (!jw_finish(&json, "the result", err)) {
        return false;
    }
    buf_append_char(into, '\n');
    return buf_ok(into, "the result", err);
}
