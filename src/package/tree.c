/* The list of a package's files: which names it takes, its order, its limits. */
#include "package/tree.h"

#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/path.h"
#include "package/scratch.h"
#include "package/tree_internal.h"
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TREE_ARENA_BYTES ((size_t)96 * MIB)
#define NAME_SHOWN_BYTES 120

static const char *const ignored_names[] = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini",
                                            ".git",     ".svn",      ".hg"};

struct package_tree *tree_create(void) {
    struct package_tree *tree = calloc(1, sizeof(*tree));
    CHECK(tree != NULL);
    tree->arena = arena_create(TREE_ARENA_BYTES);
    tree->folder_fd = -1;
    tree->store_fd = -1;
    return tree;
}

void package_tree_close(struct package_tree *tree) {
    if (tree == NULL) {
        return;
    }
    CHECK(!tree->borrowed);
    fd_cleanup(&tree->folder_fd);
    fd_cleanup(&tree->store_fd);
    arena_free(tree->arena);
    free(tree);
}

bool tree_refuse(struct err *err, struct str path, const char *why) {
    char shown[NAME_SHOWN_BYTES + 1];
    struct str cut = str_utf8_prefix(path, NAME_SHOWN_BYTES);
    bool readable = str_is_utf8(cut);
    for (size_t i = 0; i < cut.len; i++) {
        unsigned char c = (unsigned char)cut.ptr[i];
        shown[i] = c < ' ' || c == 0x7f || (c >= 0x80 && !readable) ? '?' : (char)c;
    }
    shown[cut.len] = '\0';
    return err_set(err, ERR_INVALID, "bad_package", "%s: %s", shown, why);
}

static bool is_ignored(struct str path) {
    bool more = true;
    while (more) {
        struct str part = STR("");
        more = str_cut(path, '/', &part, &path);
        if (str_starts(part, STR("._"))) {
            return true; /* what macOS puts beside each file */
        }
        for (size_t i = 0; i < sizeof(ignored_names) / sizeof(ignored_names[0]); i++) {
            if (str_eq_c(part, ignored_names[i])) {
                return true;
            }
        }
    }
    return false;
}

bool tree_accept(struct package_tree *tree, struct str path, bool *ret_ignored, struct err *err) {
    if (++tree->entries > PACKAGE_ENTRIES_MAX) {
        return err_set(err, ERR_TOO_LARGE, "package_too_large",
                       "the package has more than %d entries", PACKAGE_ENTRIES_MAX);
    }
    *ret_ignored = is_ignored(path);
    if (*ret_ignored) {
        tree->ignored++;
        return true;
    }
    if (!path_is_plain(path)) {
        return tree_refuse(err, path,
                           "this name is not allowed in a package: use a relative path of plain "
                           "names that does not lead outside");
    }
    return true;
}

bool tree_add(struct package_tree *tree, const struct package_file *file, struct err *err) {
    if (file->bytes > PACKAGE_FILE_BYTES_MAX) {
        (void)tree_refuse(err, file->name, "the file is larger than 256 MiB");
        err->kind = ERR_TOO_LARGE;
        err->code = "package_too_large";
        return false;
    }
    tree->total_bytes += file->bytes;
    if (tree->total_bytes > PACKAGE_UNPACKED_BYTES_MAX) {
        return err_set(err, ERR_TOO_LARGE, "package_too_large",
                       "the files of the package are larger than 1 GiB together");
    }
    if (tree->count == tree->capacity) {
        size_t capacity = tree->capacity == 0 ? 64 : 2 * tree->capacity;
        struct package_file *files = arena_array(tree->arena, capacity, sizeof(files[0]));
        if (tree->count > 0) {
            memcpy(files, tree->files, tree->count * sizeof(files[0]));
        }
        tree->files = files;
        tree->capacity = capacity;
    }
    struct package_file *place = &tree->files[tree->count++];
    *place = *file;
    place->name = arena_str(tree->arena, file->name);
    place->path = place->name;
    return true;
}

static int rank(char c) {
    return c == '/' ? 0 : (unsigned char)c + 1;
}

