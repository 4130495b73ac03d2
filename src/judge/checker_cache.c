/* Compiled checkers in memory, shared by the slots. An entry is COMPILING while one slot works on
 * it; the others wait, and if it fails each tries for itself, so that each hears its own reason. */
#include "judge/checker_cache.h"
#include "base/check.h"
#include "base/log.h"
#include "judge/command.h"
#include "judge/compile.h"

#include <string.h>

#define CHECKER_ARENA_BYTES_MAX ((size_t)1 * MIB)
#define CHECKER_COMPILE_MEMORY_KIB_MIN (2048LL * KIB)

static_assert(JUDGE_CHECKERS_MAX > BOX_SLOTS_MAX, "each slot can hold a checker at once");

/* ---- key ---- */

struct digest checker_key(const struct manifest_program *program, const struct language *language) {
    struct digest_stream stream;
    digest_begin(&stream);
    digest_add_field(&stream, STR("checker 1"));
    digest_add_field(&stream, str_from(language->id));
    digest_add_field(&stream, str_of(language->digest, sizeof language->digest));
    digest_add_field(&stream, program->entry);
    for (int32_t i = 0; i < program->file_count; i++) {
        const struct manifest_file *file = &program->files[i];
        digest_add_field(&stream, file->name);
        digest_add_field(&stream, str_of(file->blob.sha256, sizeof file->blob.sha256));
    }
    return digest_end(&stream);
}

/* ---- compiling ---- */

/* What is asked for: the manifest's checker or its interactor. */
struct wanted {
    const struct manifest *manifest;
    const struct manifest_program *source;
    const struct language *language;
};

static const char *role_of(const struct manifest *manifest, const struct manifest_program *source) {
    return source == &manifest->interactor ? "interactor" : "checker";
}

static bool problem_fault(struct err *err) {
    err->fault = err->kind == ERR_SYSTEM ? FAULT_NODE : FAULT_PROBLEM;
    err->kind = ERR_SYSTEM;
    return err_wrap(err, "checker");
}

static bool gather_sources(struct work *work, const struct manifest_program *program,
                           struct fileset *files, struct err *err) {
    for (int32_t i = 0; i < program->file_count; i++) {
        const struct manifest_file *file = &program->files[i];
        own_fd fd = -1;
        if (!command_path_is_safe(file->name)) {
            return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "bad_checker_file",
                             "the checker has a file with a name that is not allowed");
        }
        if (!work_open_blob(work, &file->blob, &fd, err)) {
            return false;
        }
        /* Scripts lost their mode bits on the way into the store. */
        if (!fileset_add(files, work->arena, file->name, &fd,
                         (struct fileset_options){.executable = true}, err)) {
            return problem_fault(err);
        }
    }
    return true;
}

static bool compile_checker(struct work *work, const struct wanted *wanted, struct arena *arena,
                            struct program *program, struct err *err) {
    const struct manifest *manifest = wanted->manifest;
    const struct manifest_program *source = wanted->source;
    struct compile_result result = {.ok = false};
    int64_t memory_kib = manifest->limits.compile_memory_kib;
    own_fileset files = {.count = 0};
    if (!gather_sources(work, source, &files, err)) {
        return false;
    }
    struct compile_job job = {
        .language = wanted->language,
        .files = &files,
        .entry = source->entry,
        .time_ms = manifest->limits.compile_time_ms,
        .memory_kib = memory_kib > CHECKER_COMPILE_MEMORY_KIB_MIN ? memory_kib
                                                                  : CHECKER_COMPILE_MEMORY_KIB_MIN,
    };
    if (!compile_program(work, &job, arena, program, &result, err)) {
        return false;
    }
    if (!result.ok) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "checker_compile",
                         "the %s does not compile: " STR_FMT, role_of(manifest, source),
                         STR_ARG(str_utf8_prefix(result.log, 200)));
    }
    return true;
}

/* A cache that cannot be read or written only costs time. */
static bool make_checker(struct work *work, const struct wanted *wanted,
                         struct checker_entry *entry, struct err *err) {
    const char *folder = work->judge->cache_folder;
    struct err ignored = {0};
    entry->program = (struct program){.language = wanted->language};
    if (folder != NULL &&
        checker_load(folder, &entry->key, entry->arena, &entry->program, &ignored)) {
        return true;
    }
    if (!compile_checker(work, wanted, entry->arena, &entry->program, err)) {
        return false;
    }
    if (folder != NULL && !checker_save(folder, &entry->key, &entry->program, &ignored)) {
        log_debug("checker.not_saved", LOG_STR("error", ignored.text));
    }
    return true;
}

/* ---- the table, under the mutex ---- */

static void free_entry(struct checker_entry *entry) {
    program_done(&entry->program);
    arena_free(entry->arena);
    *entry = (struct checker_entry){.state = CHECKER_FREE};
}

