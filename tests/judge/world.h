#ifndef TESTS_JUDGE_WORLD_H
#define TESTS_JUDGE_WORLD_H

/* Small problems in memory, judged in the real box. Needs root; the program that includes this
 * exits 77 with the reason where the box is not available. */

#include "base/file.h"
#include "data/digest.h"
#include "judge/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORLD_CASES_MAX 8
#define WORLD_BLOBS_MAX 64
#define WORLD_SLOTS 2

struct world {
    struct box *box;
    struct language_set *languages;
    struct judge *judge;
    char folder[64]; /* for what the judge keeps */
};

static struct world world = {.folder = "/tmp/assize-judge-world-XXXXXX"};

/* One problem with its blobs; found by their digest, as everywhere. */
struct problem {
    struct manifest manifest;
    struct manifest_case cases[WORLD_CASES_MAX];
    char names[WORLD_CASES_MAX][32];
    struct manifest_file checker_files[4];
    struct manifest_include includes[2];
    struct str blobs[WORLD_BLOBS_MAX];
    size_t blob_count;
    /* progress: the call that says stop, and when; 0: none */
    int calls;
    int stop_at_call;
    bool stop_in_run;
    int32_t cases_seen;
};

static inline struct blob_ref add_bytes(struct problem *problem, struct str content) {
    struct digest digest = digest_of(content);
    struct blob_ref blob = {.bytes = (int64_t)content.len};
    memcpy(blob.sha256, digest.bytes, sizeof blob.sha256);
    assert_true(problem->blob_count < WORLD_BLOBS_MAX);
    problem->blobs[problem->blob_count++] = content;
    return blob;
}

static inline struct blob_ref add_blob(struct problem *problem, const char *text) {
    return add_bytes(problem, str_from(text));
}

static inline bool open_blob(void *context, const struct blob_ref *blob, int *ret_fd,
                             struct err *err) {
    const struct problem *problem = context;
    for (size_t i = 0; i < problem->blob_count; i++) {
        struct digest digest = digest_of(problem->blobs[i]);
        if (memcmp(digest.bytes, blob->sha256, sizeof digest.bytes) == 0) {
            return file_memory("blob", problem->blobs[i], true, ret_fd, err);
        }
    }
    return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "no_blob", "a file of the problem is missing");
}

static inline bool on_progress(void *context, const struct judge_progress *progress) {
    struct problem *problem = context;
    problem->calls++;
    problem->cases_seen += progress->finished != NULL ? 1 : 0;
    if (problem->stop_in_run) {
        /* the second question during one stage comes from inside a run */
        return !(progress->stage == JUDGE_STAGE_JUDGING && problem->calls > 4);
    }
    return problem->calls != problem->stop_at_call;
}

static inline void add_case_bytes(struct problem *problem, struct str input, struct str answer) {
    int32_t index = problem->manifest.case_count++;
    assert_true(index < WORLD_CASES_MAX);
    (void)snprintf(problem->names[index], sizeof problem->names[index], "secret/%d", index + 1);
    problem->cases[index] = (struct manifest_case){.name = str_from(problem->names[index]),
                                                   .group = -1,
                                                   .input = add_bytes(problem, input),
                                                   .answer = add_bytes(problem, answer)};
}

static inline void add_case(struct problem *problem, const char *input, const char *answer) {
    add_case_bytes(problem, str_from(input), str_from(answer));
}

/* 500 ms, 64 MiB, 16 KiB of output, the default checker, no cases yet. */
static inline void begin_problem(struct problem *problem) {
    memset(problem, 0, sizeof *problem);
    manifest_defaults(&problem->manifest);
    problem->manifest.limits.time_ms = 500;
    problem->manifest.limits.memory_kib = 64 * KIB;
    problem->manifest.limits.output_kib = 16;
    problem->manifest.cases = problem->cases;
}

/* Adds up two numbers: three cases. */
static inline void begin_sum(struct problem *problem) {
    begin_problem(problem);
    add_case(problem, "1 2\n", "3\n");
    add_case(problem, "20 22\n", "42\n");
    add_case(problem, "-5 5\n", "0\n");
}

static inline void set_checker(struct problem *problem, const char *language, const char *name,
                               const char *text) {
    int32_t at = problem->manifest.checker.program.file_count;
    problem->checker_files[at] =
        (struct manifest_file){.name = str_from(name), .blob = add_blob(problem, text)};
    problem->manifest.checker.kind = CHECKER_PROGRAM;
    problem->manifest.checker.program.language = str_from(language);
    problem->manifest.checker.program.adapter = ADAPTER_ICPC;
    problem->manifest.checker.program.files = problem->checker_files;
    problem->manifest.checker.program.file_count = at + 1;
    problem->manifest.limits.validation_time_ms = 1000;
    problem->manifest.limits.validation_memory_kib = 256 * KIB;
}

struct outcome_of_test {
    bool judged;
    struct judgement judgement;
    struct err err;
};

static inline struct outcome_of_test judge_sources(struct problem *problem, int slot,
                                                   struct arena *arena, const char *language,
                                                   const struct judge_source *sources,
                                                   size_t count) {
    struct outcome_of_test outcome = {.judged = false};
    struct judge_request request = {.slot = slot,
                                    .manifest = &problem->manifest,
                                    .language = language_find(world.languages, str_from(language)),
                                    .sources = sources,
                                    .source_count = count,
                                    .open_blob = open_blob,
                                    .progress = on_progress,
                                    .context = problem};
    assert_non_null(request.language);
    outcome.judged =
        judge_submission(world.judge, &request, arena, &outcome.judgement, &outcome.err);
    return outcome;
}

static inline struct outcome_of_test judge_text(struct problem *problem, struct arena *arena,
                                                const char *language, const char *text) {
    struct judge_source source = {.name = STR("solution"), .text = str_from(text)};
    return judge_sources(problem, 0, arena, language, &source, 1);
}

static inline int open_world(void **state) {
    struct err err = {0};
    char path[1024];
    (void)state;
    (void)snprintf(path, sizeof path, "%s/languages", getenv("ASSIZE_SOURCE_ROOT"));
    if (mkdtemp(world.folder) == NULL) {
        return -1;
    }
    const char *roots[] = {world.folder, NULL};
    struct box_options options = {.program = getenv("ASSIZE_BOX"),
                                  .cgroup_name = "assize-test-judge",
                                  .slots = 2 * WORLD_SLOTS, /* the others hold databases */
                                  .allowed_roots = roots};
    if (!language_set_load(path, &world.languages, &err) || !box_open(&options, &world.box, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    const struct judge_sql sql = {.first_slot = WORLD_SLOTS, .node = "test"};
    world.judge =
        judge_create(&(struct judge_options){.box = world.box,
                                             .languages = world.languages,
                                             .cache_folder = world.folder,
                                             .sql = &sql,
                                             .second_runs_max = JUDGE_SECOND_RUNS_DEFAULT});
    return 0;
}

static inline int close_world(void **state) {
    (void)state;
    judge_free(world.judge);
    box_close(world.box);
    language_set_free(world.languages);
    struct err err = {0};
    if (!file_remove_tree(world.folder, &err)) {
        return -1;
    }
    return 0;
}

#endif
