/* A package from a zip, unpacked into one anonymous file. What an entry says about itself is not
 * believed: names are checked, sizes are counted while unpacking. */
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "package/charset.h"
#include "package/scratch.h"
#include "package/tree_internal.h"
#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_BYTES ((size_t)64 * KIB)
#define RATIO_FREE_BYTES (1 * MIB) /* unpacked before the ratio is looked at */

struct zip {
    struct archive *archive;
    struct package_tree *tree;
    int64_t packed_bytes;
    int64_t unpacked_bytes;
    int64_t unpacked_max;
    char *step;
};

static bool archive_error(const struct zip *zip, struct str name, struct err *err) {
    const char *text = archive_error_string(zip->archive);
    return err_set(err, ERR_INVALID, "bad_package", "the zip is broken%s" STR_FMT ": %s",
                   name.len > 0 ? " at " : "", STR_ARG(name), text == NULL ? "no reason" : text);
}

/* The name as UTF-8 with '/' between folders and none at its end. */
static struct str entry_name(struct zip *zip, struct archive_entry *entry) {
    const char *charset = NULL;
    struct str name =
        charset_decode(zip->tree->arena, str_from(archive_entry_pathname(entry)), &charset);
    if (charset != NULL) {
        zip->tree->charset = charset;
    }
    char *text = arena_alloc(zip->tree->arena, name.len + 1);
    for (size_t i = 0; i < name.len; i++) {
        text[i] = name.ptr[i] == '\\' ? '/' : name.ptr[i]; /* some Windows programs write it */
    }
    name = str_of(text, name.len);
    while (str_starts(name, STR("./"))) {
        name = str_sub(name, 2, name.len);
    }
    return str_ends(name, STR("/")) ? str_sub(name, 0, name.len - 1) : name;
}

static bool is_bomb(const struct zip *zip) {
    return zip->unpacked_bytes > zip->unpacked_max ||
           (zip->unpacked_bytes > RATIO_FREE_BYTES &&
            zip->unpacked_bytes / PACKAGE_RATIO_MAX > zip->packed_bytes);
}

static bool unpack(struct zip *zip, struct package_file *file, struct err *err) {
    file->offset = zip->unpacked_bytes;
    while (true) {
        ssize_t got = archive_read_data(zip->archive, zip->step, STEP_BYTES);
        if (got < 0) {
            return archive_error(zip, file->name, err);
        }
        if (got == 0) {
            return true;
        }
        zip->unpacked_bytes += got;
        file->bytes += got;
        if (is_bomb(zip) || file->bytes > PACKAGE_FILE_BYTES_MAX) {
            return err_set(err, ERR_TOO_LARGE, "package_too_large",
                           STR_FMT ": the zip unpacks to far more than it may",
                           STR_ARG(file->name));
        }
        if (!file_write_all(zip->tree->store_fd, str_of(zip->step, (size_t)got), err)) {
            return err_wrap(err, "unpack the zip");
        }
    }
}

static bool read_entry(struct zip *zip, struct archive_entry *entry, struct err *err) {
    bool ignored = false;
    struct str raw = str_from(archive_entry_pathname(entry));
    if (raw.len >
        PACKAGE_PATH_BYTES_MAX) { /* before it is decoded: that takes several times its room */
        return err_set(err, ERR_INVALID, "bad_package",
                       "the zip holds a name of %zu bytes: at most %d are allowed", raw.len,
                       PACKAGE_PATH_BYTES_MAX);
    }
    struct package_file file = {.name = entry_name(zip, entry),
                                .executable = (archive_entry_perm(entry) & 0100) != 0};
    unsigned type = archive_entry_filetype(entry);
    if (file.name.len == 0 && type == AE_IFDIR) {
        return true;
    }
    if (!tree_accept(zip->tree, file.name, &ignored, err)) {
        return false;
    }
    if (ignored || type == AE_IFDIR) {
        return true;
    }
    if (type != AE_IFREG) {
        return tree_refuse(err, file.name,
                           "it is a link or a special file; a zip may only hold plain files");
    }
    return unpack(zip, &file, err) && tree_add(zip->tree, &file, err);
}

static bool read_entries(struct zip *zip, struct err *err) {
    struct archive_entry *entry = NULL;
    while (true) {
        int result = archive_read_next_header(zip->archive, &entry);
        if (result == ARCHIVE_EOF) {
            return true;
        }
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN) {
            return archive_error(zip, STR(""), err);
        }
        if (!read_entry(zip, entry, err)) {
            return false;
        }
    }
}

