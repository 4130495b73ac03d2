/* Test data: samples first, then the secret cases, each folder in byte order, with the arguments
 * that groups and cases give to the validator. */
#include "base/check.h"
#include "base/path.h"
#include "package/reader_internal.h"
#include <string.h>

#define IN STR(".in")
#define DATA STR("data/")
#define DATA_FOLDER STR("data")
#define SAMPLE STR("data/sample")
#define SECRET STR("data/secret")

/* The flags of one folder's testdata.yaml or test_group.yaml. */
struct group_flags {
    struct str folder;
    struct str validator; /* words */
    bool has_validator;
    struct str program; /* words for the submission */
    bool has_program;
};

struct case_reader {
    struct package_reader *reader;
    struct group_flags *groups;
    size_t group_count;
    struct manifest_case *cases;
    struct str *flags; /* of the validator, for each case, without validator_flags */
    int32_t count;
    int64_t samples_bytes;
    int32_t unused; /* files of no meaning here */
};

static const char *const group_names[] = {"testdata.yaml", "test_group.yaml"};

/* Keys of groups and cases that a pass-fail problem can do without. */
static const char *const group_keys[] = {"output_validator_flags",
                                         "output_validator_args",
                                         "args",
                                         "on_reject",
                                         "grading",
                                         "grader_flags",
                                         "input_validator_flags",
                                         "input_validator_args",
                                         "input_visualizer_args",
                                         "output_visualizer_args",
                                         "accept_score",
                                         "reject_score",
                                         "range",
                                         "max_score",
                                         "scoring",
                                         "static_validator_args",
                                         "score_aggregation",
                                         "static_validation_score",
                                         "require_pass",
                                         "full_feedback",
                                         "hint",
                                         "description",
                                         NULL};

static const char *const side_extensions[] = {
    ".hint",        ".desc",      ".png", ".jpg",  ".jpeg", ".svg",      ".gif",
    ".interaction", ".statement", ".out", ".yaml", ".md",   ".download", ".txt"};

static const struct yaml *first_of(const struct yaml *root, const char *a, const char *b) {
    const struct yaml *node = yr_get(root, a);
    return node != NULL ? node : yr_get(root, b);
}

static bool read_flags(struct package_reader *reader, struct str name, struct group_flags *into,
                       struct err *err) {
    const struct yaml *root = NULL;
    own(arena) arena = arena_create(YAML_ARENA_BYTES);
    if (!yaml_file_read(reader, name, arena, &root, err)) {
        return false;
    }
    const struct yaml *validator =
        first_of(root, "output_validator_flags", "output_validator_args");
    const struct yaml *program = yr_get(root, "args");
    if (root == NULL) {
        return true;
    }
    yaml_warn_unknown(reader, root, group_keys);
    into->has_validator = validator != NULL;
    into->has_program = program != NULL;
    return yaml_words(reader, validator, &into->validator, err) &&
           yaml_words(reader, program, &into->program, err);
}

static bool is_group_file(struct str name) {
    for (size_t i = 0; i < sizeof(group_names) / sizeof(group_names[0]); i++) {
        if (str_eq_c(path_base(name), group_names[i])) {
            return true;
        }
    }
    return false;
}

static bool read_groups(struct case_reader *self, struct err *err) {
    size_t from = 0;
    size_t to = 0;
    package_tree_below(self->reader->tree, DATA_FOLDER, &from, &to);
    self->groups = arena_array(self->reader->arena, MANIFEST_GROUPS_MAX, sizeof(self->groups[0]));
    for (size_t i = from; i < to; i++) {
        struct str name = package_tree_at(self->reader->tree, i)->name;
        struct str base = STR("");
        if (!is_group_file(name)) {
            continue;
        }
        if (self->group_count == MANIFEST_GROUPS_MAX) {
            return package_refuse(err, name, 0, "there are more than %d test groups",
                                  MANIFEST_GROUPS_MAX);
        }
        struct group_flags *group = &self->groups[self->group_count++];
        str_cut_last(name, '/', &group->folder, &base);
        if (!read_flags(self->reader, name, group, err)) {
            return false;
        }
    }
    return true;
}

static const struct group_flags *group_at(const struct case_reader *self, struct str folder) {
    for (size_t i = 0; i < self->group_count; i++) {
        if (str_eq(self->groups[i].folder, folder)) {
            return &self->groups[i];
        }
    }
    return NULL;
}

/* The nearest folder that says something decides; what it says is not added up. */
static void inherit(const struct case_reader *self, struct str folder, struct group_flags *flags) {
    struct str base = STR("");
    bool more = true;
    while (more) {
        const struct group_flags *group = group_at(self, folder);
        if (group != NULL && group->has_validator && !flags->has_validator) {
            flags->validator = group->validator;
            flags->has_validator = true;
        }
        if (group != NULL && group->has_program && !flags->has_program) {
            flags->program = group->program;
            flags->has_program = true;
        }
        more = str_cut_last(folder, '/', &folder, &base);
    }
}

