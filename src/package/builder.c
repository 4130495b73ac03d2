/* A problem put together piece by piece. */
#include "package/builder.h"

#include "base/check.h"
#include "base/file.h"
#include "base/path.h"
#include "package/tex.h"
#include <stdlib.h>
#include <string.h>

#define TITLES_MAX 32
#define STATEMENTS_MAX 32
#define ASSETS_MAX 200
#define SUBMISSIONS_MAX 2000
#define VALIDATORS_MAX 10
#define LANGUAGE_BYTES_MAX 16
#define HEADERS_MAX 50

void builder_init(struct builder *builder, struct package_reader *reader) {
    struct arena *arena = reader->arena;
    *builder = (struct builder){
        .reader = reader,
        .titles = arena_array(arena, TITLES_MAX, sizeof(struct package_text)),
        .statements = arena_array(arena, STATEMENTS_MAX, sizeof(struct package_statement)),
        .assets = arena_array(arena, ASSETS_MAX, sizeof(struct package_asset)),
        .samples = arena_array(arena, PACKAGE_SAMPLES_MAX, sizeof(struct package_sample)),
        .submissions = arena_array(arena, SUBMISSIONS_MAX, sizeof(struct package_submission)),
        .validators = arena_array(arena, VALIDATORS_MAX, sizeof(struct manifest_program)),
        .cases = arena_array(arena, MANIFEST_CASES_MAX, sizeof(struct manifest_case)),
        .recipes = arena_array(arena, MANIFEST_CASES_MAX, sizeof(struct package_recipe)),
        .groups = arena_array(arena, MANIFEST_GROUPS_MAX, sizeof(struct manifest_group)),
    };
    buf_init(&builder->sections, PACKAGE_STATEMENTS_BYTES_MAX);
    reader->problem.model = -1;
}

void builder_done(struct builder *builder) {
    buf_done(&builder->sections);
}

/* ---- files ---- */

const struct package_file *build_find(const struct builder *builder, struct str folder,
                                      struct str name) {
    struct arena *arena = builder->reader->arena;
    struct str path =
        folder.len == 0
            ? name
            : str_from(arena_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(name)));
    return package_tree_find(builder->reader->tree, path);
}

bool build_text(struct builder *builder, const struct package_file *file, size_t bytes_max,
                struct str *ret_text, struct err *err) {
    note_read(builder->reader, file->name);
    builder->read_bytes += file->bytes;
    if (builder->read_bytes > STATEMENT_BYTES_MAX) {
        return package_refuse(err, file->name, 0, "the texts of the problem are larger than %d MiB",
                              STATEMENT_BYTES_MAX / MIB);
    }
    return content_text(builder->reader, file, bytes_max, ret_text, err);
}

/* ---- titles and statements ---- */

void build_title(struct builder *builder, struct str language, struct str text) {
    text = str_trim(text);
    if (text.len == 0 || builder->title_count == TITLES_MAX || !str_is_utf8(text) ||
        str_has_nul(text)) {
        return;
    }
    for (int32_t i = 0; i < builder->title_count; i++) {
        if (str_eq(builder->titles[i].language, language)) {
            return;
        }
    }
    builder->titles[builder->title_count++] = (struct package_text){
        .language = arena_str(builder->reader->arena, str_sub(language, 0, LANGUAGE_BYTES_MAX)),
        .text = arena_str(builder->reader->arena, str_utf8_prefix(text, PACKAGE_TITLE_BYTES_MAX))};
}

static void note_macro(void *context, struct str name) {
    struct package_reader *reader = context;
    note_guessed(reader, "`" STR_FMT "` of TeX is not known and stays as it is",
                 STR_ARG(str_sub(name, 0, 60)));
}

static bool convert_tex(struct builder *builder, struct str *text, struct err *err) {
    own_buf out;
    buf_init(&out, PACKAGE_STATEMENTS_BYTES_MAX);
    if (!tex_to_markdown(*text, &out, note_macro, builder->reader, err)) {
        return false;
    }
    *text = arena_str(builder->reader->arena, buf_str(&out));
    return true;
}

