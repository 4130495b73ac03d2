/* include/LANGUAGE/: files that stand beside each submission when it is compiled. */
#include "base/check.h"
#include "package/reader_internal.h"
#include <stdlib.h>

#define FOLDER STR("include")

/* The formats' names for languages where they differ from ours. */
static struct str language_id(struct str name) {
    static const struct {
        const char *theirs, *ours;
    } rows[] = {{"python", "python3"}, {"c++", "cpp"}, {"js", "javascript"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (str_eq_c(name, rows[i].theirs)) {
            return str_from(rows[i].ours);
        }
    }
    return name;
}

static int compare_includes(const void *a, const void *b) {
    const struct manifest_include *first = a;
    const struct manifest_include *second = b;
    int order = str_cmp(first->language, second->language);
    return order != 0 ? order : str_cmp(first->file.name, second->file.name);
}

static bool read_one(struct package_reader *reader, const struct package_file *file,
                     struct manifest_include *into, struct err *err) {
    struct str language = STR("");
    struct str name = STR("");
    if (!str_cut(str_sub(file->name, FOLDER.len + 1, SIZE_MAX), '/', &language, &name)) {
        return package_refuse(err, file->name, 0,
                              "included files stand in a folder of their language, or `default`");
    }
    into->language = arena_str(reader->arena, language_id(language));
    into->file.name = arena_str(reader->arena, name);
    note_read(reader, file->name);
    return constants_put(reader, file, &into->file.blob, err);
}

bool includes_read(struct package_reader *reader, struct err *err) {
    size_t from = 0;
    size_t to = 0;
    package_tree_below(reader->tree, FOLDER, &from, &to);
    if (to - from > MANIFEST_FILES_MAX) {
        return package_refuse(err, FOLDER, 0, "there are more than %d files", MANIFEST_FILES_MAX);
    }
    struct manifest_include *includes = arena_array(reader->arena, to - from, sizeof(includes[0]));
    for (size_t i = from; i < to; i++) {
        if (!read_one(reader, package_tree_at(reader->tree, i), &includes[i - from], err)) {
            return false;
        }
    }
    qsort(includes, to - from, sizeof(includes[0]), compare_includes);
    reader->problem.manifest.includes = includes;
    reader->problem.manifest.include_count = (int32_t)(to - from);
    return true;
}
