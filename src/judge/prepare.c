/* Preparing a language on this machine. A folder is made under a name of its own and renamed into
 * place, so it is whole or not there; when two processes make the same one, the first wins. */
#include "judge/prepare.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "judge/command.h"
#include "judge/prepared.h"
#include "judge/prove.h"
#include "judge/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREPARE_TIME_MS 120000
#define PREPARE_MEMORY_KIB (2048LL * KIB)
#define PREPARE_FILE_BYTES_MAX (192LL * MIB)
#define PREPARE_WORK_BYTES_MAX (1024LL * MIB)
#define PREPARE_INODES_MAX 4096
#define PREPARE_PIDS_MAX 128
#define PREPARE_OPEN_FILES_MAX 1024
#define PREPARE_STREAM_BYTES_MAX (64LL * KIB)
#define PREPARED_FOLDERS_MAX 64 /* of all languages and their versions on this machine */
#define COPY_BYTES_MAX ((size_t)PREPARE_FILE_BYTES_MAX)

static bool has_folder(const struct language *language) {
    return (language->support != NULL && language->support[0] != NULL) ||
           language->prepare.command.argv != NULL;
}

/* ---- what the folder will hold ---- */

static bool add_support(const struct work *work, const struct language *language,
                        struct fileset *files, struct err *err) {
    for (size_t i = 0; language->support[i] != NULL; i++) {
        own_fd fd = -1;
        const char *path =
            arena_printf(work->arena, "%s/%s", language->folder, language->support[i]);
        if (!file_open_read(path, &fd, err) ||
            !fileset_add(files, work->arena, str_from(language->support[i]), &fd,
                         (struct fileset_options){.executable = false}, err)) {
            return false;
        }
    }
    return true;
}

static bool save_file(const struct work *work, const char *folder, const char *name, int fd,
                      struct err *err) {
    const char *path = arena_printf(work->arena, "%s/%s", folder, name);
    const char *above = arena_str(work->arena, str_from(path)).ptr;
    struct str parent = {0};
    struct str base = {0};
    own_buf content = {0};
    buf_init(&content, COPY_BYTES_MAX);
    CHECK(str_cut_last(str_from(above), '/', &parent, &base));
    return file_make_dirs(arena_cstr(work->arena, parent), 0755, err) &&
           lseek(fd, 0, SEEK_SET) == 0 && file_read_all(fd, COPY_BYTES_MAX, &content, err) &&
           file_save_atomic(path, buf_str(&content), 0644, err);
}

static bool save_files(const struct work *work, const char *folder, const struct fileset *files,
                       struct err *err) {
    for (size_t i = 0; i < files->count; i++) {
        if (!save_file(work, folder, files->files[i].name, files->files[i].fd, err)) {
            return false;
        }
    }
    return true;
}

static bool run_command(struct work *work, const struct language *language,
                        const struct fileset *files, struct box_result *box, struct err *err) {
    const struct language_prepare *prepare = &language->prepare;
    struct box_stream kept = {
        .kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = PREPARE_STREAM_BYTES_MAX};
    struct box_run_spec spec = {
        .profile = prepare->as_server ? BOX_PROFILE_SERVER : BOX_PROFILE_COMPILE,
        .service = prepare->as_server,
        .argv = prepare->command.argv,
        .env = language->env,
        .roots = prepare->command.roots,
        .files = files->files,
        .file_count = files->count,
        .outputs = prepare->produces,
        .output_file_bytes_max = PREPARE_FILE_BYTES_MAX,
        .streams = {{.kind = BOX_STREAM_NULL, .fd = -1}, kept, kept},
        .limits = {.cpu_ms = PREPARE_TIME_MS,
                   .wall_ms = 2 * PREPARE_TIME_MS,
                   .memory_bytes = PREPARE_MEMORY_KIB * KIB,
                   .file_bytes = PREPARE_FILE_BYTES_MAX,
                   .work_bytes = PREPARE_WORK_BYTES_MAX,
                   .work_inodes = PREPARE_INODES_MAX,
                   .pids_max = PREPARE_PIDS_MAX,
                   .open_files_max = PREPARE_OPEN_FILES_MAX},
    };
    return work_run(work, &spec, box, err);
}