bool build_statement(struct builder *builder, struct str language, const char *format,
                     struct str text, struct err *err) {
    if (builder->statement_count == STATEMENTS_MAX) {
        return package_refuse(err, STR(""), 0, "there are more than %d statements", STATEMENTS_MAX);
    }
    if (strcmp(format, "tex") == 0) {
        if (!convert_tex(builder, &text, err)) {
            return false;
        }
        format = "markdown";
    }
    builder->text_bytes += (int64_t)text.len;
    if (builder->text_bytes > PACKAGE_STATEMENTS_BYTES_MAX) {
        return package_refuse(err, STR(""), 0, "the statements are too large");
    }
    builder->statements[builder->statement_count++] = (struct package_statement){
        .language = arena_str(builder->reader->arena, str_sub(language, 0, LANGUAGE_BYTES_MAX)),
        .format = format,
        .file = STR(""),
        .text = arena_str(builder->reader->arena, text)};
    return true;
}

/* "[md]...[/md]" in formats whose parts are HTML. */
static struct str without_md(struct str text) {
    text = str_trim(text);
    if (str_starts(text, STR("[md]"))) {
        text = str_sub(text, 4, text.len);
        text = str_ends(text, STR("[/md]")) ? str_sub(text, 0, text.len - 5) : text;
    }
    return str_trim(text);
}

void build_section(struct builder *builder, const char *heading, const char *format,
                   struct str text) {
    bool html = strcmp(format, "html") == 0;
    bool tex = strcmp(format, "tex") == 0;
    text = without_md(text);
    if (text.len == 0) {
        return;
    }
    struct buf *out = &builder->sections;
    if (heading[0] != '\0') {
        (void)buf_printf(out,
                         html  ? "<h2>%s</h2>\n"
                         : tex ? "\\section*{%s}\n\n"
                               : "## %s\n\n",
                         heading);
    }
    buf_append(out, text);
    buf_append_c(out, "\n\n");
}

bool build_statement_end(struct builder *builder, struct str language, const char *format,
                         struct err *err) {
    if (!buf_ok(&builder->sections, "statement", err)) {
        return false;
    }
    struct str text = str_trim(buf_str(&builder->sections));
    bool ok = text.len == 0 || build_statement(builder, language, format, text, err);
    buf_clear(&builder->sections);
    return ok;
}

bool build_asset(struct builder *builder, const struct package_file *file, struct str name,
                 struct err *err) {
    struct blob_ref blob;
    if (builder->asset_count == ASSETS_MAX || file->bytes > STATEMENT_BYTES_MAX) {
        note_dropped(builder->reader, file->name, 0,
                     "too large, or too many files beside the statement");
        return true;
    }
    if (!content_put(builder->reader, file, &blob, err)) {
        return false;
    }
    note_read(builder->reader, file->name);
    build_asset_blob(builder, name, &blob);
    return true;
}

void build_asset_blob(struct builder *builder, struct str name, const struct blob_ref *blob) {
    for (int32_t i = 0; i < builder->asset_count; i++) {
        if (str_eq(builder->assets[i].name, name)) {
            return;
        }
    }
    if (builder->asset_count < ASSETS_MAX && path_is_plain(name)) {
        builder->assets[builder->asset_count++] =
            (struct package_asset){.name = arena_str(builder->reader->arena, name), .blob = *blob};
    }
}

void build_sample(struct builder *builder, struct str input, struct str answer) {
    int64_t bytes = (int64_t)(input.len + answer.len);
    if (builder->sample_count == PACKAGE_SAMPLES_MAX ||
        builder->text_bytes + bytes > PACKAGE_STATEMENTS_BYTES_MAX) {
        note_warning(builder->reader, STR(""), 0, "a sample is too large to be shown");
        return;
    }
    struct arena *arena = builder->reader->arena;
    builder->text_bytes += bytes;
    int32_t number = ++builder->sample_count;
    builder->samples[number - 1] =
        (struct package_sample){.name = str_from(arena_printf(arena, "sample/%d", number)),
                                .input = arena_str(arena, input),
                                .answer = arena_str(arena, answer)};
}

bool build_sample_files(struct builder *builder, const struct package_file *input,
                        const struct package_file *answer, struct err *err) {
    struct package_reader *reader = builder->reader;
    struct str in = STR("");
    struct str out = STR("");
    int64_t bytes = input->bytes + answer->bytes;
    if (builder->sample_bytes + bytes > PACKAGE_SAMPLES_BYTES_MAX) {
        note_warning(reader, input->name, 0, "too large to be shown as a sample");
        return true;
    }
    builder->sample_bytes += bytes;
    if (!content_text(reader, input, PACKAGE_SAMPLES_BYTES_MAX, &in, err) ||
        !content_text(reader, answer, PACKAGE_SAMPLES_BYTES_MAX, &out, err)) {
        return false;
    }
    build_sample(builder, in, out);
    return true;
}

