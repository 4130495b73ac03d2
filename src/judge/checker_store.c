/* Compiled checkers on disk: `<key>.<n>` for each file and `<key>.list` with one line a file:
 * SHA-256, "x" or "-" for executable, name. Only the judge writes there, yet every file is checked
 * against the list when it is read: a broken disk must not decide who is right. */
#include "base/file.h"
#include "judge/checker_cache.h"

#include <stdio.h>
#include <string.h>

#define LIST_BYTES_MAX (16 * KIB)
#define STORED_FILE_BYTES_MAX ((size_t)128 * MIB)
#define STORED_PATH_BYTES_MAX 4096

static bool make_path(const char *folder, const struct digest *key, const char *suffix,
                      char path[STORED_PATH_BYTES_MAX], struct err *err) {
    char hex[DIGEST_HEX_BYTES];
    digest_hex(key, hex);
    int length = snprintf(path, STORED_PATH_BYTES_MAX, "%s/%s.%s", folder, hex, suffix);
    if (length < 0 || length >= STORED_PATH_BYTES_MAX) {
        return err_set(err, ERR_TOO_LARGE, "path_too_long", "the cache folder's path is too long");
    }
    return true;
}

static bool file_path(const char *folder, const struct digest *key, size_t index,
                      char path[STORED_PATH_BYTES_MAX], struct err *err) {
    char suffix[24];
    (void)snprintf(suffix, sizeof suffix, "%zu", index);
    return make_path(folder, key, suffix, path, err);
}

static bool save_one(const char *folder, const struct digest *key, size_t index,
                     const struct box_file *file, struct buf *list, struct err *err) {
    char path[STORED_PATH_BYTES_MAX];
    char hex[DIGEST_HEX_BYTES];
    own_buf content = {0};
    buf_init(&content, STORED_FILE_BYTES_MAX);
    if (!file_path(folder, key, index, path, err) ||
        !file_read_all(file->fd, STORED_FILE_BYTES_MAX, &content, err) ||
        !file_save_atomic(path, buf_str(&content), 0600, err)) {
        return false;
    }
    struct digest digest = digest_of(buf_str(&content));
    digest_hex(&digest, hex);
    (void)buf_printf(list, "%s %c %s\n", hex, file->executable ? 'x' : '-', file->name);
    return true;
}

bool checker_save(const char *folder, const struct digest *key, const struct program *program,
                  struct err *err) {
    char path[STORED_PATH_BYTES_MAX];
    own_buf list = {0};
    buf_init(&list, LIST_BYTES_MAX);
    (void)buf_printf(&list, "entry %s\n", program->entry);
    for (size_t i = 0; i < program->files.count; i++) {
        if (!save_one(folder, key, i, &program->files.files[i], &list, err)) {
            return false;
        }
    }
    return buf_ok(&list, "list of a compiled checker", err) &&
           make_path(folder, key, "list", path, err) &&
           file_save_atomic(path, buf_str(&list), 0600, err);
}

static bool not_whole(struct err *err) {
    return err_set(err, ERR_MISSING, "no_checker", "no whole compiled checker is stored");
}

static bool load_one(const char *path, struct str line, struct arena *arena,
                     struct program *program, struct err *err) {
    struct str hex = {0};
    struct str mode = {0};
    struct digest expected = {0};
    struct digest found = {0};
    int64_t bytes = 0;
    own_fd fd = -1;
    if (!str_cut(line, ' ', &hex, &line) || !str_cut(line, ' ', &mode, &line) ||
        !digest_parse(hex, &expected)) {
        return not_whole(err);
    }
    if (!file_open_read(path, &fd, err) ||
        !digest_of_fd(fd, STORED_FILE_BYTES_MAX, &found, &bytes, err)) {
        return false;
    }
    if (!digest_equal(&expected, &found)) {
        return not_whole(err);
    }
    return fileset_add(&program->files, arena, line, &fd,
                       (struct fileset_options){.executable = str_eq_c(mode, "x")}, err);
}

bool checker_load(const char *folder, const struct digest *key, struct arena *arena,
                  struct program *program, struct err *err) {
    char path[STORED_PATH_BYTES_MAX];
    own_buf list = {0};
    buf_init(&list, LIST_BYTES_MAX);
    struct str line = {0};
    size_t index = 0;
    if (!make_path(folder, key, "list", path, err) ||
        !file_load(path, LIST_BYTES_MAX, &list, err)) {
        return false;
    }
    struct str rest = buf_str(&list);
    if (!str_next_line(&rest, &line) || !str_starts(line, STR("entry "))) {
        return not_whole(err);
    }
    program->entry = arena_cstr(arena, str_sub(line, strlen("entry "), line.len));
    while (str_next_line(&rest, &line)) {
        if (!file_path(folder, key, index, path, err) ||
            !load_one(path, line, arena, program, err)) {
            fileset_done(&program->files);
            return false;
        }
        index++;
    }
    return program->files.count > 0 ? fileset_keep(&program->files, err) : not_whole(err);
}
