#include "node/check.h"
#include "base/check.h"
#include "base/file.h"
#include "base/log.h"
#include "data/digest.h"
#include "node/check_internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LACKS_MARK "assize-lacks: "
#define OUTCOME_BYTES_MAX 200

/* What a program does with the word of its input, and what must come of it. */
struct program {
    struct check_program expected;
    const char *answer;
    int64_t time_ms;
};

/* clang-format off */
static const struct program programs[] = {
    {{"accepted",  VERDICT_ACCEPTED,              VERDICT_NONE},          "accepted", CHECK_TIME_MS},
    {{"wrong",     VERDICT_WRONG_ANSWER,          VERDICT_NONE},          "right",    CHECK_TIME_MS},
    {{"time",      VERDICT_TIME_LIMIT_EXCEEDED,   VERDICT_NONE},          "time",     CHECK_ENDLESS_MS},
    {{"memory",    VERDICT_MEMORY_LIMIT_EXCEEDED, VERDICT_NONE},          "memory",   CHECK_TIME_MS},
    {{"crash",     VERDICT_RUNTIME_ERROR,         VERDICT_NONE},          "crash",    CHECK_TIME_MS},
    {{"forbidden", VERDICT_ACCEPTED,              VERDICT_RUNTIME_ERROR}, "refused",  CHECK_TIME_MS},
    {{"speed",     VERDICT_ACCEPTED,              VERDICT_NONE},          "speed",    CHECK_TIME_MS},
};
/* clang-format on */
#define PROGRAMS (sizeof programs / sizeof programs[0])

/* Variants are proved by the language that they vary; a dialect of SQL has programs of its own. */
bool check_source(const struct language_set *languages, const struct language *language,
                  struct buf *out) {
    char path[4096];
    struct err err = {0};
    const struct language *base = language->variant_of != NULL && language->sql == NULL
                                      ? language_find(languages, str_from(language->variant_of))
                                      : language;
    if (base == NULL || base->extensions[0] == NULL) {
        return false;
    }
    (void)snprintf(path, sizeof path, "%s/selftest%s", base->folder, base->extensions[0]);
    return file_load(path, SOURCE_BYTES_MAX, out, &err);
}

/* ---- one language as a problem of a case a program ---- */

static struct str text_of_blob(const struct blob_ref *blob) {
    for (size_t i = 0; i < PROGRAMS; i++) {
        const char *texts[] = {programs[i].expected.word, programs[i].answer};
        for (size_t j = 0; j < 2; j++) {
            struct digest digest = digest_of(str_from(texts[j]));
            if (memcmp(digest.bytes, blob->sha256, sizeof digest.bytes) == 0) {
                return str_from(texts[j]);
            }
        }
    }
    CHECK(false);
}

static bool open_blob(void *context, const struct blob_ref *blob, int *ret_fd, struct err *err) {
    (void)context;
    struct str text = text_of_blob(blob);
    own_fd fd = memfd_create("selftest", MFD_CLOEXEC);
    if (fd < 0 || !file_write_all(fd, text, err) || lseek(fd, 0, SEEK_SET) != 0) {
        (void)err_system(err, "memfd_failed", "cannot prepare a self-test's input");
        err->fault = FAULT_NODE;
        return false;
    }
    *ret_fd = take_fd(&fd);
    return true;
}

static struct blob_ref blob_of(const char *text) {
    struct blob_ref blob = {.bytes = (int64_t)strlen(text)};
    struct digest digest = digest_of(str_from(text));
    memcpy(blob.sha256, digest.bytes, sizeof blob.sha256);
    return blob;
}

bool check_lacks(struct str source, const char *word) {
    const char *mark = memmem(source.ptr, source.len, LACKS_MARK, strlen(LACKS_MARK));
    struct str line = {0};
    struct str rest =
        mark == NULL
            ? (struct str){0}
            : str_sub(source, (size_t)(mark - source.ptr) + strlen(LACKS_MARK), source.len);
    return mark != NULL && str_next_line(&rest, &line) && str_has_word(line, word);
}

static int fill_manifest(const struct check_run *run, struct manifest *manifest) {
    struct manifest_case *cases = arena_array(run->arena, PROGRAMS, sizeof cases[0]);
    int32_t count = 0;
    for (size_t i = 0; i < PROGRAMS; i++) {
        if (!check_lacks(run->source, programs[i].expected.word)) {
            cases[count++] = (struct manifest_case){.name = str_from(programs[i].expected.word),
                                                    .group = -1,
                                                    .input = blob_of(programs[i].expected.word),
                                                    .answer = blob_of(programs[i].answer),
                                                    .time_limit_ms = programs[i].time_ms};
        }
    }
    manifest_defaults(manifest);
    manifest->cases = cases;
    manifest->case_count = count;
    manifest->limits.time_ms = CHECK_TIME_MS;
    manifest->limits.memory_kib = CHECK_MEMORY_KIB;
    return count;
}

/* ---- what came of it ---- */

static const struct program *program_of(struct str word) {
    for (size_t i = 0; i < PROGRAMS; i++) {
        if (str_eq_c(word, programs[i].expected.word)) {
            return &programs[i];
        }
    }
    CHECK(false);
}