int tree_compare(struct str a, struct str b) {
    size_t common = a.len < b.len ? a.len : b.len;
    for (size_t i = 0; i < common; i++) {
        if (a.ptr[i] != b.ptr[i]) {
            return rank(a.ptr[i]) - rank(b.ptr[i]);
        }
    }
    return a.len == b.len ? 0 : a.len < b.len ? -1 : 1;
}

static int compare_files(const void *a, const void *b) {
    const struct package_file *first = a;
    const struct package_file *second = b;
    return tree_compare(first->name, second->name);
}

/* Everything stands in one folder that holds problem.yaml: packed with its folder. */
static void take_off_top(struct package_tree *tree) {
    struct str top = STR("");
    struct str rest = STR("");
    bool has_problem = false;
    for (size_t i = 0; i < tree->count; i++) {
        struct str first = STR("");
        if (!str_cut(tree->files[i].name, '/', &first, &rest) || (i > 0 && !str_eq(first, top))) {
            return;
        }
        top = first;
        has_problem = has_problem || str_eq_c(rest, "problem.yaml");
    }
    if (!has_problem) {
        return;
    }
    for (size_t i = 0; i < tree->count; i++) {
        struct str *name = &tree->files[i].name;
        *name = str_sub(*name, top.len + 1, name->len);
    }
    tree->name = top;
}

static int compare_nocase(const void *a, const void *b) {
    struct str first = (*(struct package_file *const *)a)->name;
    struct str second = (*(struct package_file *const *)b)->name;
    size_t common = first.len < second.len ? first.len : second.len;
    for (size_t i = 0; i < common; i++) {
        int x = (unsigned char)first.ptr[i];
        int y = (unsigned char)second.ptr[i];
        x = x >= 'A' && x <= 'Z' ? x + 32 : x;
        y = y >= 'A' && y <= 'Z' ? y + 32 : y;
        if (x != y) {
            return x - y;
        }
    }
    return first.len == second.len ? 0 : first.len < second.len ? -1 : 1;
}

/* Names that would be one file on another system: what is meant depends on who unpacks. */
static bool refuse_collisions(struct package_tree *tree, struct err *err) {
    struct package_file **files = arena_array(tree->arena, tree->count, sizeof(files[0]));
    for (size_t i = 0; i < tree->count; i++) {
        files[i] = &tree->files[i];
    }
    qsort(files, tree->count, sizeof(files[0]), compare_nocase);
    for (size_t i = 1; i < tree->count; i++) {
        if (compare_nocase(&files[i - 1], &files[i]) == 0) {
            bool same = str_eq(files[i - 1]->name, files[i]->name);
            return tree_refuse(err, files[i]->name,
                               same ? "the zip holds this name twice"
                                    : "the zip holds another name that differs only in case");
        }
    }
    return true;
}

static bool refuse_file_folders(const struct package_tree *tree, struct err *err) {
    for (size_t i = 0; i < tree->count; i++) {
        struct str head = tree->files[i].name;
        struct str tail = STR("");
        while (str_cut_last(head, '/', &head, &tail)) {
            if (package_tree_find(tree, head) != NULL) {
                return tree_refuse(err, head, "the zip holds this as a file and as a folder");
            }
        }
    }
    return true;
}

bool tree_finish(struct package_tree *tree, bool strict, struct err *err) {
    take_off_top(tree);
    if (tree->count > 0) {
        qsort(tree->files, tree->count, sizeof(tree->files[0]), compare_files);
    }
    if (!strict) {
        return true;
    }
    return refuse_collisions(tree, err) && refuse_file_folders(tree, err);
}

size_t package_tree_count(const struct package_tree *tree) {
    return tree->count;
}

const struct package_file *package_tree_at(const struct package_tree *tree, size_t index) {
    CHECK(index < tree->count);
    return &tree->files[index];
}

const struct package_file *package_tree_find(const struct package_tree *tree, struct str name) {
    const struct package_file key = {.name = name};
    return tree->count == 0 ? NULL
                            : bsearch(&key, tree->files, tree->count, sizeof(key), compare_files);
}