static const struct package_file *beside(const struct case_reader *self, struct str stem,
                                         const char *extension) {
    char name[PACKAGE_PATH_BYTES_MAX + 32];
    CHECK(stem.len <= PACKAGE_PATH_BYTES_MAX);
    memcpy(name, stem.ptr, stem.len);
    size_t length = strlen(extension);
    CHECK(length < 32);
    memcpy(name + stem.len, extension, length);
    return package_tree_find(self->reader->tree, str_of(name, stem.len + length));
}

static bool read_case_flags(struct case_reader *self, struct str stem, struct group_flags *flags,
                            struct err *err) {
    struct str folder = STR("");
    struct str base = STR("");
    const struct package_file *yaml = beside(self, stem, ".yaml");
    if (yaml != NULL && !read_flags(self->reader, yaml->name, flags, err)) {
        return false;
    }
    str_cut_last(stem, '/', &folder, &base);
    inherit(self, folder, flags);
    return true;
}

/* NAME.files/ stands in the work folder of the submission. */
static bool read_case_files(struct case_reader *self, struct str stem, struct manifest_case *row,
                            struct err *err) {
    size_t from = 0;
    size_t to = 0;
    struct arena *arena = self->reader->arena;
    struct str folder = str_from(arena_printf(arena, STR_FMT ".files", STR_ARG(stem)));
    package_tree_below(self->reader->tree, folder, &from, &to);
    if (to - from > MANIFEST_FILES_MAX) {
        return package_refuse(err, folder, 0, "there are too many files");
    }
    struct manifest_file *files = arena_array(arena, to - from, sizeof(files[0]));
    for (size_t i = from; i < to; i++) {
        const struct package_file *file = package_tree_at(self->reader->tree, i);
        files[i - from].name = arena_str(arena, str_sub(file->name, folder.len + 1, SIZE_MAX));
        if (!content_put(self->reader, file, &files[i - from].blob, err)) {
            return false;
        }
    }
    row->files = files;
    row->file_count = (int32_t)(to - from);
    return true;
}

static bool show_text(struct case_reader *self, const struct package_file *file,
                      struct str *ret_text, struct err *err) {
    struct str text = STR("");
    struct package_reader *reader = self->reader;
    int64_t left = PACKAGE_SAMPLES_BYTES_MAX - self->samples_bytes;
    if (file->bytes > left || file->bytes > PACKAGE_SAMPLE_BYTES_MAX) {
        note_warning(reader, file->name, 0, "too large to be shown as a sample");
        *ret_text = STR("");
        return true;
    }
    if (!package_tree_text(reader->tree, file, PACKAGE_SAMPLE_BYTES_MAX, reader->arena, &text,
                           err)) {
        return false;
    }
    self->samples_bytes += file->bytes;
    *ret_text = text;
    return true;
}

/* The statement may show something else than what is judged: .in.statement, .ans.statement, .out.
 */
static bool read_sample(struct case_reader *self, struct str stem, struct str name,
                        struct err *err) {
    static const char *const inputs[] = {".in.statement", ".in"};
    static const char *const answers[] = {".ans.statement", ".out", ".ans"};
    const struct package_file *input = NULL;
    const struct package_file *answer = NULL;
    struct package_problem *problem = &self->reader->problem;
    if (problem->sample_count == PACKAGE_SAMPLES_MAX) {
        return true;
    }
    for (size_t i = 0; i < 2 && input == NULL; i++) {
        input = beside(self, stem, inputs[i]);
    }
    for (size_t i = 0; i < 3 && answer == NULL; i++) {
        answer = beside(self, stem, answers[i]);
    }
    struct package_sample *samples = (struct package_sample *)(uintptr_t)problem->samples;
    struct package_sample *sample = &samples[problem->sample_count];
    sample->name = name;
    if (!show_text(self, input, &sample->input, err) ||
        !show_text(self, answer, &sample->answer, err)) {
        return false;
    }
    problem->sample_count++;
    return true;
}

static bool read_case(struct case_reader *self, const struct package_file *input, bool sample,
                      struct err *err) {
    struct str stem = str_sub(input->name, 0, input->name.len - IN.len);
    const struct package_file *answer = beside(self, stem, ".ans");
    struct group_flags flags = {.validator = STR(""), .program = STR("")};
    if (answer == NULL) {
        return package_refuse(err, input->name, 0, "its answer " STR_FMT ".ans is missing",
                              STR_ARG(path_base(stem)));
    }
    if (self->count == MANIFEST_CASES_MAX) {
        return package_refuse(err, STR(""), 0, "there are more than %d cases", MANIFEST_CASES_MAX);
    }
    struct manifest_case *row = &self->cases[self->count];
    *row = (struct manifest_case){.sample = sample, .group = -1};
    row->name = arena_str(self->reader->arena, str_sub(stem, DATA.len, SIZE_MAX));
    if (!content_put_data(self->reader, input, &row->input, err) ||
        !content_put_data(self->reader, answer, &row->answer, err) ||
        !read_case_flags(self, stem, &flags, err) || !read_case_files(self, stem, row, err)) {
        return false;
    }
    row->args = flags.program;
    self->flags[self->count++] = flags.validator;
    return !sample || read_sample(self, stem, row->name, err);
}