void check_note(struct check_run *run, struct machine_program program) {
    struct check_report *report = run->report;
    CHECK(report->program_count < MACHINE_PROGRAMS_MAX);
    program.language = str_from(run->language->id);
    program.outcome = str_utf8_prefix(program.outcome, OUTCOME_BYTES_MAX);
    report->programs[report->program_count++] = program;
    if (!program.passed && report->passed) {
        report->passed = false;
        report->message = str_from(arena_printf(run->arena, "%s, %.*s: " STR_FMT, run->language->id,
                                                (int)program.program.len, program.program.ptr,
                                                STR_ARG(program.outcome)));
    }
}

void check_note_case(struct check_run *run, const struct check_program *program,
                     const struct case_result *result) {
    bool right = result->verdict == program->verdict ||
                 (program->or_else != VERDICT_NONE && result->verdict == program->or_else);
    const char *outcome = verdict_code(result->verdict);
    if (!right) {
        outcome = arena_printf(run->arena, "%s instead of %s: " STR_FMT, outcome,
                               verdict_code(program->verdict), STR_ARG(result->message));
    }
    check_note(run, (struct machine_program){.program = str_from(program->word),
                                             .passed = right,
                                             .outcome = str_from(outcome),
                                             .cpu_ms = result->cpu_ms});
    int64_t reference_ms = 0;
    if (right && strcmp(program->word, "speed") == 0 &&
        str_after_i64(run->source, CHECK_SPEED_MARK, &reference_ms)) {
        run->cpu_ms += result->cpu_ms;
        run->reference_ms += reference_ms;
    }
}

static void note_judgement(struct check_run *run, const struct judgement *judgement, int expected) {
    if (judgement->verdict == VERDICT_COMPILE_ERROR) {
        check_note(run, (struct machine_program){.program = STR("compile"),
                                                 .outcome = judgement->compile.log});
        return;
    }
    for (int32_t i = 0; i < judgement->case_count; i++) {
        check_note_case(run, &program_of(judgement->cases[i].name)->expected, &judgement->cases[i]);
    }
    if (judgement->case_count < expected) {
        check_note(run, (struct machine_program){.program = STR("compile"),
                                                 .outcome = STR("not all programs were run")});
    }
}

bool check_note_error(struct check_run *run, const char *program, const struct err *why,
                      struct err *err) {
    if (why->kind == ERR_CANCELLED) {
        *err = *why;
        return false;
    }
    if (why->kind != ERR_MISSING) {
        check_note(run,
                   (struct machine_program){.program = str_from(program),
                                            .outcome = arena_str(run->arena, str_from(why->text))});
    }
    return true;
}

static bool run_programs(struct check_run *run, struct err *err) {
    struct manifest manifest = {0};
    struct judgement judgement = {0};
    struct err why = {0};
    int count = fill_manifest(run, &manifest);
    struct judge_source source = {.name = str_from(run->language->source_name),
                                  .text = run->source};
    struct judge_request request = {.slot = run->options->slot,
                                    .manifest = &manifest,
                                    .language = run->language,
                                    .sources = &source,
                                    .source_count = 1,
                                    .all_cases = true,
                                    .open_blob = open_blob,
                                    .progress = run->options->go_on,
                                    .context = run->options->context};
    if (judge_submission(run->options->node->judge, &request, run->arena, &judgement, &why)) {
        note_judgement(run, &judgement, count);
        return true;
    }
    return check_note_error(run, "judge", &why, err);
}

static bool run_hello(struct check_run *run, struct err *err) {
    struct str version = {0};
    struct err why = {0};
    return !run->options->hello ||
           judge_prove_language(run->options->node->judge, run->options->slot, run->language,
                                run->arena, &version, &why) ||
           check_note_error(run, "hello", &why, err);
}

static bool run_language(struct check_run *run, struct err *err) {
    own_buf text = {0};
    buf_init(&text, SOURCE_BYTES_MAX);
    bool is_variant = run->language->variant_of != NULL && run->language->sql == NULL;
    if (is_variant || !check_source(run->options->node->languages, run->language, &text)) {
        return run_hello(run, err);
    }
    run->source = arena_str(run->arena, buf_str(&text));
    return run->language->sql != NULL ? check_sql(run, err) : run_programs(run, err);
}

bool check_run(const struct check_options *options, struct arena *arena,
               struct check_report *ret_report, struct err *err) {
    const struct node_options *node = options->node;
    struct check_run run = {.options = options, .arena = arena, .report = ret_report};
    *ret_report = (struct check_report){
        .passed = true,
        .programs = arena_array(arena, MACHINE_PROGRAMS_MAX, sizeof ret_report->programs[0])};
    for (size_t i = 0; i < language_count(node->languages); i++) {
        run.language = language_at(node->languages, i);
        if (str_eq_c(str_from(run.language->pool), node->pool) && !run_language(&run, err)) {
            return false;
        }
    }
    ret_report->speed_permille = run.reference_ms > 0 ? run.cpu_ms * 1000 / run.reference_ms : 0;
    return true;
}