static bool is_below(struct str name, struct str folder) {
    return folder.len == 0 ||
           (name.len > folder.len && str_starts(name, folder) && name.ptr[folder.len] == '/');
}

void package_tree_below(const struct package_tree *tree, struct str name, size_t *ret_from,
                        size_t *ret_to) {
    size_t from = 0;
    while (from < tree->count && !is_below(tree->files[from].name, name)) {
        from++;
    }
    size_t to = from;
    while (to < tree->count && is_below(tree->files[to].name, name)) {
        to++;
    }
    *ret_from = from;
    *ret_to = to;
}

const struct package_tree *package_tree_sub(const struct package_tree *tree, struct str name) {
    size_t from = 0;
    size_t to = 0;
    if (name.len == 0) {
        return tree;
    }
    package_tree_below(tree, name, &from, &to);
    struct package_tree *sub = arena_new(tree->arena, struct package_tree);
    *sub = *tree;
    sub->borrowed = true;
    sub->name = path_base(name);
    sub->count = to - from;
    sub->files = arena_array(tree->arena, sub->count, sizeof(sub->files[0]));
    for (size_t i = 0; i < sub->count; i++) {
        sub->files[i] = tree->files[from + i];
        sub->files[i].name = str_sub(sub->files[i].name, name.len + 1, SIZE_MAX);
    }
    return sub;
}

struct str package_tree_name(const struct package_tree *tree) {
    return tree->name;
}

size_t package_tree_ignored(const struct package_tree *tree) {
    return tree->ignored;
}

struct str package_tree_charset(const struct package_tree *tree) {
    return str_from(tree->charset);
}

/* A file that is a package by itself has its own name, for messages. */
static void name_after(struct package_tree *tree, struct str base) {
    if (tree->store_fd >= 0 && tree->single && path_is_name(base)) {
        tree->files[0].name = arena_str(tree->arena, base);
    }
}

bool package_tree_open(const char *path, struct package_tree **ret_tree, struct err *err) {
    struct stat status = {0};
    own_fd fd = -1;
    if (!file_open_read(path, &fd, err)) {
        return false;
    }
    if (fstat(fd, &status) != 0) {
        return err_system(err, "stat_failed", "cannot look at %s", path);
    }
    bool ok = S_ISDIR(status.st_mode) ? package_tree_open_folder(fd, ret_tree, err)
                                      : package_tree_open_zip(fd, ret_tree, err);
    if (!ok) {
        return err_wrap(err, "%s", path);
    }
    name_after(*ret_tree, path_base(str_from(path)));
    return true;
}

bool package_tree_read(const struct package_tree *tree, const struct package_file *file,
                       int *ret_fd, struct err *err) {
    if (tree->store_fd >= 0) {
        return scratch_copy(tree->store_fd, file->offset, file->bytes, ret_fd, err) ||
               err_wrap(err, STR_FMT, STR_ARG(file->name));
    }
    char path[PACKAGE_PATH_BYTES_MAX + 1];
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    struct stat status = {0};
    if (!str_to_c(file->path, path, sizeof(path), err)) {
        return false;
    }
    own_fd fd = (int)syscall(SYS_openat2, tree->folder_fd, path, &how, sizeof(how));
    if (fd < 0 || fstat(fd, &status) != 0) {
        return err_system(err, "file_failed", "cannot open %s", path);
    }
    if (!S_ISREG(status.st_mode)) {
        return tree_refuse(err, file->name, "it is no plain file any more");
    }
    *ret_fd = take_fd(&fd);
    return true;
}

bool package_tree_text(const struct package_tree *tree, const struct package_file *file,
                       size_t bytes_max, struct arena *arena, struct str *ret_text,
                       struct err *err) {
    own_fd fd = -1;
    own_buf text;
    buf_init(&text, bytes_max + 1);
    if (!package_tree_read(tree, file, &fd, err)) {
        return false;
    }
    if (!file_read_all(fd, bytes_max, &text, err)) {
        return err_wrap(err, STR_FMT, STR_ARG(file->name));
    }
    *ret_text = arena_str(arena, buf_str(&text));
    return true;
}
