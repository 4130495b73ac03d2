/* Programs of a package: which files belong together, and in which language they are. */
#include "base/check.h"
#include "base/path.h"
#include "package/reader_internal.h"
#include <stdlib.h>

static const struct extension {
    const char *text;
    const char *language;
} extensions[] = {
    {".c", "c"},       {".cc", "cpp"},    {".cpp", "cpp"},       {".cxx", "cpp"},
    {".c++", "cpp"},   {".C", "cpp"},     {".py", "python3"},    {".py3", "python3"},
    {".java", "java"}, {".kt", "kotlin"}, {".js", "javascript"}, {".ts", "typescript"},
    {".go", "go"},     {".rs", "rust"},   {".cs", "csharp"},     {".pas", "pascal"},
    {".rb", "ruby"},   {".php", "php"},   {".lua", "lua"},       {".hs", "haskell"},
    {".ml", "ocaml"},  {".ets", "arkts"}, {".pl", "perl"},
};

struct str program_language(struct str file_name) {
    struct str extension = path_extension(file_name);
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        if (str_eq_c(extension, extensions[i].text)) {
            return str_from(extensions[i].language);
        }
    }
    return STR("");
}

/* A range of the tree's files below `folder`. */
struct range {
    struct str folder;
    size_t from, to;
};

static struct range range_of(const struct package_reader *reader, struct str folder) {
    struct range range = {.folder = folder};
    package_tree_below(reader->tree, folder, &range.from, &range.to);
    return range;
}

static struct str name_in(const struct package_reader *reader, const struct range *range,
                          size_t index) {
    return str_sub(package_tree_at(reader->tree, index)->name, range->folder.len + 1, SIZE_MAX);
}

/* C among C++ is compiled as C++; anything else mixed is refused. */
static bool join_languages(struct str a, struct str b, struct str *ret_language) {
    bool mixed_c =
        (str_eq_c(a, "c") || str_eq_c(a, "cpp")) && (str_eq_c(b, "c") || str_eq_c(b, "cpp"));
    *ret_language = a.len == 0 || str_eq(a, b) ? b : STR("cpp");
    return a.len == 0 || str_eq(a, b) || mixed_c;
}

static bool find_script(const struct package_reader *reader, const struct range *range,
                        struct manifest_program *program) {
    for (size_t i = range->from; i < range->to; i++) {
        struct str name = name_in(reader, range, i);
        if (str_eq_c(name, "build") || str_eq_c(name, "run")) {
            program->language = STR("script");
            program->entry = arena_str(reader->arena, name); /* build comes first, if both */
            return true;
        }
    }
    return false;
}

static bool find_language(const struct package_reader *reader, const struct range *range,
                          struct manifest_program *program, struct err *err) {
    int32_t sources = 0;
    struct str only = STR("");
    struct str main_file = STR("");
    for (size_t i = range->from; i < range->to; i++) {
        struct str name = name_in(reader, range, i);
        struct str language = program_language(name);
        if (language.len == 0) {
            continue;
        }
        if (!join_languages(program->language, language, &program->language)) {
            return package_refuse(err, range->folder, 0,
                                  "the program has sources in several languages");
        }
        sources++;
        only = name;
        if (str_starts(name, STR("__main__.")) || str_starts(name, STR("main."))) {
            main_file = name;
        }
    }
    if (sources == 0) {
        return package_refuse(err, range->folder, 0, "there is no program in it that is known");
    }
    if (sources == 1) {
        main_file = only;
    }
    if (main_file.len == 0 && str_eq_c(program->language, "python3")) {
        return package_refuse(err, range->folder, 0,
                              "several Python files need one called __main__.py");
    }
    program->entry = arena_str(reader->arena, main_file);
    return true;
}

static int compare_names(const void *a, const void *b) {
    const struct manifest_file *first = a;
    const struct manifest_file *second = b;
    return str_cmp(first->name, second->name);
}

static bool put_files(struct package_reader *reader, const struct range *range,
                      struct manifest_program *program, struct err *err) {
    size_t count = range->to - range->from;
    if (count > MANIFEST_FILES_MAX) {
        return package_refuse(err, range->folder, 0, "the program has too many files");
    }
    struct manifest_file *files = arena_array(reader->arena, count, sizeof(files[0]));
    for (size_t i = 0; i < count; i++) {
        const struct package_file *file = package_tree_at(reader->tree, range->from + i);
        files[i].name = arena_str(reader->arena, name_in(reader, range, range->from + i));
        if (!constants_put(reader, file, &files[i].blob, err)) {
            return false;
        }
        note_read(reader, file->name);
    }
    qsort(files, count, sizeof(files[0]), compare_names);
    program->files = files;
    program->file_count = (int32_t)count;
    return true;
}

static bool read_range(struct package_reader *reader, const struct range *range,
                       struct manifest_program *ret_program, struct err *err) {
    struct manifest_program program = {.adapter = ADAPTER_ICPC};
    if (!find_script(reader, range, &program) && !find_language(reader, range, &program, err)) {
        return false;
    }
    if (!put_files(reader, range, &program, err)) {
        return false;
    }
    *ret_program = program;
    return true;
}

/* What stands directly in a folder that may hold several programs. */
struct contents {
    int32_t sources;
    int32_t folders;
    struct str folder; /* the last one */
};

static struct contents look_inside(const struct package_reader *reader, const struct range *range) {
    struct contents contents = {.folder = STR("")};
    for (size_t i = range->from; i < range->to; i++) {
        struct str head = STR("");
        struct str tail = STR("");
        struct str name = name_in(reader, range, i);
        if (!str_cut(name, '/', &head, &tail)) {
            contents.sources += program_language(name).len > 0 ? 1 : 0;
        } else if (!str_eq(head, contents.folder)) {
            contents.folder = head;
            contents.folders++;
        }
    }
    return contents;
}

bool program_read_file(struct package_reader *reader, const struct package_file *file,
                       struct manifest_program *ret_program, struct err *err) {
    struct manifest_file *only = arena_new(reader->arena, struct manifest_file);
    only->name = arena_str(reader->arena, path_base(file->name));
    if (!constants_put(reader, file, &only->blob, err)) {
        return false;
    }
    note_read(reader, file->name);
    *ret_program = (struct manifest_program){.language = program_language(file->name),
                                             .adapter = ADAPTER_ICPC,
                                             .entry = only->name,
                                             .files = only,
                                             .file_count = 1};
    return true;
}

bool program_read(struct package_reader *reader, struct str folder, bool whole,
                  struct manifest_program *ret_program, struct err *err) {
    struct range range = range_of(reader, folder);
    if (range.from == range.to) {
        return package_refuse(err, folder, 0, "there is no program in this folder");
    }
    if (whole) {
        return read_range(reader, &range, ret_program, err);
    }
    struct contents contents = look_inside(reader, &range);
    if (contents.sources + contents.folders > 1) {
        return package_refuse(err, folder, 0,
                              "it holds several programs, but one output validator is supported: "
                              "keep one, or put the files of one program into a folder of their "
                              "own");
    }
    if (contents.folders == 1) {
        range = range_of(reader, str_from(arena_printf(reader->arena, STR_FMT "/" STR_FMT,
                                                       STR_ARG(folder), STR_ARG(contents.folder))));
    }
    return read_range(reader, &range, ret_program, err);
}
