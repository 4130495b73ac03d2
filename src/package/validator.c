/* Which checker the package wants: the default one with its arguments, or its own program. */
#include "package/reader_internal.h"

#define NEW_FOLDER STR("output_validator")
#define OLD_FOLDER STR("output_validators")

static bool has_files(const struct package_reader *reader, struct str folder) {
    size_t from = 0;
    size_t to = 0;
    package_tree_below(reader->tree, folder, &from, &to);
    return to > from;
}

static bool read_program(struct package_reader *reader, struct str folder, bool whole,
                         struct err *err) {
    struct manifest *manifest = &reader->problem.manifest;
    if ((manifest->kinds & PROBLEM_INTERACTIVE) != 0) {
        manifest->checker.kind = CHECKER_NONE; /* the validator is all there is */
        return program_read(reader, folder, whole, &manifest->interactor, err);
    }
    manifest->checker.kind = CHECKER_PROGRAM;
    return program_read(reader, folder, whole, &manifest->checker.program, err);
}

/* What the problem needs a validator of its own for; NULL when the default one will do. */
static const char *why_own(const struct package_reader *reader) {
    uint32_t kinds = reader->problem.manifest.kinds;
    if ((kinds & PROBLEM_INTERACTIVE) != 0) {
        return "it is what an interactive problem's submissions talk with";
    }
    return (kinds & PROBLEM_MULTI_PASS) != 0
               ? "it says what a multi-pass problem's submissions read next"
               : NULL;
}

static bool read_default(struct package_reader *reader, struct err *err) {
    struct manifest_checker *checker = &reader->problem.manifest.checker;
    checker->kind = CHECKER_TOKENS;
    if (flags_to_checker(reader, reader->validator_flags, checker, err)) {
        return true;
    }
    struct err inner = *err;
    return package_refuse(err, STR("problem.yaml"), reader->flags_line, "%s", inner.text);
}

/* ---- validators of inputs ---- */

#define VALIDATORS_MAX 20

/* One of the folder's programs: a source file, or a folder of its own. */
static bool add_validator(struct package_reader *reader, struct str folder, struct str entry,
                          struct manifest_program *programs, struct err *err) {
    struct package_problem *problem = &reader->problem;
    struct str path =
        str_from(arena_printf(reader->arena, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(entry)));
    const struct package_file *file = package_tree_find(reader->tree, path);
    if (file != NULL && program_language(file->name).len == 0) {
        note_dropped(reader, path, 0,
                     "no language here runs it, so inputs are not validated by it");
        return true;
    }
    if (problem->validator_count == VALIDATORS_MAX) {
        return package_refuse(err, folder, 0, "there are more than %d validators", VALIDATORS_MAX);
    }
    struct manifest_program *program = &programs[problem->validator_count];
    bool ok = file != NULL ? program_read_file(reader, file, program, err)
                           : program_read(reader, path, true, program, err);
    problem->validator_count += ok ? 1 : 0;
    return ok;
}

bool input_validators_read(struct package_reader *reader, struct err *err) {
    static const char *const folders[] = {"input_validators", "input_validator",
                                          "input_format_validators"};
    struct manifest_program *programs =
        arena_array(reader->arena, VALIDATORS_MAX, sizeof(programs[0]));
    reader->problem.validators = programs;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        struct str folder = str_from(folders[i]);
        struct str last = STR("");
        size_t from = 0;
        size_t to = 0;
        package_tree_below(reader->tree, folder, &from, &to);
        for (size_t k = from; k < to; k++) {
            struct str name =
                str_sub(package_tree_at(reader->tree, k)->name, folder.len + 1, SIZE_MAX);
            struct str entry = STR("");
            struct str rest = STR("");
            str_cut(name, '/', &entry, &rest);
            if (!str_eq(entry, last) && !add_validator(reader, folder, entry, programs, err)) {
                return false;
            }
            last = entry;
        }
    }
    return true;
}

bool validator_read(struct package_reader *reader, struct err *err) {
    bool is_new = has_files(reader, NEW_FOLDER);
    bool is_old = has_files(reader, OLD_FOLDER);
    if (reader->format != FORMAT_LEGACY && (is_new || is_old)) {
        return read_program(reader, is_new ? NEW_FOLDER : OLD_FOLDER, is_new, err);
    }
    if (reader->custom_validator) {
        if (!is_old && !is_new) {
            return package_refuse(err, STR("problem.yaml"), 0,
                                  "`validation` is custom, but output_validators/ is missing");
        }
        return read_program(reader, is_old ? OLD_FOLDER : NEW_FOLDER, !is_old, err);
    }
    if (why_own(reader) != NULL) {
        return package_refuse(
            err, STR("problem.yaml"), 0,
            "a validator in output_validators/ (or output_validator/) is missing: "
            "%s",
            why_own(reader));
    }
    if (is_old || is_new) {
        note_warning(reader, is_old ? OLD_FOLDER : NEW_FOLDER, 0,
                     "not used, because problem.yaml does not say `validation: custom`");
    }
    return read_default(reader, err);
}
