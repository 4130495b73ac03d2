/* Proves that this machine can judge a language: its toolchain says its version, compiles a hello
 * program in the box, and the program says hello there. */
#include "judge/prove.h"
#include "base/check.h"
#include "base/file.h"
#include "judge/compile.h"
#include "judge/sql_judge.h"
#include "judge/text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PROVE_TIME_MS 20000
#define PROVE_MEMORY_KIB (2048LL * KIB)
#define PROVE_OUTPUT_BYTES_MAX (16LL * KIB)

static const struct run_limits prove_limits = {.cpu_ms = PROVE_TIME_MS,
                                               .wall_ms = 3 * PROVE_TIME_MS,
                                               .memory_bytes = PROVE_MEMORY_KIB * KIB,
                                               .output_bytes = PROVE_OUTPUT_BYTES_MAX};

struct str prove_first_line(struct str text) {
    struct str line = {0};
    while (str_next_line(&text, &line)) {
        line = str_trim(line);
        if (line.len > 0) {
            return str_utf8_prefix(line, JUDGE_VERSION_BYTES_MAX - 1);
        }
    }
    return STR("");
}

static struct str known_version(struct work *work, size_t place) {
    mutex_lock(&work->judge->mutex);
    struct str version = arena_str(work->arena, str_from(work->judge->toolchains[place].version));
    mutex_unlock(&work->judge->mutex);
    return version;
}

static void remember_version(struct judge *judge, size_t place, struct str version) {
    CHECK(version.len < JUDGE_VERSION_BYTES_MAX);
    mutex_lock(&judge->mutex);
    memcpy(judge->toolchains[place].version, version.ptr, version.len);
    judge->toolchains[place].version[version.len] = '\0';
    mutex_unlock(&judge->mutex);
}

static bool is_whole(const struct language *language) {
    for (size_t i = 0; language->needs[i] != NULL; i++) {
        if (access(language->needs[i], R_OK) != 0) {
            return false;
        }
    }
    return true;
}

static bool unavailable(const struct language *language, struct err *err) {
    return err_set(err, ERR_MISSING, "language_unavailable",
                   "%s cannot be judged here: %s is not installed. Install it with: %s",
                   language->name, is_whole(language) ? language->version.argv[0] : "a part of it",
                   language->package_hint);
}

/* Runs one command of the toolchain and reads what it wrote to stdout. */
static bool run_and_read(struct work *work, const struct box_run_spec *spec,
                         const struct language *language, struct str *ret_text, struct err *err) {
    own_box_result box;
    box_result_init(&box);
    if (!work_run(work, spec, &box, err)) {
        return false;
    }
    if (box.end == BOX_END_START && box.exit_code == ENOENT) {
        return unavailable(language, err);
    }
    struct outcome outcome = outcome_of_tool(&box, &prove_limits);
    if (outcome.kind != OUTCOME_CHECK) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "language_broken", "%s: %s %s",
                         language->name, spec->argv[0], outcome.message);
    }
    return text_from_file(work->arena, box.stream_fds[1], (size_t)PROVE_OUTPUT_BYTES_MAX, ret_text,
                          err);
}

static bool run_version(struct work *work, const struct language *language, struct str *ret_version,
                        struct err *err) {
    const struct program toolchain = {.language = language, .entry = ""};
    const struct fileset no_files = {.count = 0};
    struct run_ask ask = {.program = &toolchain, .files = &no_files, .limits = prove_limits};
    struct box_run_spec spec = {0};
    struct str text = {0};
    if (!work_fill_run(work, &ask, &spec, err)) {
        return false;
    }
    spec.profile = BOX_PROFILE_COMPILE;
    spec.argv = language->version.argv;
    spec.roots = language->version.roots;
    spec.streams[1] = (struct box_stream){
        .kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = PROVE_OUTPUT_BYTES_MAX};
    if (!run_and_read(work, &spec, language, &text, err)) {
        return false;
    }
    *ret_version = prove_first_line(text);
    if (ret_version->len == 0) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "language_broken",
                         "%s: %s does not tell its version", language->name,
                         language->version.argv[0]);
    }
    return true;
}

bool prove_version(struct work *work, const struct language *language, struct str *ret_version,
                   struct err *err) {
    size_t place = judge_place_of(work->judge, language);
    struct str version = known_version(work, place);
    if (!is_whole(language)) {
        return unavailable(language, err);
    }
    if (version.len == 0) {
        bool good = sql_has_version(work, language) ? sql_version(work, language, &version, err)
                                                    : run_version(work, language, &version, err);
        if (!good) {
            return false;
        }
        remember_version(work->judge, place, version);
    }
    *ret_version = version;
    return true;
}

static bool compile_hello(struct work *work, const struct language *language,
                          struct program *program, struct err *err) {
    own_buf source = {0};
    buf_init(&source, SOURCE_BYTES_MAX);
    own_fileset files = {.count = 0};
    struct compile_result result = {.ok = false};
    if (!file_load(language->hello_file, SOURCE_BYTES_MAX, &source, err) ||
        !fileset_add_text(&files, work->arena, str_from(language->source_name), buf_str(&source),
                          (struct fileset_options){.executable = false}, err)) {
        return work_node_fault(err);
    }
    struct compile_job job = {.language = language,
                              .files = &files,
                              .time_ms = PROVE_TIME_MS,
                              .memory_kib = PROVE_MEMORY_KIB};
    if (!compile_program(work, &job, work->arena, program, &result, err)) {
        return false;
    }
    if (!result.ok) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "language_broken",
                         "%s does not compile its hello program (%s): " STR_FMT, language->name,
                         language->package_hint, STR_ARG(str_utf8_prefix(result.log, 120)));
    }
    return true;
}

bool prove_hello(struct work *work, const struct language *language, struct err *err) {
    if (language->sql != NULL) {
        return sql_prove(work, language, err);
    }
    own_program program = {.language = language};
    struct run_ask ask = {.program = &program, .files = &program.files, .limits = prove_limits};
    struct box_run_spec spec = {0};
    struct str text = {0};
    if (!compile_hello(work, language, &program, err) || !work_fill_run(work, &ask, &spec, err)) {
        return false;
    }
    spec.streams[1] = (struct box_stream){
        .kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = PROVE_OUTPUT_BYTES_MAX};
    if (!run_and_read(work, &spec, language, &text, err)) {
        return false;
    }
    if (!str_eq_c(text, "hello")) { /* white space at the end is cut off */
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "language_broken",
                         "%s: its hello program wrote \"" STR_FMT "\"", language->name,
                         STR_ARG(str_utf8_prefix(text, 64)));
    }
    return true;
}
