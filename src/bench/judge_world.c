/* One problem in memory, judged over and over. */
#include "bench/judge_world.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "local/cache_place.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARENA_BYTES_MAX ((size_t)16 * MIB)
#define TEXT_BYTES_MAX ((size_t)64 * KIB)
#define SUPPORT_BYTES_MAX ((size_t)1 * MIB)
#define TIME_LIMIT_MS 20000 /* nothing here is about limits */

/* ---- texts ---- */

#define EMBEDDED(name) extern const char embedded_##name[], embedded_##name##_end[]
EMBEDDED(sum_cpp);
EMBEDDED(long_cpp);
EMBEDDED(sum_java);
EMBEDDED(sum_ets);
EMBEDDED(sum_py);
EMBEDDED(sum_js);
EMBEDDED(check_cpp);
EMBEDDED(plain_cpp);
EMBEDDED(plain_java);
EMBEDDED(plain_arkts);

static const struct {
    const char *from;
    const char *to;
} texts[TEXT_COUNT] = {
    [TEXT_SUM_CPP] = {embedded_sum_cpp, embedded_sum_cpp_end},
    [TEXT_LONG_CPP] = {embedded_long_cpp, embedded_long_cpp_end},
    [TEXT_SUM_JAVA] = {embedded_sum_java, embedded_sum_java_end},
    [TEXT_SUM_ETS] = {embedded_sum_ets, embedded_sum_ets_end},
    [TEXT_SUM_PY] = {embedded_sum_py, embedded_sum_py_end},
    [TEXT_SUM_JS] = {embedded_sum_js, embedded_sum_js_end},
    [TEXT_CHECK_CPP] = {embedded_check_cpp, embedded_check_cpp_end},
    [TEXT_PLAIN_CPP] = {embedded_plain_cpp, embedded_plain_cpp_end},
    [TEXT_PLAIN_JAVA] = {embedded_plain_java, embedded_plain_java_end},
    [TEXT_PLAIN_ARKTS] = {embedded_plain_arkts, embedded_plain_arkts_end},
};

struct str judge_text(enum judge_text text) {
    return str_of(texts[text].from, (size_t)(texts[text].to - texts[text].from));
}

/* ---- the problem ---- */

/* A blob's digest is only its place here. */
enum blob { BLOB_INPUT, BLOB_ANSWER, BLOB_VALIDATOR };

static bool open_blob(void *context, const struct blob_ref *blob, int *ret_fd, struct err *err) {
    (void)context;
    switch ((enum blob)blob->sha256[0]) {
    case BLOB_INPUT: return file_memory("input", STR("20 22\n"), false, ret_fd, err);
    case BLOB_ANSWER: return file_memory("answer", STR("42\n"), false, ret_fd, err);
    case BLOB_VALIDATOR:
        return file_memory("check.cpp", judge_text(TEXT_CHECK_CPP), false, ret_fd, err);
    }
    return err_set(err, ERR_MISSING, "no_blob", "the problem has no such file");
}

static struct blob_ref blob_of(enum blob place, struct str text) {
    return (struct blob_ref){.sha256 = {(uint8_t)place}, .bytes = (int64_t)text.len};
}

static void make_problem(const struct judge_ask *ask, struct arena *arena,
                         struct manifest *manifest) {
    struct manifest_case *cases = arena_array(arena, (size_t)ask->cases, sizeof *cases);
    struct manifest_file *validator = arena_array(arena, 1, sizeof *validator);
    manifest_defaults(manifest);
    manifest->limits.time_ms = TIME_LIMIT_MS;
    for (int32_t i = 0; i < ask->cases; i++) {
        cases[i] =
            (struct manifest_case){.name = str_from(arena_printf(arena, "secret/%d", (int)i)),
                                   .group = -1,
                                   .input = blob_of(BLOB_INPUT, STR("20 22\n")),
                                   .answer = blob_of(BLOB_ANSWER, STR("42\n"))};
    }
    manifest->cases = cases;
    manifest->case_count = ask->cases;
    if (ask->validator) {
        *validator = (struct manifest_file){
            .name = STR("check.cpp"), .blob = blob_of(BLOB_VALIDATOR, judge_text(TEXT_CHECK_CPP))};
        manifest->checker = (struct manifest_checker){.kind = CHECKER_PROGRAM,
                                                      .program = {.language = STR("cpp"),
                                                                  .adapter = ADAPTER_ICPC,
                                                                  .files = validator,
                                                                  .file_count = 1}};
    }
}

/* ---- the compilers as they come ---- */

static bool save(const struct judge_world *world, const char *id, const char *name,
                 struct str content, struct err *err) {
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s/%s", world->folder, id, name);
    return file_save_atomic(path, content, 0644, err);
}