/* ---- cases ---- */

bool build_case(struct builder *builder, struct str name, bool sample,
                struct manifest_case **ret_case, struct err *err) {
    if (builder->case_count == MANIFEST_CASES_MAX) {
        return package_refuse(err, STR(""), 0, "there are more than %d cases", MANIFEST_CASES_MAX);
    }
    const char *path = arena_printf(builder->reader->arena, "%s/" STR_FMT,
                                    sample ? "sample" : "secret", STR_ARG(name));
    if (!path_is_plain(str_from(path))) {
        return package_refuse(err, STR(""), 0, "`" STR_FMT "` is no name for a case",
                              STR_ARG(str_sub(name, 0, 100)));
    }
    struct manifest_case *row = &builder->cases[builder->case_count++];
    *row = (struct manifest_case){.name = str_from(path),
                                  .sample = sample,
                                  .group = -1,
                                  .input = {.bytes = -1},
                                  .answer = {.bytes = -1}};
    *ret_case = row;
    return true;
}

bool build_group(struct builder *builder, struct str name, enum score_aggregation aggregation,
                 struct manifest_group **ret_group, struct err *err) {
    if (builder->group_count == MANIFEST_GROUPS_MAX) {
        return package_refuse(err, STR(""), 0, "there are more than %d test groups",
                              MANIFEST_GROUPS_MAX);
    }
    if (!path_is_plain(name)) {
        return package_refuse(err, STR(""), 0, "`" STR_FMT "` is no name for a group",
                              STR_ARG(str_sub(name, 0, 100)));
    }
    struct manifest_group *group = &builder->groups[builder->group_count++];
    *group = (struct manifest_group){
        .name = arena_str(builder->reader->arena, name), .parent = -1, .aggregation = aggregation};
    *ret_group = group;
    return true;
}

void build_scoring(struct builder *builder) {
    struct manifest *manifest = &builder->reader->problem.manifest;
    manifest->kinds = (manifest->kinds & ~(uint32_t)PROBLEM_PASS_FAIL) | PROBLEM_SCORING;
    manifest->aggregation = AGGREGATE_SUM;
}

bool build_points(struct str text, int64_t *ret_micro, struct err *err) {
    return str_to_scaled(str_trim(text), 6, INT64_C(1000000000000), ret_micro, err);
}

/* ---- programs ---- */

static bool is_header(struct str name) {
    return str_ends(name, STR(".h")) || str_ends(name, STR(".hpp"));
}

static int compare_manifest_files(const void *a, const void *b) {
    const struct manifest_file *first = a;
    const struct manifest_file *second = b;
    return str_cmp(first->name, second->name);
}

/* Headers directly in the folder. */
static bool add_headers(struct builder *builder, struct str folder, struct manifest_file *files,
                        int32_t *count, struct err *err) {
    const struct package_tree *tree = builder->reader->tree;
    size_t from = 0;
    size_t to = 0;
    package_tree_below(tree, folder, &from, &to);
    for (size_t i = from; i < to; i++) {
        const struct package_file *file = package_tree_at(tree, i);
        size_t skip = folder.len == 0 ? 0 : folder.len + 1;
        struct str name = str_sub(file->name, skip, SIZE_MAX);
        if (!is_header(name) || !path_is_name(name) || *count == HEADERS_MAX) {
            continue;
        }
        files[*count].name = arena_str(builder->reader->arena, name);
        if (!content_put(builder->reader, file, &files[*count].blob, err)) {
            return false;
        }
        (*count)++;
    }
    return true;
}

bool build_program(struct builder *builder, const struct build_program *spec,
                   struct manifest_program *ret_program, struct err *err) {
    struct arena *arena = builder->reader->arena;
    struct str name = path_base(spec->file->name);
    struct str language = spec->language.len > 0 ? spec->language : program_language(name);
    struct manifest_file *files = arena_array(arena, HEADERS_MAX + 1, sizeof(files[0]));
    int32_t count = 0;
    bool is_c = str_eq_c(language, "c") || str_eq_c(language, "cpp");
    if (language.len == 0) {
        return package_refuse(err, spec->file->name, 0, "it is no source of a known language");
    }
    if ((is_c && !add_headers(builder, spec->folder, files, &count, err)) ||
        !content_put(builder->reader, spec->file, &files[count].blob, err)) {
        return false;
    }
    files[count++].name = arena_str(arena, name);
    qsort(files, (size_t)count, sizeof(files[0]), compare_manifest_files);
    note_read(builder->reader, spec->file->name);
    *ret_program = (struct manifest_program){.language = language,
                                             .adapter = spec->adapter,
                                             .entry = arena_str(arena, name),
                                             .files = files,
                                             .file_count = count};
    return true;
}

