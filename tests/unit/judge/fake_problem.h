#ifndef TESTS_FAKE_PROBLEM_H
#define TESTS_FAKE_PROBLEM_H

/* A small problem in memory, the shipped languages, and a judge on the fake box. */

#include "fake_box.h"
#include "judge/work.h"

#include <stdlib.h>

/* A blob is a text; its digest is only its place here. */
static const char *const fake_blobs[] = {
    "",       "1",     "2",     "accept well done", "reject not like this",
    "exit 1", "say 1", "error", "score 3",          "score 1000000",
    "cpu",    "reject"};

static inline struct blob_ref fake_blob(int place) {
    return (struct blob_ref){.sha256 = {(uint8_t)place},
                             .bytes = (int64_t)strlen(fake_blobs[place])};
}

static inline bool fake_open_blob(void *context, const struct blob_ref *blob, int *ret_fd,
                                  struct err *err) {
    (void)context;
    if (blob->sha256[0] >= sizeof fake_blobs / sizeof fake_blobs[0]) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "no_blob", "a file is missing");
    }
    *ret_fd = fake_file(fake_blobs[blob->sha256[0]]);
    return true;
}

struct fake_world {
    struct language_set *languages;
    struct judge *judge;
    struct arena *arena;
    struct manifest manifest;
    struct manifest_case cases[3]; /* inputs and answers "1", "2", "1" */
    struct manifest_file checker_file;
    struct work work;
};

static inline int fake_setup(void **state) {
    struct fake_world *world = calloc(1, sizeof *world);
    struct err err = {0};
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/languages", getenv("ASSIZE_SOURCE_ROOT"));
    assert_true(language_set_load(path, &world->languages, &err));
    world->judge =
        judge_create(&(struct judge_options){.box = fake_box(), .languages = world->languages});
    world->arena = arena_create(16 * MIB);
    manifest_defaults(&world->manifest);
    world->manifest.cases = world->cases;
    world->manifest.case_count = 3;
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"sample/1", "secret/1", "secret/2"};
        world->cases[i] = (struct manifest_case){.name = str_from(names[i]),
                                                 .sample = i == 0,
                                                 .group = -1,
                                                 .input = fake_blob(1 + i % 2),
                                                 .answer = fake_blob(1 + i % 2)};
    }
    world->work = (struct work){.judge = world->judge,
                                .arena = world->arena,
                                .open_blob = fake_open_blob,
                                .context = world};
    *state = world;
    return 0;
}

static inline int fake_teardown(void **state) {
    struct fake_world *world = *state;
    judge_free(world->judge);
    language_set_free(world->languages);
    arena_free(world->arena);
    free(world);
    return 0;
}

static inline const struct language *fake_language(const struct fake_world *world, const char *id) {
    const struct language *language = language_find(world->languages, str_from(id));
    assert_non_null(language);
    return language;
}

/* The problem's checker becomes the program whose source is that blob. */
static inline void fake_checker(struct fake_world *world, int blob) {
    world->checker_file = (struct manifest_file){.name = STR("check.cpp"), .blob = fake_blob(blob)};
    world->manifest.checker = (struct manifest_checker){.kind = CHECKER_PROGRAM,
                                                        .program = {.language = STR("cpp"),
                                                                    .adapter = ADAPTER_ICPC,
                                                                    .files = &world->checker_file,
                                                                    .file_count = 1}};
}

#define FAKE_TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

#endif