static bool open_archive(struct zip *zip, int fd, struct err *err) {
    if (archive_read_support_format_zip_seekable(zip->archive) != ARCHIVE_OK ||
        lseek(fd, 0, SEEK_SET) != 0) {
        return err_system(err, "zip_failed", "cannot prepare to read a zip");
    }
    if (archive_read_open_fd(zip->archive, fd, STEP_BYTES) != ARCHIVE_OK) {
        return err_set(err, ERR_INVALID, "bad_package",
                       "it is no zip file that can be read: send a folder packed with zip");
    }
    return true;
}

static bool read_zip(struct package_tree *tree, int fd, int64_t bytes, int64_t unpacked_max,
                     struct err *err) {
    own_text step = malloc(STEP_BYTES);
    CHECK(step != NULL);
    struct zip zip = {.archive = archive_read_new(),
                      .tree = tree,
                      .packed_bytes = bytes,
                      .unpacked_max = unpacked_max,
                      .step = step};
    CHECK(zip.archive != NULL);
    bool ok = open_archive(&zip, fd, err) && read_entries(&zip, err);
    archive_read_free(zip.archive);
    return ok;
}

/* libarchive drops what the locale cannot write, and this program runs in the C locale: so the
 * thread borrows one that knows UTF-8. */
static bool read_zip_in_utf8(struct package_tree *tree, int fd, int64_t bytes, int64_t unpacked_max,
                             struct err *err) {
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (utf8 == (locale_t)0) {
        return err_system(err, "no_locale", "the locale C.UTF-8 is missing: install libc-bin");
    }
    locale_t before = uselocale(utf8);
    bool ok = read_zip(tree, fd, bytes, unpacked_max, err);
    uselocale(before);
    freelocale(utf8);
    return ok;
}

/* The first thing in it that is no white space, behind a byte order mark. */
static bool is_xml(int fd) {
    char head[64];
    ssize_t got = pread(fd, head, sizeof(head), 0);
    struct str text = str_of(head, got > 0 ? (size_t)got : 0);
    if (str_starts(text, STR("\xef\xbb\xbf"))) {
        text = str_sub(text, 3, text.len);
    }
    return str_starts(str_trim(text), STR("<"));
}

static bool keep_xml(struct package_tree *tree, int fd, int64_t bytes, struct err *err) {
    own_fd copy = -1;
    const struct package_file file = {.name = STR("problem.xml"), .bytes = bytes};
    if (!tree_add(tree, &file, err) || !scratch_copy(fd, 0, bytes, &copy, err)) {
        return false;
    }
    fd_cleanup(&tree->store_fd);
    tree->store_fd = take_fd(&copy);
    tree->single = true;
    return true;
}

bool package_tree_open_zip(int fd, struct package_tree **ret_tree, struct err *err) {
    int64_t bytes = 0;
    own(package_tree) tree = tree_create();
    if (!file_size(fd, &bytes, err) || !scratch_create(&tree->store_fd, err)) {
        return false;
    }
    if (bytes > PACKAGE_BYTES_MAX) {
        return err_set(err, ERR_TOO_LARGE, "package_too_large", "the zip is larger than %d MiB",
                       PACKAGE_BYTES_MAX / MIB);
    }
    if (is_xml(fd)) {
        if (!keep_xml(tree, fd, bytes, err)) {
            return false;
        }
        *ret_tree = take(tree);
        return true;
    }
    if (!read_zip_in_utf8(tree, fd, bytes, PACKAGE_UNPACKED_BYTES_MAX, err) ||
        !tree_finish(tree, true, err)) {
        return false;
    }
    *ret_tree = take(tree);
    return true;
}

bool package_tree_open_small_zip(int fd, int64_t unpacked_max, struct package_tree **ret_tree,
                                 struct err *err) {
    int64_t bytes = 0;
    own(package_tree) tree = tree_create();
    if (!file_size(fd, &bytes, err) || !scratch_create(&tree->store_fd, err) ||
        !read_zip_in_utf8(tree, fd, bytes, unpacked_max, err) || !tree_finish(tree, true, err)) {
        return false;
    }
    *ret_tree = take(tree);
    return true;
}