bool build_program_text(struct builder *builder, struct str name, struct str text,
                        enum program_adapter adapter, struct manifest_program *ret_program,
                        struct err *err) {
    struct manifest_file *file = arena_new(builder->reader->arena, struct manifest_file);
    file->name = arena_str(builder->reader->arena, name);
    if (!content_put_text(builder->reader, text, false, &file->blob, err)) {
        return false;
    }
    *ret_program = (struct manifest_program){.language = program_language(name),
                                             .adapter = adapter,
                                             .entry = file->name,
                                             .files = file,
                                             .file_count = 1};
    return true;
}

static int compare_includes(const void *a, const void *b) {
    const struct manifest_include *first = a;
    const struct manifest_include *second = b;
    int order = str_cmp(first->language, second->language);
    return order != 0 ? order : str_cmp(first->file.name, second->file.name);
}

bool build_includes(struct builder *builder, struct manifest_include *rows, int32_t count,
                    struct err *err) {
    struct manifest *manifest = &builder->reader->problem.manifest;
    if (count > 0) {
        qsort(rows, (size_t)count, sizeof(rows[0]), compare_includes);
    }
    for (int32_t i = 1; i < count; i++) {
        if (compare_includes(&rows[i - 1], &rows[i]) == 0) {
            return package_refuse(err, rows[i].file.name, 0, "this file is named twice");
        }
    }
    manifest->includes = rows;
    manifest->include_count = count;
    return true;
}

void build_validator(struct builder *builder, const struct manifest_program *program) {
    if (builder->validator_count < VALIDATORS_MAX) {
        builder->validators[builder->validator_count++] = *program;
    }
}

bool build_recipe(struct builder *builder, const struct package_recipe *recipe, struct err *err) {
    struct package_reader *reader = builder->reader;
    CHECK(builder->case_count > 0);
    if (!reader->options->recipes) {
        return package_refuse(
            err, builder->cases[builder->case_count - 1].name, 0,
            "its files are still to be made by the package's own programs: send "
            "the full package, or what `assize problem export PACKAGE FILE` makes "
            "of this one");
    }
    struct package_recipe *row = &builder->recipes[builder->recipe_count++];
    *row = *recipe;
    row->case_index = builder->case_count - 1;
    row->args = arena_str(reader->arena, recipe->args);
    return true;
}

void build_checker(struct builder *builder, enum checker_kind kind) {
    builder->reader->problem.manifest.checker = (struct manifest_checker){.kind = kind};
}

void build_submission(struct builder *builder, struct str path, const struct package_file *file,
                      struct str text, uint32_t expected) {
    struct package_reader *reader = builder->reader;
    struct arena *arena = reader->arena;
    struct str name = path_base(path);
    if (builder->submission_count == SUBMISSIONS_MAX || program_language(name).len == 0 ||
        !path_is_plain(path)) {
        note_dropped(reader, path, 0, "it is no source of a known language");
        return;
    }
    struct str *names = arena_new(arena, struct str);
    struct str *texts = arena_new(arena, struct str);
    const struct package_file **files = arena_array(arena, 1, sizeof(files[0]));
    names[0] = arena_str(arena, name);
    texts[0] = file == NULL ? arena_str(arena, text) : STR("");
    files[0] = file;
    builder->submissions[builder->submission_count++] =
        (struct package_submission){.path = arena_str(arena, path),
                                    .expected = expected,
                                    .files = files,
                                    .names = names,
                                    .texts = file == NULL ? texts : NULL,
                                    .file_count = 1};
    note_read(reader, path);
}

/* ---- order ---- */

static size_t digits_at(struct str text, size_t from) {
    size_t end = from;
    while (end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9') {
        end++;
    }
    return end - from;
}