static bool not_prepared(const struct work *work, const struct language *language,
                         const struct box_result *box, struct err *err) {
    struct str words = {0};
    struct err ignored = {0};
    if (!text_from_file(work->arena, box->stream_fds[2], PREPARE_STREAM_BYTES_MAX, &words,
                        &ignored)) {
        words = STR("");
    }
    return err_fault(err, FAULT_NODE, ERR_SYSTEM, "language_broken",
                     "%s: preparing it failed (exit status %d, signal %d). Is it installed whole? "
                     "%s. It said: " STR_FMT,
                     language->name, box->exit_code, box->signal, language->package_hint,
                     STR_ARG(str_utf8_prefix(words, 200)));
}

static bool run_and_save(struct work *work, const struct language *language, const char *folder,
                         const struct fileset *files, struct err *err) {
    own_box_result box;
    box_result_init(&box);
    if (language->prepare.command.argv == NULL) {
        return true;
    }
    if (!run_command(work, language, files, &box, err)) {
        return false;
    }
    if (box.end != BOX_END_EXIT || box.exit_code != 0) {
        return not_prepared(work, language, &box, err);
    }
    for (size_t i = 0; language->prepare.produces[i] != NULL; i++) {
        if (box.output_states[i] != BOX_OUTPUT_FILE) {
            return not_prepared(work, language, &box, err);
        }
        if (!save_file(work, folder, language->prepare.produces[i], box.output_fds[i], err)) {
            return false;
        }
    }
    return true;
}

static bool fill(struct work *work, const struct language *language, const char *folder,
                 struct err *err) {
    own_fileset files = {.count = 0};
    return file_make_dirs(folder, 0755, err) && add_support(work, language, &files, err) &&
           run_and_save(work, language, folder, &files, err) &&
           save_files(work, folder, &files, err);
}

/* ---- where it is ---- */

static bool folder_name(struct work *work, const struct language *language, const char **ret_folder,
                        struct err *err) {
    char hex[DIGEST_HEX_BYTES];
    struct str version = {0};
    struct digest_stream stream;
    if (!prove_version(work, language, &version, err)) {
        return false;
    }
    if (work->judge->cache_folder == NULL) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "no_cache_folder",
                         "%s needs a folder for what is prepared", language->name);
    }
    digest_begin(&stream);
    digest_add_field(&stream, STR("prepared 1"));
    digest_add_field(&stream, str_from(language->id));
    digest_add_field(&stream, str_of(language->digest, sizeof language->digest));
    digest_add_field(&stream, version);
    struct digest digest = digest_end(&stream);
    digest_hex(&digest, hex);
    *ret_folder = arena_printf(work->arena, "%s/prepared/%s", work->judge->cache_folder, hex);
    return true;
}

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool make(struct work *work, const struct language *language, const char *folder,
                 struct err *err) {
    struct err ignored = {0};
    const char *made = arena_printf(work->arena, "%s.%ld-%d", folder, (long)getpid(), work->slot);
    int64_t began_ms = clock_mono_ms(&clock_real);
    bool good = fill(work, language, made, err);
    if (good && rename(made, folder) != 0 && !is_folder(folder)) {
        good = err_system(err, "prepare_failed", "rename %s", made);
    }
    if (is_folder(made) && !file_remove_tree(made, &ignored)) {
        log_debug("language.leftover", LOG_STR("error", ignored.text));
    }
    if (good) {
        log_debug("language.prepared", LOG_STR("language", language->id),
                  LOG_I64("ms", clock_mono_ms(&clock_real) - began_ms));
    }
    return good;
}

