/* Files of a package as package/package.h reads them, without the zip around them: the input is
 * `@name` lines, each followed by the file's content.
 *
 * Holds: what is read has a manifest that can be written and read back; reading again gives the
 * same manifest; a refusal is UTF-8 with a code; every note's text is bounded. */
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/path.h"
#include "data/digest.h"
#include "package/package.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define FILES_MAX 60

static bool keep_nothing(void *context, int fd, struct blob_ref *ret_blob, struct err *err) {
    struct digest digest;
    (void)context;
    if (!digest_of_fd(fd, PACKAGE_FILE_BYTES_MAX, &digest, &ret_blob->bytes, err)) {
        return false;
    }
    memcpy(ret_blob->sha256, digest.bytes, sizeof(ret_blob->sha256));
    return true;
}

/* A name that is a folder already, or the other way round, is left out: no folder can hold it. */
static void put_file(const char *folder, struct str name, struct str content) {
    char path[2048];
    struct err err = {0};
    if (!path_is_plain(name)) {
        return;
    }
    snprintf(path, sizeof(path), "%s/" STR_FMT, folder, STR_ARG(name));
    char *slash = strrchr(path, '/');
    *slash = '\0';
    if (!file_make_dirs(path, 0755, &err)) {
        return;
    }
    *slash = '/';
    own_fd fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    CHECK(fd < 0 || file_write_all(fd, content, &err));
}

/* The text up to the next line that begins with '@'. */
static struct str next_content(struct str *rest) {
    struct str all = *rest;
    const char *end =
        all.len > 0 && all.ptr[0] == '@' ? all.ptr : memmem(all.ptr, all.len, "\n@", 2);
    size_t len = end == NULL ? all.len : (size_t)(end - all.ptr) + (end == all.ptr ? 0 : 1);
    *rest = str_sub(all, len, all.len);
    return str_sub(all, 0, len);
}

static void unpack(const char *folder, struct str text) {
    struct str line = STR("");
    for (int i = 0; i < FILES_MAX && str_next_line(&text, &line); i++) {
        struct str content = next_content(&text);
        if (str_starts(line, STR("@"))) {
            put_file(folder, str_sub(line, 1, line.len), content);
        }
    }
}

static void check_notes(const struct package_notes *notes) {
    CHECK(notes->count <= PACKAGE_NOTES_MAX);
    for (int32_t i = 0; i < notes->count; i++) {
        CHECK(notes->items[i].text.len < 1024);
    }
}

/* Appends the manifest's text; false when the package was refused. */
static bool read_folder(const char *folder, struct buf *into) {
    own(package_tree) tree = NULL;
    own(arena) arena = arena_create(PACKAGE_ARENA_BYTES);
    struct package_problem problem;
    struct package_report report = {.format = NULL};
    struct err err = {0};
    const struct package_options options = {
        .file_name = STR("fuzz"), .recipes = true, .put = keep_nothing};
    bool ok = package_tree_open(folder, &tree, &err) &&
              package_read(tree, &options, arena, &problem, &report, &err);
    check_notes(&report.warnings);
    check_notes(&report.dropped);
    if (!ok) {
        CHECK(err.kind == ERR_INVALID || err.kind == ERR_TOO_LARGE);
        CHECK(err.code != NULL);
        return false;
    }
    CHECK(manifest_write(&problem.manifest, into, &err));
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char folder[] = "/tmp/assize-fuzz-XXXXXX";
    struct err err = {0};
    own_buf first;
    own_buf second;
    buf_init(&first, MANIFEST_BYTES_MAX);
    buf_init(&second, MANIFEST_BYTES_MAX);
    if (mkdtemp(folder) == NULL) {
        return 0;
    }
    unpack(folder, str_of(bytes, count));
    if (read_folder(folder, &first)) {
        own(arena) arena = arena_create(64 * (size_t)MIB);
        struct manifest manifest;
        CHECK(read_folder(folder, &second));
        CHECK(str_eq(buf_str(&first), buf_str(&second)));
        CHECK(manifest_read(buf_str(&first), arena, &manifest, &err));
    }
    CHECK(file_remove_tree(folder, &err));
    return 0;
}