static bool copy_support(const struct judge_world *world, const char *id, const char *from_id,
                         struct err *err) {
    const struct language *from = language_find(world->session.languages, str_from(from_id));
    for (size_t i = 0; from != NULL && from->support != NULL && from->support[i] != NULL; i++) {
        char path[PATH_MAX];
        own_buf content = {0};
        buf_init(&content, SUPPORT_BYTES_MAX);
        (void)snprintf(path, sizeof path, "%s/%s", from->folder, from->support[i]);
        if (!file_load(path, SUPPORT_BYTES_MAX, &content, err) ||
            !save(world, id, from->support[i], buf_str(&content), err)) {
            return false;
        }
    }
    return true;
}

static bool make_plain(struct judge_world *world, struct err *err) {
    static const struct {
        const char *id;
        const char *from;
        enum judge_text spec;
        const char *hello;
        enum judge_text source;
    } rows[] = {
        {"plain-cpp", "cpp", TEXT_PLAIN_CPP, "hello.cpp", TEXT_SUM_CPP},
        {"plain-java", "java", TEXT_PLAIN_JAVA, "Hello.java", TEXT_SUM_JAVA},
        {"plain-arkts", "arkts", TEXT_PLAIN_ARKTS, "hello.ets", TEXT_SUM_ETS},
    };
    (void)snprintf(world->folder, sizeof world->folder, "/var/tmp/assize-bench-judge-XXXXXX");
    if (mkdtemp(world->folder) == NULL) {
        world->folder[0] = '\0';
        return err_system(err, "bench_failed", "make a folder in /var/tmp");
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[PATH_MAX];
        (void)snprintf(path, sizeof path, "%s/%s", world->folder, rows[i].id);
        if (!file_make_dirs(path, 0755, err) ||
            !save(world, rows[i].id, "language.yaml", judge_text(rows[i].spec), err) ||
            !save(world, rows[i].id, rows[i].hello, judge_text(rows[i].source), err) ||
            !copy_support(world, rows[i].id, rows[i].from, err)) {
            return false;
        }
    }
    return language_set_load(world->folder, &world->plain, err);
}

/* ---- all ---- */

bool judge_world_open(struct judge_world *world, struct err *err) {
    char cache[PATH_MAX];
    *world = (struct judge_world){.folder = ""};
    bool has_cache = cache_place_find(cache, sizeof cache);
    if (!session_open(&world->session, "", 1, err) || !make_plain(world, err)) {
        return false;
    }
    world->plain_judge =
        judge_create(&(struct judge_options){.box = world->session.box,
                                             .languages = world->plain,
                                             .cache_folder = has_cache ? cache : NULL});
    return true;
}

void judge_world_close(struct judge_world *world) {
    if (world == NULL) {
        return;
    }
    judge_free(world->plain_judge);
    language_set_free(world->plain);
    session_done(&world->session);
    if (world->folder[0] != '\0') {
        struct err ignored = {0};
        (void)!file_remove_tree(world->folder, &ignored);
    }
    *world = (struct judge_world){.folder = ""};
}

static const struct language *find_language(const struct judge_world *world,
                                            const struct judge_ask *ask) {
    const struct language_set *set = ask->plain ? world->plain : world->session.languages;
    return language_find(set, str_from(ask->language));
}

static struct judge *judge_of(const struct judge_world *world, const struct judge_ask *ask) {
    return ask->plain ? world->plain_judge : world->session.judge;
}

bool judge_world_has(struct judge_world *world, const struct judge_ask *ask) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    const struct language *language = find_language(world, ask);
    struct judge_took ignored_took;
    struct err ignored = {0};
    return language != NULL &&
           judge_warm_language(judge_of(world, ask), 0, language, NULL, NULL, &ignored) &&
           judge_world_once(world, ask, &ignored_took, &ignored);
}

bool judge_world_once(struct judge_world *world, const struct judge_ask *ask,
                      struct judge_took *ret_took, struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    own_buf source = {0};
    const struct language *language = find_language(world, ask);
    struct judgement judgement = {.verdict = VERDICT_NONE};
    struct manifest manifest;
    CHECK(language != NULL);
    make_problem(ask, arena, &manifest);
    buf_init(&source, TEXT_BYTES_MAX);
    (void)buf_append(&source, judge_text(ask->source));
    if (!ask->again) {
        (void)buf_printf(&source, "%s %lld\n", ask->source == TEXT_SUM_PY ? "#" : "//",
                         (long long)++world->asked);
    }
    struct judge_source file = {.name = str_from(language->source_name), .text = buf_str(&source)};
    struct judge_request request = {.manifest = &manifest,
                                    .language = language,
                                    .sources = &file,
                                    .source_count = 1,
                                    .open_blob = open_blob};
    int64_t before_ns = clock_real_mono_ns();
    if (!judge_submission(judge_of(world, ask), &request, arena, &judgement, err)) {
        return false;
    }
    *ret_took = (struct judge_took){.all_ns = clock_real_mono_ns() - before_ns,
                                    .compile_ns = judgement.compile.wall_ms * 1000000};
    return judgement.verdict == VERDICT_ACCEPTED ||
           err_set(err, ERR_SYSTEM, "bench_failed", "%s was not accepted but %s: " STR_FMT,
                   language->name, verdict_code(judgement.verdict), STR_ARG(judgement.compile.log));
}