static struct checker_entry *find_entry(struct judge *judge, const struct digest *key) {
    for (size_t i = 0; i < JUDGE_CHECKERS_MAX; i++) {
        struct checker_entry *entry = &judge->checkers[i];
        if (entry->state != CHECKER_FREE && digest_equal(&entry->key, key)) {
            return entry;
        }
    }
    return NULL;
}

/* A free entry, or the one that was not used for the longest time. There is always one: fewer
 * slots than entries. */
static struct checker_entry *new_entry(struct judge *judge, const struct digest *key) {
    struct checker_entry *oldest = NULL;
    for (size_t i = 0; i < JUDGE_CHECKERS_MAX; i++) {
        struct checker_entry *entry = &judge->checkers[i];
        bool idle =
            entry->state == CHECKER_FREE || (entry->state == CHECKER_READY && entry->users == 0);
        if (idle && (oldest == NULL || entry->used_at < oldest->used_at)) {
            oldest = entry;
        }
    }
    CHECK(oldest != NULL);
    free_entry(oldest);
    oldest->state = CHECKER_COMPILING;
    oldest->key = *key;
    oldest->arena = arena_create(CHECKER_ARENA_BYTES_MAX);
    return oldest;
}

static const struct program *use_entry(struct judge *judge, struct checker_entry *entry) {
    entry->users++;
    entry->used_at = ++judge->uses;
    return &entry->program;
}

/* Waits while another slot compiles it; false when the judging is no longer wanted. */
static bool wait_for(struct work *work, const struct digest *key, struct checker_entry **ret_entry,
                     struct err *err) {
    struct judge *judge = work->judge;
    struct checker_entry *entry = find_entry(judge, key);
    while (entry != NULL && entry->state == CHECKER_COMPILING) {
        if (!cond_wait_ms(&judge->changed, &judge->mutex, JUDGE_WAIT_MS)) {
            mutex_unlock(&judge->mutex);
            bool wanted = work_report(work, err);
            mutex_lock(&judge->mutex);
            if (!wanted) {
                return false;
            }
        }
        entry = find_entry(judge, key);
    }
    *ret_entry = entry;
    return true;
}

static bool acquire_locked(struct work *work, const struct wanted *wanted,
                           const struct program **ret_program, struct err *err) {
    struct judge *judge = work->judge;
    struct digest key = checker_key(wanted->source, wanted->language);
    struct checker_entry *entry = NULL;
    if (!wait_for(work, &key, &entry, err)) {
        return false;
    }
    if (entry != NULL) {
        *ret_program = use_entry(judge, entry);
        return true;
    }
    entry = new_entry(judge, &key);
    mutex_unlock(&judge->mutex);
    bool made = make_checker(work, wanted, entry, err);
    mutex_lock(&judge->mutex);
    if (made) {
        entry->state = CHECKER_READY;
        *ret_program = use_entry(judge, entry);
    } else {
        free_entry(entry);
    }
    cond_broadcast(&judge->changed);
    return made;
}

static const struct language *language_of(const struct judge *judge,
                                          const struct manifest_program *program) {
    const struct language *script = checker_script_language();
    return str_eq_c(program->language, script->id)
               ? script
               : language_find(judge->languages, program->language);
}

static bool is_callable(const struct manifest *manifest, const struct manifest_program *source) {
    return source == &manifest->interactor
               ? source->adapter == ADAPTER_ICPC || source->adapter == ADAPTER_TESTLIB
               : source->adapter > ADAPTER_NONE && source->adapter < ADAPTER_COUNT;
}

bool checker_acquire(struct work *work, const struct manifest *manifest,
                     const struct manifest_program *source, const struct program **ret_program,
                     struct err *err) {
    const struct wanted wanted = {
        .manifest = manifest, .source = source, .language = language_of(work->judge, source)};
    if (!is_callable(manifest, source)) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "unsupported_checker",
                         "the %s cannot be called in this way", role_of(manifest, source));
    }
    if (wanted.language == NULL) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "unsupported_checker",
                         "the %s is written in \"" STR_FMT "\", which is not known here",
                         role_of(manifest, source),
                         STR_ARG(str_utf8_prefix(source->language, LANGUAGE_ID_BYTES_MAX)));
    }
    mutex_lock(&work->judge->mutex);
    bool good = acquire_locked(work, &wanted, ret_program, err);
    mutex_unlock(&work->judge->mutex);
    return good;
}

void checker_release(struct judge *judge, const struct program *program) {
    if (program == NULL) {
        return;
    }
    mutex_lock(&judge->mutex);
    for (size_t i = 0; i < JUDGE_CHECKERS_MAX; i++) {
        if (&judge->checkers[i].program == program) {
            judge->checkers[i].users--;
            CHECK(judge->checkers[i].users >= 0);
        }
    }
    mutex_unlock(&judge->mutex);
}

void checker_cache_done(struct judge *judge) {
    for (size_t i = 0; i < JUDGE_CHECKERS_MAX; i++) {
        CHECK(judge->checkers[i].users == 0);
        if (judge->checkers[i].state != CHECKER_FREE) {
            free_entry(&judge->checkers[i]);
        }
    }
}
