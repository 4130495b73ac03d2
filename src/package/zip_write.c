/* A folder as a zip: the same files give the same bytes. */
#include "base/check.h"
#include "base/limits.h"
#include "package/tree.h"
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#define STEP_BYTES ((size_t)64 * KIB)
#define FIXED_TIME 1577836800 /* 2020-01-01: zip knows no time before 1980 */

static bool archive_error(struct archive *archive, struct err *err) {
    errno = archive_errno(archive);
    return err_system(err, "zip_failed", "cannot write the zip: %s", archive_error_string(archive));
}

static bool write_data(struct archive *archive, int fd, struct err *err) {
    own_text step = malloc(STEP_BYTES);
    CHECK(step != NULL);
    while (true) {
        ssize_t got = read(fd, step, STEP_BYTES);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return err_system(err, "read_failed", "cannot read");
        }
        if (got == 0) {
            return true;
        }
        if (archive_write_data(archive, step, (size_t)got) != got) {
            return archive_error(archive, err);
        }
    }
}

static bool write_file(struct archive *archive, const struct package_tree *tree,
                       const struct package_file *file, struct err *err) {
    char name[PACKAGE_PATH_BYTES_MAX + 1];
    own_fd fd = -1;
    if (!str_to_c(file->name, name, sizeof(name), err) ||
        !package_tree_read(tree, file, &fd, err)) {
        return false;
    }
    struct archive_entry *entry = archive_entry_new();
    CHECK(entry != NULL);
    archive_entry_set_pathname_utf8(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, file->executable ? 0755 : 0644);
    archive_entry_set_size(entry, file->bytes);
    archive_entry_set_mtime(entry, FIXED_TIME, 0);
    int result = archive_write_header(archive, entry);
    archive_entry_free(entry);
    if (result != ARCHIVE_OK) {
        return archive_error(archive, err);
    }
    return write_data(archive, fd, err) || err_wrap(err, "%s", name);
}

static bool write_tree(struct archive *archive, const struct package_tree *tree, int fd,
                       struct err *err) {
    if (archive_write_set_format_zip(archive) != ARCHIVE_OK ||
        archive_write_set_options(archive, "zip:hdrcharset=UTF-8") < ARCHIVE_WARN ||
        archive_write_open_fd(archive, fd) != ARCHIVE_OK) {
        return archive_error(archive, err);
    }
    for (size_t i = 0; i < package_tree_count(tree); i++) {
        if (!write_file(archive, tree, package_tree_at(tree, i), err)) {
            return false;
        }
    }
    return archive_write_close(archive) == ARCHIVE_OK || archive_error(archive, err);
}

bool package_zip_folder(const char *path, int fd, struct err *err) {
    own(package_tree) tree = NULL;
    if (!package_tree_open(path, &tree, err)) {
        return false;
    }
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (utf8 == (locale_t)0) {
        return err_system(err, "no_locale", "the locale C.UTF-8 is missing: install libc-bin");
    }
    locale_t before = uselocale(utf8);
    struct archive *archive = archive_write_new();
    CHECK(archive != NULL);
    bool ok = write_tree(archive, tree, fd, err);
    archive_write_free(archive);
    uselocale(before);
    freelocale(utf8);
    return ok;
}