static bool has_input(const struct case_reader *self, struct str name) {
    struct str stem = str_sub(name, 0, name.len - STR(".ans").len);
    return beside(self, stem, ".in") != NULL;
}

static bool is_side_file(struct str name) {
    for (size_t i = 0; i < sizeof(side_extensions) / sizeof(side_extensions[0]); i++) {
        if (str_eq_c(path_extension(name), side_extensions[i])) {
            return true;
        }
    }
    return false;
}

static bool in_case_files(struct str name) {
    struct str head = STR("");
    struct str tail = STR("");
    while (str_cut_last(name, '/', &head, &tail)) {
        if (str_ends(head, STR(".files"))) {
            return true;
        }
        name = head;
    }
    return false;
}

static void note_other(struct case_reader *self, struct str name) {
    if (str_ends(name, STR(".ans"))) {
        if (!has_input(self, name)) {
            note_warning(self->reader, name, 0, "there is no input for this answer");
        }
        return;
    }
    if (!is_side_file(name) && !is_group_file(name)) {
        note_dropped(self->reader, name, 0, "test data have the names NAME.in and NAME.ans");
    }
}

static bool read_folder(struct case_reader *self, struct str folder, bool sample, struct err *err) {
    size_t from = 0;
    size_t to = 0;
    package_tree_below(self->reader->tree, folder, &from, &to);
    for (size_t i = from; i < to; i++) {
        const struct package_file *file = package_tree_at(self->reader->tree, i);
        if (in_case_files(file->name)) {
            continue;
        }
        if (!str_ends(file->name, IN)) {
            note_other(self, file->name);
            continue;
        }
        if (!read_case(self, file, sample, err)) {
            return false;
        }
    }
    return true;
}

static struct str joined(struct package_reader *reader, struct str a, struct str b) {
    if (a.len == 0 || b.len == 0) {
        return a.len == 0 ? b : a;
    }
    return str_from(arena_printf(reader->arena, STR_FMT " " STR_FMT, STR_ARG(a), STR_ARG(b)));
}

/* What most cases say becomes the checker's own; a case keeps what differs. An empty text in a case
 * means the checker's own, so nothing is shared when a case wants no arguments at all. */
static bool share_flags(struct case_reader *self, struct err *err) {
    struct package_reader *reader = self->reader;
    struct manifest *manifest = &reader->problem.manifest;
    struct manifest_checker *checker = &manifest->checker;
    struct manifest_program *program =
        (manifest->kinds & PROBLEM_INTERACTIVE) != 0 ? &manifest->interactor : &checker->program;
    bool is_program = program->language.len > 0;
    bool any_empty = false;
    for (int32_t i = 0; i < self->count; i++) {
        self->flags[i] = joined(reader, reader->validator_flags, self->flags[i]);
        any_empty = any_empty || self->flags[i].len == 0;
    }
    struct str common = any_empty || self->count == 0 ? STR("") : self->flags[self->count - 1];
    for (int32_t i = 0; i < self->count; i++) {
        struct manifest_checker scratch = {0};
        bool differs = !str_eq(self->flags[i], common);
        self->cases[i].checker_args = differs ? self->flags[i] : STR("");
        if (differs && !is_program && !flags_to_checker(reader, self->flags[i], &scratch, err)) {
            return err_wrap(err, "arguments of case " STR_FMT, STR_ARG(self->cases[i].name));
        }
    }
    if (is_program) {
        program->args = common;
        return true;
    }
    *checker = (struct manifest_checker){.kind = CHECKER_TOKENS};
    return flags_to_checker(reader, common, checker, err);
}

static size_t count_inputs(const struct package_tree *tree) {
    size_t count = 0;
    for (size_t i = 0; i < package_tree_count(tree); i++) {
        count += str_ends(package_tree_at(tree, i)->name, IN) ? 1 : 0;
    }
    return count < MANIFEST_CASES_MAX ? count : MANIFEST_CASES_MAX;
}

bool cases_read(struct package_reader *reader, struct err *err) {
    size_t room = count_inputs(reader->tree);
    struct case_reader self = {.reader = reader};
    self.cases = arena_array(reader->arena, room, sizeof(self.cases[0]));
    self.flags = arena_array(reader->arena, room, sizeof(self.flags[0]));
    reader->problem.samples =
        arena_array(reader->arena, PACKAGE_SAMPLES_MAX, sizeof(struct package_sample));
    if (!read_groups(&self, err) || !read_folder(&self, SAMPLE, true, err)) {
        return false;
    }
    int32_t samples = self.count;
    if (!read_folder(&self, SECRET, false, err)) {
        return false;
    }
    if (self.count == 0) {
        return package_refuse(err, SECRET, 0,
                              "there is no test data: expected data/secret/NAME.in and NAME.ans");
    }
    if (self.count == samples) {
        note_warning(reader, SECRET, 0, "there is no secret data: only the samples are judged");
    }
    reader->problem.manifest.cases = self.cases;
    reader->problem.manifest.case_count = self.count;
    return share_flags(&self, err);
}
