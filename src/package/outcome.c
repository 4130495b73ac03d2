/* What reading a package gave, as JSON. */
#include "package/outcome.h"

#include "data/digest.h"
#include <string.h>

static void put_notes(struct jw *json, const char *name, const struct package_notes *notes) {
    jw_key(json, name);
    jw_array_begin(json);
    for (int32_t i = 0; i < notes->count; i++) {
        const struct package_note *note = &notes->items[i];
        jw_object_begin(json);
        jw_put_str(json, "text", note->text);
        if (note->file.len > 0) {
            jw_put_str(json, "file", note->file);
        } else {
            jw_put_null(json, "file");
        }
        if (note->line > 0) {
            jw_put_i64(json, "line", note->line);
        } else {
            jw_put_null(json, "line");
        }
        jw_object_end(json);
    }
    jw_array_end(json);
}

void package_report_json(struct jw *json, const struct package_report *report) {
    jw_object_begin(json);
    jw_put_cstr(json, "format", report->format);
    jw_key(json, "read");
    jw_array_begin(json);
    for (int32_t i = 0; i < report->read.count; i++) {
        jw_str(json, report->read.items[i].file);
    }
    jw_array_end(json);
    put_notes(json, "guessed", &report->guessed);
    put_notes(json, "dropped", &report->dropped);
    put_notes(json, "warnings", &report->warnings);
    put_notes(json, "refused", &report->refused);
    jw_object_end(json);
}

bool package_manifest_id(const struct package_problem *problem, char ret_hex[65], struct err *err) {
    own_buf text;
    buf_init(&text, MANIFEST_BYTES_MAX);
    if (!manifest_write(&problem->manifest, &text, err)) {
        return false;
    }
    struct digest digest = digest_of(buf_str(&text));
    digest_hex(&digest, ret_hex);
    return true;
}

static void put_kinds(struct jw *json, uint32_t kinds) {
    static const struct {
        enum problem_kind bit;
        const char *name;
    } rows[] = {
        {PROBLEM_PASS_FAIL, "pass-fail"},
        {PROBLEM_SCORING, "scoring"},
        {PROBLEM_INTERACTIVE, "interactive"},
        {PROBLEM_MULTI_PASS, "multi-pass"},
        {PROBLEM_SUBMIT_ANSWER, "submit-answer"},
        {PROBLEM_FUNCTION, "function"},
        {PROBLEM_SQL, "sql"},
    };
    jw_key(json, "kinds");
    jw_array_begin(json);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if ((kinds & (uint32_t)rows[i].bit) != 0) {
            jw_cstr(json, rows[i].name);
        }
    }
    jw_array_end(json);
}

static void put_statements(struct jw *json, const struct package_problem *problem) {
    jw_key(json, "statements");
    jw_array_begin(json);
    for (int32_t i = 0; i < problem->statement_count; i++) {
        jw_object_begin(json);
        jw_put_str(json, "language", problem->statements[i].language);
        jw_put_cstr(json, "format", problem->statements[i].format);
        jw_object_end(json);
    }
    jw_array_end(json);
}

static void put_problem(struct jw *json, const struct package_problem *problem) {
    char id[DIGEST_HEX_BYTES];
    struct err ignored = {0};
    const struct manifest_limits *limits = &problem->manifest.limits;
    jw_put_str(json, "code", problem->code);
    jw_put_str(json, "title", problem->titles[0].text);
    bool whole = problem->recipe_count == 0 && package_manifest_id(problem, id, &ignored);
    jw_put_cstr(json, "manifestId", whole ? id : NULL);
    put_kinds(json, problem->manifest.kinds);
    jw_put_i64(json, "timeLimitMs", limits->time_ms);
    jw_put_i64(json, "memoryLimitKb", limits->memory_kib);
    jw_put_i64(json, "cases", problem->manifest.case_count);
    jw_put_i64(json, "samples", problem->sample_count);
    put_statements(json, problem);
    jw_put_i64(json, "submissions", problem->submission_count);
}

void package_outcome_json(struct jw *json, const struct package_outcome *outcome) {
    jw_object_begin(json);
    jw_put_str(json, "name", outcome->name);
    if (outcome->problem != NULL) {
        put_problem(json, outcome->problem);
        jw_put_null(json, "error");
    } else {
        jw_put_str(json, "error", outcome->error);
    }
    jw_key(json, "report");
    package_report_json(json, outcome->report);
    jw_object_end(json);
}

bool package_put_digest(void *context, int fd, struct blob_ref *ret_blob, struct err *err) {
    struct digest digest;
    (void)context;
    if (!digest_of_fd(fd, PACKAGE_FILE_BYTES_MAX, &digest, &ret_blob->bytes, err)) {
        return false;
    }
    memcpy(ret_blob->sha256, digest.bytes, sizeof(ret_blob->sha256));
    return true;
}
