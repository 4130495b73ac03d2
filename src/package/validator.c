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
