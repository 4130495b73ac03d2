/* Checkers, interactors, graders and generators of a DMOJ package. What is Python and runs inside
 * DMOJ's own judge is refused: nothing of a package runs outside of a sandbox here. */
#include "package/dmoj_internal.h"

#include "base/path.h"
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES_MAX 256
#define FILES_MAX 50

static const struct builtin {
    const char *name;
    enum checker_kind kind;
} builtins[] = {
    {"standard", CHECKER_LINES},         {"identical", CHECKER_EXACT},
    {"sorted", CHECKER_UNORDERED_LINES}, {"unordered", CHECKER_UNORDERED_LINES},
    {"floats", CHECKER_TOKENS},          {"floatsabs", CHECKER_TOKENS},
    {"floatsrel", CHECKER_TOKENS},
};

static bool unsupported(const struct yaml *node, struct err *err, const char *text) {
    return package_refuse_kind(err, str_from(node->file), node->line, "%s", text);
}

/* ---- files of a program ---- */

static int compare_files(const void *a, const void *b) {
    const struct manifest_file *first = a;
    const struct manifest_file *second = b;
    return str_cmp(first->name, second->name);
}

static bool add_file(struct dmoj *dmoj, const struct yaml *node, struct manifest_program *program,
                     struct manifest_file *files, struct err *err) {
    struct str name = STR("");
    if (!yr_str(node, NAME_BYTES_MAX, &name, err)) {
        return false;
    }
    struct manifest_file *file = &files[program->file_count];
    file->name = arena_str(dmoj->builder->reader->arena, path_base(name));
    struct str language = program_language(file->name);
    if (program->language.len == 0 && language.len > 0) {
        program->language = language;
        program->entry = file->name;
    }
    if (!dmoj_put(dmoj, node, &file->blob, err)) {
        return false;
    }
    program->file_count++;
    return true;
}

/* `files`: a name or a list of names; the first source is the program. */
static bool read_files(struct dmoj *dmoj, const struct yaml *node, struct str language,
                       enum program_adapter adapter, struct manifest_program *ret_program,
                       struct err *err) {
    struct manifest_program program = {.adapter = adapter, .language = build_language_id(language)};
    struct manifest_file *files =
        arena_array(dmoj->builder->reader->arena, FILES_MAX, sizeof(files[0]));
    if (node->kind == YR_SCALAR) {
        if (!add_file(dmoj, node, &program, files, err)) {
            return false;
        }
    } else if (!yr_list(node, FILES_MAX, err)) {
        return false;
    }
    for (YR_EACH(item, node)) {
        if (!add_file(dmoj, item, &program, files, err)) {
            return false;
        }
    }
    if (program.file_count == 0 || program.language.len == 0) {
        return yr_error(node, err, "there is no source of a known language in it");
    }
    if (program.entry.len == 0) {
        program.entry = files[0].name;
    }
    qsort(files, (size_t)program.file_count, sizeof(files[0]), compare_files);
    program.files = files;
    *ret_program = program;
    return true;
}

/* `flags` of the compiler have no place in a manifest. */
static void note_flags(struct dmoj *dmoj, const struct yaml *map) {
    const struct yaml *node = yr_get(map, "flags");
    if (!yr_is_null(node)) {
        note_warning(dmoj->builder->reader, str_from(node->file), node->line,
                     "compiler flags are not used: put `#define` into the source instead");
    }
}

/* ---- checkers ---- */

/* Default: exit 0 accepts, 1 rejects, and that is testlib's too. */
static bool read_adapter(const struct yaml *args, enum program_adapter *ret_adapter,
                         struct err *err) {
    static const char *const known[] = {"default", "testlib", "coci"};
    struct str type = STR("default");
    const struct yaml *format = yr_get(args, "args_format_string");
    if (!yr_is_null(format)) {
        return unsupported(format, err,
                           "`args_format_string` is not supported: let the program take input, "
                           "output and answer as its arguments");
    }
    if (!yr_opt_str(args, "type", NAME_BYTES_MAX, &type, err)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (str_eq_c(type, known[i])) {
            *ret_adapter = ADAPTER_TESTLIB;
            return true;
        }
    }
    return unsupported(yr_get(args, "type"), err,
                       "this way of calling a checker is not known: default, testlib and coci "
                       "are");
}

static bool read_bridged(struct dmoj *dmoj, const struct yaml *args, const struct yaml *node,
                         struct err *err) {
    struct manifest *manifest = &dmoj->builder->reader->problem.manifest;
    enum program_adapter adapter = ADAPTER_NONE;
    struct str language = STR("");
    const struct yaml *files = yr_get(args, "files");
    if (yr_is_null(files)) {
        return yr_error(node, err, "a bridged checker needs `files`");
    }
    if (!read_adapter(args, &adapter, err) ||
        !yr_opt_str(args, "lang", NAME_BYTES_MAX, &language, err)) {
        return false;
    }
    note_flags(dmoj, args);
    build_checker(dmoj->builder, CHECKER_PROGRAM);
    return read_files(dmoj, files, language, adapter, &manifest->checker.program, err);
}

static bool read_floats(struct dmoj *dmoj, struct str name, const struct yaml *args,
                        struct err *err) {
    struct manifest_checker *checker = &dmoj->builder->reader->problem.manifest.checker;
    int64_t digits = 6;
    if (args != NULL && !yr_opt_i64(args, "precision", 1, 18, &digits, err)) {
        return false;
    }
    struct str tolerance =
        str_from(arena_printf(dmoj->builder->reader->arena, "1e-%lld", (long long)digits));
    checker->case_sensitive = true;
    checker->float_absolute = str_eq_c(name, "floatsrel") ? STR("") : tolerance;
    checker->float_relative = str_eq_c(name, "floatsabs") ? STR("") : tolerance;
    return true;
}