/* ---- one at a time ---- */

const char *prepare_folder(struct judge *judge, const struct language *language) {
    if (!has_folder(language)) {
        return NULL;
    }
    mutex_lock(&judge->mutex);
    const char *folder = judge->toolchains[judge_place_of(judge, language)].prepared;
    mutex_unlock(&judge->mutex);
    return folder;
}

const char *prepare_place(struct judge *judge, const struct language *language,
                          struct arena *arena) {
    char place[BOX_PLACE_BYTES];
    const char *folder = prepare_folder(judge, language);
    return folder == NULL ? NULL : arena_cstr(arena, str_from(box_root_place(folder, place)));
}

/* Under the mutex: waits while another slot prepares the language. */
static bool wait_for(struct work *work, const struct toolchain *toolchain, struct err *err) {
    while (toolchain->preparing) {
        if (!cond_wait_ms(&work->judge->changed, &work->judge->mutex, JUDGE_WAIT_MS)) {
            mutex_unlock(&work->judge->mutex);
            bool wanted = work_report(work, err);
            mutex_lock(&work->judge->mutex);
            if (!wanted) {
                return false;
            }
        }
    }
    return true;
}

static bool make_and_hold(struct work *work, const struct language *language, const char *folder,
                          int *ret_fd, struct err *err) {
    const char *above = arena_printf(work->arena, "%s/prepared", work->judge->cache_folder);
    if (!make(work, language, folder, err)) {
        return false;
    }
    if (!prepared_hold(folder, ret_fd)) {
        return err_system(err, "prepare_failed", "open %s", folder);
    }
    prepared_prune(above, PREPARED_FOLDERS_MAX, clock_utc_ms(&clock_real));
    return true;
}

static bool find_or_make(struct work *work, const struct language *language, bool all,
                         struct toolchain *ret_toolchain, struct err *err) {
    const char *folder = NULL;
    own_fd held = -1;
    if (!folder_name(work, language, &folder, err)) {
        return false;
    }
    if (!prepared_hold(folder, &held)) {
        if (language->prepare.optional && !all) {
            return true;
        }
        if (!make_and_hold(work, language, folder, &held, err)) {
            return false;
        }
    }
    char *real = realpath(folder, NULL); /* the box follows no link */
    if (real == NULL) {
        return err_system(err, "prepare_failed", "resolve %s", folder);
    }
    ret_toolchain->prepared = real;
    ret_toolchain->held_fd = held;
    held = -1;
    return true;
}

bool prepare_language(struct work *work, const struct language *language, bool all,
                      struct err *err) {
    struct judge *judge = work->judge;
    if (!has_folder(language) || (language->prepare.optional && judge->cache_folder == NULL)) {
        return true;
    }
    struct toolchain *toolchain = &judge->toolchains[judge_place_of(judge, language)];
    mutex_lock(&judge->mutex);
    bool good = wait_for(work, toolchain, err);
    if (good && toolchain->prepared == NULL && (all || !toolchain->looked)) {
        struct toolchain found = {.prepared = NULL};
        toolchain->preparing = true;
        mutex_unlock(&judge->mutex);
        good = find_or_make(work, language, all, &found, err) || work_node_fault(err);
        mutex_lock(&judge->mutex);
        toolchain->preparing = false;
        toolchain->looked = good;
        toolchain->prepared = found.prepared;
        toolchain->held_fd = found.held_fd;
        cond_broadcast(&judge->changed);
    }
    mutex_unlock(&judge->mutex);
    return good;
}

const char *const *prepare_roots(const struct work *work, const struct language *language,
                                 const char *const *roots) {
    const char *folder = prepare_folder(work->judge, language);
    size_t count = 0;
    while (roots[count] != NULL) {
        count++;
    }
    const char **all = arena_array(work->arena, count + 2, sizeof *all);
    memcpy(all, roots, count * sizeof *all);
    all[count] = folder;
    return all;
}
