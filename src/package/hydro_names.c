/* Which files of a folder belong together as input and answer, by four families of names: "a1.in"
 * with .out, .ans, .txt; "input1.txt" with "output1.txt"; "a.in1" with "a.ou1"; "1-2.in", which
 * says that it is the second case of subtask 1. */
#include "package/hydro_internal.h"

#include "base/check.h"
#include "base/path.h"
#include <stdlib.h>
#include <string.h>

static const struct family {
    const char *input;      /* what an input's name has */
    const char *answers[5]; /* what stands there instead in an answer's */
    bool at_end;            /* else anywhere in the name */
} families[] = {
    {".in", {".out", ".ans", ".ou", ".txt", NULL}, true},
    {".in", {".ou", ".out", ".ans", NULL}, false},
    {"input", {"output", NULL}, false},
};

/* Where `part` stands in `text`, the last place; its length when it does not. */
static size_t find_part(struct str text, struct str part) {
    for (size_t i = text.len; i > 0; i--) {
        if (str_starts(str_sub(text, i - 1, text.len), part)) {
            return i - 1;
        }
    }
    return text.len;
}

static bool is_number(struct str text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
    }
    return text.len > 0;
}

static bool fits(const struct family *family, struct str base, size_t *ret_at) {
    struct str part = str_from(family->input);
    size_t at = find_part(base, part);
    if (at == base.len) {
        return false;
    }
    struct str tail = str_sub(base, at + part.len, base.len);
    *ret_at = at;
    if (family->at_end) {
        return tail.len == 0;
    }
    /* "a.in3", "input3.txt", "input3" */
    struct str number = STR("");
    struct str extension = STR("");
    str_cut(tail, '.', &number, &extension);
    return is_number(number) && (extension.len == 0 || str_eq_c(extension, "txt"));
}

static const struct package_file *answer_of(const struct package_tree *tree, struct str name,
                                            bool *ret_is_input) {
    own(arena) arena = arena_create(32 * (size_t)PACKAGE_PATH_BYTES_MAX);
    struct str base = path_base(name);
    struct str folder = str_sub(name, 0, name.len - base.len);
    *ret_is_input = false;
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        size_t at = 0;
        if (!fits(&families[i], base, &at)) {
            continue;
        }
        *ret_is_input = true;
        struct str head = str_sub(base, 0, at);
        struct str tail = str_sub(base, at + strlen(families[i].input), base.len);
        for (int k = 0; families[i].answers[k] != NULL; k++) {
            const char *path = arena_printf(arena, STR_FMT STR_FMT "%s" STR_FMT, STR_ARG(folder),
                                            STR_ARG(head), families[i].answers[k], STR_ARG(tail));
            const struct package_file *answer = package_tree_find(tree, str_from(path));
            if (answer != NULL) {
                return answer;
            }
        }
    }
    return NULL;
}

/* "3" of "3-2.in" and "sub3-2.in". */
static int64_t group_of(struct str name) {
    struct str head = STR("");
    struct str tail = STR("");
    struct err ignored = {0};
    int64_t group = 0;
    struct str base = path_base(name);
    if (!str_cut(base, '-', &head, &tail)) {
        return 0;
    }
    size_t from = head.len;
    while (from > 0 && head.ptr[from - 1] >= '0' && head.ptr[from - 1] <= '9') {
        from--;
    }
    bool second = tail.len > 0 && tail.ptr[0] >= '0' && tail.ptr[0] <= '9';
    return second && str_to_i64(str_sub(head, from, head.len), 0, MANIFEST_GROUPS_MAX, &group,
                                &ignored)
               ? group
               : 0;
}

static int compare_pairs(const void *a, const void *b) {
    const struct hydro_pair *first = a;
    const struct hydro_pair *second = b;
    return build_compare_natural(first->input->name, second->input->name);
}

void hydro_pairs(const struct package_tree *tree, struct str folder, struct arena *arena,
                 struct hydro_pair **ret_pairs, size_t *ret_count) {
    size_t from = 0;
    size_t to = 0;
    size_t count = 0;
    package_tree_below(tree, folder, &from, &to);
    struct hydro_pair *pairs = arena_array(arena, to - from, sizeof(pairs[0]));
    for (size_t i = from; i < to; i++) {
        const struct package_file *file = package_tree_at(tree, i);
        bool is_input = false;
        const struct package_file *answer = answer_of(tree, file->name, &is_input);
        if (is_input) {
            pairs[count++] =
                (struct hydro_pair){.input = file, .answer = answer, .group = group_of(file->name)};
        }
    }
    if (count > 0) {
        qsort(pairs, count, sizeof(pairs[0]), compare_pairs);
    }
    *ret_pairs = pairs;
    *ret_count = count;
}
