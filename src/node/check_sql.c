/* The self-test of SQL. Its file (languages/<id>/selftest.sql) has parts, each behind a line
 * "-- assize-part: NAME": the schema, its data, what a check asks after writing, the right answers,
 * and the students' texts. Each text is judged as a submission of its own, so that rights, limits
 * and clean-up are those of every job; "again" shows that what "writing" wrote is gone. */
#include "base/file.h"
#include "data/digest.h"
#include "node/check_internal.h"

#include <string.h>

#define PART_MARK "-- assize-part: "
#define TEXTS_MAX 4
#define MEMORY_MS 10000 /* a machine that is short of it is slow to give it */

/* clang-format off */
static const struct sql_program {
    struct check_program expected;
    bool writes;
    int64_t time_ms;
} programs[] = {
    {{"accepted",  VERDICT_ACCEPTED,              VERDICT_NONE},          false, CHECK_TIME_MS},
    {{"wrong",     VERDICT_WRONG_ANSWER,          VERDICT_NONE},          false, CHECK_TIME_MS},
    {{"writing",   VERDICT_ACCEPTED,              VERDICT_NONE},          true,  CHECK_TIME_MS},
    {{"again",     VERDICT_ACCEPTED,              VERDICT_NONE},          false, CHECK_TIME_MS},
    {{"time",      VERDICT_TIME_LIMIT_EXCEEDED,   VERDICT_NONE},          false, CHECK_ENDLESS_MS},
    {{"memory",    VERDICT_MEMORY_LIMIT_EXCEEDED, VERDICT_NONE},          false, MEMORY_MS},
    {{"crash",     VERDICT_RUNTIME_ERROR,         VERDICT_NONE},          false, CHECK_TIME_MS},
    {{"forbidden", VERDICT_RUNTIME_ERROR,         VERDICT_COMPILE_ERROR}, false, CHECK_TIME_MS},
    {{"speed",     VERDICT_ACCEPTED,              VERDICT_NONE},          false, CHECK_TIME_MS},
};
/* clang-format on */

/* One program as a problem of one case. */
struct sql_trial {
    struct check_run *run;
    struct str texts[TEXTS_MAX]; /* its files, found by their digest */
    int count;
};

/* Empty when there is no such part. */
static struct str part_of(struct str text, const char *name) {
    struct str rest = text;
    struct str line = {0};
    const char *begin = NULL;
    while (str_next_line(&rest, &line)) {
        if (!str_starts(line, STR(PART_MARK))) {
            continue;
        }
        if (begin != NULL) {
            return str_of(begin, (size_t)(line.ptr - begin));
        }
        if (str_eq_c(str_trim(str_sub(line, strlen(PART_MARK), line.len)), name)) {
            begin = rest.ptr;
        }
    }
    return begin == NULL ? STR("") : str_of(begin, (size_t)(text.ptr + text.len - begin));
}

static struct blob_ref add_text(struct sql_trial *trial, const char *part) {
    struct str text = part_of(trial->run->source, part);
    struct blob_ref blob = {.bytes = (int64_t)text.len};
    struct digest digest = digest_of(text);
    memcpy(blob.sha256, digest.bytes, sizeof blob.sha256);
    trial->texts[trial->count++] = text;
    return blob;
}

static bool open_text(void *context, const struct blob_ref *blob, int *ret_fd, struct err *err) {
    const struct sql_trial *trial = context;
    for (int i = 0; i < trial->count; i++) {
        struct digest digest = digest_of(trial->texts[i]);
        if (memcmp(digest.bytes, blob->sha256, sizeof digest.bytes) == 0) {
            return file_memory("selftest", trial->texts[i], true, ret_fd, err);
        }
    }
    return err_fault(err, FAULT_NODE, ERR_SYSTEM, "no_part", "the self-test has no such text");
}

static bool go_on(void *context, const struct judge_progress *progress) {
    const struct check_options *options = ((const struct sql_trial *)context)->run->options;
    return options->go_on(options->context, progress);
}

static void fill_manifest(struct sql_trial *trial, const struct sql_program *program,
                          struct manifest_case *row, struct manifest *manifest) {
    *row = (struct manifest_case){
        .name = str_from(program->expected.word), .group = -1, .input.bytes = -1};
    row->answer.bytes = -1; /* what the reference gives */
    manifest_defaults(manifest);
    manifest->kinds = PROBLEM_PASS_FAIL | PROBLEM_SQL;
    manifest->cases = row;
    manifest->case_count = 1;
    manifest->limits.time_ms = program->time_ms;
    manifest->limits.memory_kib = CHECK_MEMORY_KIB;
    manifest->sql.dialect = str_from(trial->run->language->sql);
    manifest->sql.ddl = add_text(trial, "schema");
    manifest->sql.seed = add_text(trial, "data");
    manifest->sql.reference = add_text(trial, program->writes ? "written" : "answer");
    manifest->sql.check.bytes = -1;
    if (program->writes) {
        manifest->sql.check = add_text(trial, "check");
    }
    manifest->sql.statements = program->writes ? STR("INSERT SELECT") : STR("SELECT WITH");
}

/* What was refused before any case is a result, too: "forbidden" may be. */
static void note(struct check_run *run, const struct sql_program *program,
                 const struct judgement *judgement) {
    struct case_result refused = {.name = str_from(program->expected.word),
                                  .verdict = judgement->verdict,
                                  .message = judgement->compile.log};
    check_note_case(run, &program->expected,
                    judgement->case_count == 1 ? &judgement->cases[0] : &refused);
}

static bool run_program(struct check_run *run, const struct sql_program *program, struct err *err) {
    struct sql_trial trial = {.run = run};
    struct manifest manifest = {0};
    struct manifest_case row = {0};
    struct judgement judgement = {0};
    struct err why = {0};
    struct judge_source source = {.name = str_from(run->language->source_name),
                                  .text = part_of(run->source, program->expected.word)};
    fill_manifest(&trial, program, &row, &manifest);
    struct judge_request request = {.slot = run->options->slot,
                                    .manifest = &manifest,
                                    .language = run->language,
                                    .sources = &source,
                                    .source_count = 1,
                                    .all_cases = true,
                                    .open_blob = open_text,
                                    .progress = go_on,
                                    .context = &trial};
    if (judge_submission(run->options->node->judge, &request, run->arena, &judgement, &why)) {
        note(run, program, &judgement);
        return true;
    }
    return check_note_error(run, program->expected.word, &why, err);
}

/* How much memory a session has on a server of the administrator's own is his affair. */
static bool is_left_out(const struct check_run *run, const char *word) {
    return check_lacks(run->source, word) ||
           (strcmp(word, "memory") == 0 &&
            judge_sql_is_configured(run->options->node->judge, run->language));
}

bool check_sql(struct check_run *run, struct err *err) {
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (!is_left_out(run, programs[i].expected.word) && !run_program(run, &programs[i], err)) {
            return false;
        }
    }
    return true;
}
