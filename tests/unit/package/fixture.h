#ifndef TESTS_PACKAGE_FIXTURE_H
#define TESTS_PACKAGE_FIXTURE_H

/* Packages made by the tests: a folder, or a zip in memory. */

#include "base/file.h"
#include "base/limits.h"
#include "data/digest.h"
#include "package/package.h"
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define KEPT_MAX 200

/* What came to the sink. */
struct kept {
    struct blob_ref blob;
    struct str content;
};

struct fixture {
    char folder[64];
    struct arena *arena;
    struct package_tree *tree;
    struct package_options options;
    struct package_problem problem;
    struct package_report report;
    struct err err;
    struct kept kept[KEPT_MAX];
    size_t kept_count;
};

static inline bool fixture_keep(void *context, int fd, struct blob_ref *ret_blob, struct err *err) {
    struct fixture *f = context;
    struct kept *kept = &f->kept[f->kept_count];
    own_buf content;
    buf_init(&content, 16 * MIB);
    assert_true(f->kept_count < KEPT_MAX);
    if (!file_read_all(fd, 16 * MIB, &content, err)) {
        return false;
    }
    struct digest digest = digest_of(buf_str(&content));
    kept->content = arena_str(f->arena, buf_str(&content));
    memcpy(kept->blob.sha256, digest.bytes, 32);
    kept->blob.bytes = (int64_t)content.len;
    *ret_blob = kept->blob;
    f->kept_count++;
    return true;
}

static inline void fixture_init(struct fixture *f) {
    memset(f, 0, sizeof(*f));
    snprintf(f->folder, sizeof(f->folder), "/tmp/assize-package-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->arena = arena_create(PACKAGE_ARENA_BYTES + 64 * (size_t)MIB);
    f->options = (struct package_options){.file_name = STR("sum.zip"), .put = fixture_keep};
    f->options.context = f;
}

static inline void fixture_done(struct fixture *f) {
    struct err err = {0};
    package_tree_close(f->tree);
    arena_free(f->arena);
    assert_true(file_remove_tree(f->folder, &err));
}

static inline const char *fixture_path(struct fixture *f, const char *name) {
    return arena_printf(f->arena, "%s/%s", f->folder, name);
}

static inline void fixture_put_bytes(struct fixture *f, const char *name, struct str content) {
    char path[1024];
    struct err err = {0};
    snprintf(path, sizeof(path), "%s/%s", f->folder, name);
    *strrchr(path, '/') = '\0';
    assert_true(file_make_dirs(path, 0755, &err));
    own_fd fd = open(fixture_path(f, name), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_true(file_write_all(fd, content, &err));
}

static inline void fixture_put(struct fixture *f, const char *name, const char *content) {
    fixture_put_bytes(f, name, str_from(content));
}

static inline void fixture_remove(struct fixture *f, const char *name) {
    struct err err = {0};
    assert_true(file_remove_tree(fixture_path(f, name), &err));
}

/* The smallest package without a warning. */
static inline void fixture_minimal(struct fixture *f) {
    fixture_put(f, "problem.yaml", "name: Sum\nlimits:\n  time_limit: 1\n");
    fixture_put(f, "problem_statement/problem.en.md", "Add *them*.\n");
    fixture_put(f, "data/sample/1.in", "1 2\n");
    fixture_put(f, "data/sample/1.ans", "3\n");
    fixture_put(f, "data/secret/1.in", "5 6\n");
    fixture_put(f, "data/secret/1.ans", "11\n");
    fixture_put(f, "submissions/accepted/sum.c", "int main(void) { return 0; }\n");
}

/* Reads the folder; may be called again after changes. */
static inline bool fixture_read(struct fixture *f) {
    memset(&f->err, 0, sizeof(f->err));
    f->kept_count = 0;
    package_tree_close(f->tree);
    f->tree = NULL;
    return package_tree_open(f->folder, &f->tree, &f->err) &&
           package_read(f->tree, &f->options, f->arena, &f->problem, &f->report, &f->err);
}

static inline void fixture_must_read(struct fixture *f) {
    bool ok = fixture_read(f);
    assert_string_equal(f->err.text, "");
    assert_true(ok);
}

/* Reads, and demands a failure with this text in it. */
static inline void fixture_must_say(struct fixture *f, const char *text) {
    assert_false(fixture_read(f));
    if (strstr(f->err.text, text) == NULL) {
        print_error("message: %s\nexpected: %s\n", f->err.text, text);
    }
    assert_non_null(strstr(f->err.text, text));
}

/* The same, of this code. */
static inline void fixture_must_refuse(struct fixture *f, const char *code, const char *text) {
    fixture_must_say(f, text);
    assert_string_equal(f->err.code, code);
}

static inline struct str fixture_content(const struct fixture *f, const struct blob_ref *blob) {
    for (size_t i = 0; i < f->kept_count; i++) {
        if (memcmp(f->kept[i].blob.sha256, blob->sha256, 32) == 0) {
            return f->kept[i].content;
        }
    }
    fail_msg("no such blob was kept");
    return STR("");
}

static inline bool notes_have(const struct package_notes *notes, const char *text) {
    for (int32_t i = 0; i < notes->count; i++) {
        const struct package_note *note = &notes->items[i];
        char line[1024];
        snprintf(line, sizeof(line), STR_FMT ":%d: " STR_FMT, STR_ARG(note->file), note->line,
                 STR_ARG(note->text));
        if (strstr(line, text) != NULL) {
            return true;
        }
    }
    return false;
}

/* Zips, also such as no honest program writes. */

struct zip_entry {
    const char *name; /* bytes as they stand in the zip */
    const char *content;
    unsigned type;      /* 0: a plain file */
    const char *target; /* of a link */
};

static inline void zip_add(struct archive *archive, const struct zip_entry *row) {
    struct archive_entry *entry = archive_entry_new();
    struct str content = str_from(row->content);
    archive_entry_set_pathname(entry, row->name);
    archive_entry_set_filetype(entry, row->type == 0 ? AE_IFREG : row->type);
    archive_entry_set_perm(entry, row->type == AE_IFDIR ? 0755 : 0644);
    archive_entry_set_size(entry, (int64_t)content.len);
    if (row->target != NULL) {
        archive_entry_set_symlink(entry, row->target);
        archive_entry_set_size(entry, 0);
    }
    assert_true(archive_write_header(archive, entry) >= ARCHIVE_WARN);
    if (content.len > 0) {
        assert_int_equal(archive_write_data(archive, content.ptr, content.len), content.len);
    }
    archive_entry_free(entry);
}

/* A zip in memory; the descriptor is the caller's. */
static inline int zip_of(const struct zip_entry *rows, size_t count) {
    int fd = memfd_create("zip", MFD_CLOEXEC);
    struct archive *archive = archive_write_new();
    assert_true(fd >= 0);
    assert_non_null(archive);
    assert_int_equal(archive_write_set_format_zip(archive), ARCHIVE_OK);
    assert_int_equal(archive_write_open_fd(archive, fd), ARCHIVE_OK);
    for (size_t i = 0; i < count; i++) {
        zip_add(archive, &rows[i]);
    }
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
    return fd;
}

#endif
