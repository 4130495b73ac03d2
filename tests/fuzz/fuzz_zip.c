/* Any bytes as a zip, read by package/tree.h and, if that works, as a problem package.
 *
 * Holds: the files of a tree have plain names in ascending order, each once, no file is also a
 * folder; each opens and has the length that the tree says; a refusal has a code and is UTF-8; a
 * problem that is read has a manifest that can be written. */
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/path.h"
#include "data/digest.h"
#include "package/package.h"
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define OPENED_MAX 50 /* files of a tree that are opened: enough to see, few enough to be quick */

static bool keep_nothing(void *context, int fd, struct blob_ref *ret_blob, struct err *err) {
    struct digest digest;
    (void)context;
    if (!digest_of_fd(fd, PACKAGE_FILE_BYTES_MAX, &digest, &ret_blob->bytes, err)) {
        return false;
    }
    memcpy(ret_blob->sha256, digest.bytes, sizeof(ret_blob->sha256));
    return true;
}

static void check_tree(const struct package_tree *tree) {
    for (size_t i = 0; i < package_tree_count(tree); i++) {
        const struct package_file *file = package_tree_at(tree, i);
        own_fd fd = -1;
        int64_t length = 0;
        struct err err = {0};
        CHECK(path_is_plain(file->name));
        CHECK(package_tree_find(tree, file->name) == file);
        if (i < OPENED_MAX) {
            CHECK(package_tree_read(tree, file, &fd, &err));
            CHECK(file_size(fd, &length, &err));
            CHECK(length == file->bytes);
        }
    }
}

static void check_problem(const struct package_problem *problem) {
    struct err err = {0};
    own_buf text;
    buf_init(&text, MANIFEST_BYTES_MAX);
    CHECK(manifest_write(&problem->manifest, &text, &err));
    CHECK(problem->title_count >= 1);
    CHECK(problem->code.len > 0 && problem->code.len <= PACKAGE_CODE_BYTES_MAX);
    CHECK(path_is_name(problem->code));
    for (int32_t i = 0; i < problem->statement_count; i++) {
        CHECK(str_is_utf8(problem->statements[i].text));
    }
}

static void check_refusal(const struct err *err) {
    CHECK(err->code != NULL && err->kind != ERR_NONE);
    CHECK(err->kind == ERR_INVALID || err->kind == ERR_TOO_LARGE);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    own(package_tree) tree = NULL;
    own(arena) arena = arena_create(PACKAGE_ARENA_BYTES);
    own_fd fd = -1;
    struct err err = {0};
    struct package_problem problem;
    struct package_report report;
    const struct package_options options = {.file_name = STR("fuzz.zip"), .put = keep_nothing};
    if (!file_memory("fuzz.zip", str_of(bytes, count), false, &fd, &err)) {
        return 0;
    }
    if (!package_tree_open_zip(fd, &tree, &err)) {
        check_refusal(&err);
        return 0;
    }
    check_tree(tree);
    if (package_read(tree, &options, arena, &problem, &report, &err)) {
        check_problem(&problem);
    } else {
        check_refusal(&err);
    }
    return 0;
}