/* Two numbers by value: without leading zeros the longer is the larger. */
static int compare_digits(struct str a, struct str b) {
    while (a.len > 1 && a.ptr[0] == '0') {
        a = str_sub(a, 1, a.len);
    }
    while (b.len > 1 && b.ptr[0] == '0') {
        b = str_sub(b, 1, b.len);
    }
    return a.len != b.len ? (a.len < b.len ? -1 : 1) : str_cmp(a, b);
}

int build_compare_natural(struct str a, struct str b) {
    size_t i = 0;
    size_t k = 0;
    while (i < a.len && k < b.len) {
        size_t digits_a = digits_at(a, i);
        size_t digits_b = digits_at(b, k);
        if (digits_a > 0 && digits_b > 0) {
            int order = compare_digits(str_sub(a, i, digits_a), str_sub(b, k, digits_b));
            if (order != 0) {
                return order;
            }
            i += digits_a;
            k += digits_b;
        } else if (a.ptr[i] != b.ptr[k]) {
            return (unsigned char)a.ptr[i] < (unsigned char)b.ptr[k] ? -1 : 1;
        } else {
            i++;
            k++;
        }
    }
    return i < a.len ? 1 : k < b.len ? -1 : str_cmp(a, b);
}

int build_compare_names(const void *a, const void *b) {
    const struct package_file *const *first = a;
    const struct package_file *const *second = b;
    return build_compare_natural((*first)->name, (*second)->name);
}

/* ---- the end ---- */

static bool needs_answers(const struct manifest *manifest) {
    return manifest->checker.kind != CHECKER_PROGRAM && manifest->checker.kind != CHECKER_NONE;
}

static bool has_recipe(const struct builder *builder, int32_t index) {
    for (int32_t i = 0; i < builder->recipe_count; i++) {
        if (builder->recipes[i].case_index == index) {
            return true;
        }
    }
    return false;
}

static bool check_cases(struct builder *builder, struct err *err) {
    const struct manifest *manifest = &builder->reader->problem.manifest;
    if (builder->case_count == 0) {
        return package_refuse(err, STR(""), 0,
                              "there is no test data in the package: add inputs and answers");
    }
    for (int32_t i = 0; i < builder->case_count; i++) {
        const struct manifest_case *row = &builder->cases[i];
        if (row->answer.bytes < 0 && has_recipe(builder, i)) {
            continue;
        }
        if (row->input.bytes < 0 && row->answer.bytes < 0) {
            return package_refuse(err, row->name, 0, "this case has neither input nor answer");
        }
        if (row->answer.bytes < 0 && needs_answers(manifest)) {
            return package_refuse(err, row->name, 0,
                                  "its expected answer is missing: add the file, or a checker "
                                  "that needs none");
        }
    }
    return true;
}

/* The whole is what its parts can reach. */
static void sum_points(struct builder *builder) {
    struct manifest *manifest = &builder->reader->problem.manifest;
    int64_t sum = 0;
    if ((manifest->kinds & PROBLEM_SCORING) == 0) {
        return;
    }
    for (int32_t i = 0; i < builder->case_count; i++) {
        bool counts = builder->cases[i].group < 0 && !builder->cases[i].sample;
        sum += counts ? builder->cases[i].score_micro : 0;
    }
    for (int32_t i = 0; i < builder->group_count; i++) {
        sum += builder->groups[i].parent < 0 ? builder->groups[i].score_micro : 0;
    }
    manifest->score_micro = sum;
}

bool build_finish(struct builder *builder, struct err *err) {
    struct package_problem *problem = &builder->reader->problem;
    if (!check_cases(builder, err)) {
        return false;
    }
    if (builder->statement_count == 0) {
        note_warning(builder->reader, STR(""), 0, "there is no statement");
    }
    sum_points(builder);
    problem->titles = builder->titles;
    problem->title_count = builder->title_count;
    problem->statements = builder->statements;
    problem->statement_count = builder->statement_count;
    problem->assets = builder->assets;
    problem->asset_count = builder->asset_count;
    problem->samples = builder->samples;
    problem->sample_count = builder->sample_count;
    problem->submissions = builder->submissions;
    problem->submission_count = builder->submission_count;
    problem->validators = builder->validators;
    problem->validator_count = builder->validator_count;
    problem->recipes = builder->recipes;
    problem->recipe_count = builder->recipe_count;
    problem->manifest.cases = builder->cases;
    problem->manifest.case_count = builder->case_count;
    problem->manifest.groups = builder->groups;
    problem->manifest.group_count = builder->group_count;
    return true;
}
