/* Answer files in a zip. */
#include "package/answers.h"

#include "base/limits.h"
#include "domain/answer_files.h"
#include "package/tree.h"

/* Twice what it may come to, so that the notes of some packers do not count. */
#define UNPACKED_BYTES_MAX (2 * SOURCE_BYTES_MAX)

/* Bytes of the folder, with its slash, in which everything stands; 0: there is none. */
static size_t top_bytes(const struct package_tree *tree) {
    struct str top = STR("");
    for (size_t i = 0; i < package_tree_count(tree); i++) {
        struct str first = STR("");
        struct str rest = STR("");
        if (!str_cut(package_tree_at(tree, i)->name, '/', &first, &rest) ||
            (i > 0 && !str_eq(first, top))) {
            return 0;
        }
        top = first;
    }
    return top.len + 1;
}

static struct str flat_name(struct arena *arena, struct str name) {
    char *flat = arena_array(arena, name.len, 1);
    for (size_t i = 0; i < name.len; i++) {
        flat[i] = (char)(name.ptr[i] == '/' ? '_' : name.ptr[i]);
    }
    return str_of(flat, name.len);
}

static bool add(const struct package_tree *tree, size_t index, struct arena *arena,
                struct buf *into, struct err *err) {
    const struct package_file *file = package_tree_at(tree, index);
    struct str name = str_sub(file->name, top_bytes(tree), SIZE_MAX);
    struct str content = {0};
    if (!package_tree_text(tree, file, SOURCE_BYTES_MAX, arena, &content, err)) {
        return false;
    }
    if (!str_is_utf8(content)) {
        return err_set(err, ERR_INVALID, "bad_answers", STR_FMT " is no text in UTF-8",
                       STR_ARG(file->name));
    }
    return answer_files_add(into, flat_name(arena, name), content, err);
}

bool package_answers_read(int fd, struct arena *arena, struct str *ret_text, struct err *err) {
    own(package_tree) tree = NULL;
    own_buf text;
    buf_init(&text, SOURCE_BYTES_MAX);
    if (!package_tree_open_small_zip(fd, UNPACKED_BYTES_MAX, &tree, err)) {
        return false;
    }
    size_t count = package_tree_count(tree);
    if (count == 0 || count > SOURCE_FILES_MAX) {
        return err_set(err, count == 0 ? ERR_INVALID : ERR_TOO_LARGE, "bad_answers",
                       "a zip of answers holds 1 to %d files, this one %zu", SOURCE_FILES_MAX,
                       count);
    }
    for (size_t i = 0; i < count; i++) {
        if (!add(tree, i, arena, &text, err)) {
            return false;
        }
    }
    *ret_text = arena_str(arena, buf_str(&text));
    return true;
}