static bool read_builtin(struct dmoj *dmoj, struct str name, const struct yaml *args,
                         const struct yaml *node, struct err *err) {
    for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
        if (str_eq_c(name, builtins[i].name)) {
            build_checker(dmoj->builder, builtins[i].kind);
            return builtins[i].kind != CHECKER_TOKENS || read_floats(dmoj, name, args, err);
        }
    }
    if (str_ends(name, STR(".py"))) {
        return unsupported(node, err,
                           "a checker in Python runs inside of DMOJ's judge: rewrite it as a "
                           "program of its own (`bridged`)");
    }
    return unsupported(node, err, "this checker of DMOJ's has no counterpart here");
}

static bool read_checker(struct dmoj *dmoj, struct err *err) {
    const struct yaml *node = yr_get(dmoj->root, "checker");
    const struct yaml *args = NULL;
    struct str name = STR("standard");
    build_checker(dmoj->builder, CHECKER_LINES);
    if (yr_is_null(node)) {
        return true;
    }
    if (node->kind == YR_MAP) {
        args = yr_get(node, "args");
        if (!yr_opt_str(node, "name", NAME_BYTES_MAX, &name, err)) {
            return false;
        }
    } else if (!yr_str(node, NAME_BYTES_MAX, &name, err)) {
        return false;
    }
    return str_eq_c(name, "bridged") ? read_bridged(dmoj, args, node, err)
                                     : read_builtin(dmoj, name, args, node, err);
}

/* ---- others ---- */

static bool read_interactor(struct dmoj *dmoj, const struct yaml *node, struct err *err) {
    struct manifest *manifest = &dmoj->builder->reader->problem.manifest;
    enum program_adapter adapter = ADAPTER_NONE;
    struct str language = STR("");
    const struct yaml *files = NULL;
    if (!yr_need(node, "files", &files, err) || !read_adapter(node, &adapter, err) ||
        !yr_opt_str(node, "lang", NAME_BYTES_MAX, &language, err)) {
        return false;
    }
    note_flags(dmoj, node);
    manifest->kinds |= PROBLEM_INTERACTIVE;
    build_checker(dmoj->builder, CHECKER_NONE);
    return read_files(dmoj, files, language, adapter, &manifest->interactor, err);
}

/* DMOJ compiles a C entry in the submission's language, which its file's name has to say here. */
static struct str entry_in_cpp(struct arena *arena, struct str name) {
    return str_ends(name, STR(".c")) ? str_from(arena_printf(arena, STR_FMT "pp", STR_ARG(name)))
                                     : name;
}

/* The submission is compiled with `entry`, which has the main function, and sees `header`. */
static bool read_grader(struct dmoj *dmoj, const struct yaml *node, struct err *err) {
    static const char *const keys[] = {"entry", "header"};
    struct package_reader *reader = dmoj->builder->reader;
    struct manifest_include *rows = arena_array(reader->arena, 4, sizeof(rows[0]));
    int32_t count = 0;
    reader->problem.manifest.kinds |= PROBLEM_FUNCTION;
    for (size_t i = 0; i < 2; i++) {
        const struct yaml *file = NULL;
        struct blob_ref blob;
        struct str name = STR("");
        if (!yr_need(node, keys[i], &file, err) || !yr_str(file, NAME_BYTES_MAX, &name, err) ||
            !dmoj_put(dmoj, file, &blob, err)) {
            return false;
        }
        const struct manifest_file kept = {arena_str(reader->arena, path_base(name)), blob};
        rows[count++] = (struct manifest_include){STR("c"), kept};
        const struct manifest_file in_cpp = {entry_in_cpp(reader->arena, kept.name), blob};
        rows[count++] = (struct manifest_include){STR("cpp"), in_cpp};
    }
    note_warning(reader, str_from(node->file), node->line,
                 "a submission has to include the header by itself; DMOJ does it for it");
    reader->problem.manifest.languages = STR("c cpp");
    return build_includes(dmoj->builder, rows, count, err);
}

static bool read_generator(struct dmoj *dmoj, struct err *err) {
    const struct yaml *node = yr_get(dmoj->root, "generator");
    const struct yaml *files = node;
    struct str language = STR("");
    struct manifest_program *program =
        arena_new(dmoj->builder->reader->arena, struct manifest_program);
    if (yr_is_null(node)) {
        return true;
    }
    if (node->kind == YR_MAP && (!yr_need(node, "source", &files, err) ||
                                 !yr_opt_str(node, "language", NAME_BYTES_MAX, &language, err))) {
        return false;
    }
    note_flags(dmoj, node);
    if (!read_files(dmoj, files, language, ADAPTER_TESTLIB, program, err)) {
        return false;
    }
    dmoj->generator = program;
    return true;
}

bool dmoj_programs_read(struct dmoj *dmoj, struct err *err) {
    const struct yaml *custom = yr_get(dmoj->root, "custom_judge");
    const struct yaml *interactive = yr_get(dmoj->root, "interactive");
    const struct yaml *grader = yr_get(dmoj->root, "signature_grader");
    if (!yr_is_null(custom)) {
        return unsupported(custom, err,
                           "a custom judge in Python runs inside of DMOJ's judge: rewrite it as "
                           "an interactor (`interactive`)");
    }
    if (!read_generator(dmoj, err)) {
        return false;
    }
    if (!yr_is_null(interactive)) {
        return read_interactor(dmoj, interactive, err);
    }
    return read_checker(dmoj, err) && (yr_is_null(grader) || read_grader(dmoj, grader, err));
}
