/* Hydro: problem.yaml with site data, problem_LANG.md, testdata/ with config.yaml, files beside the
 * statement in additional_file/. */
#include "package/builder.h"

#include "base/check.h"
#include "base/path.h"
#include "data/json.h"
#include "package/hydro_internal.h"
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES_MAX 256

/* ---- which ---- */

static bool has_folder(const struct package_tree *tree, struct str folder, const char *name,
                       struct arena *arena) {
    size_t from = 0;
    size_t to = 0;
    const char *path =
        folder.len == 0 ? name : arena_printf(arena, STR_FMT "/%s", STR_ARG(folder), name);
    package_tree_below(tree, str_from(path), &from, &to);
    return to > from;
}

static struct str folder_of(struct str name) {
    struct str folder = STR("");
    struct str base = STR("");
    return str_cut_last(name, '/', &folder, &base) ? folder : STR("");
}

bool hydro_is_problem(const struct package_tree *tree, const struct package_file *file,
                      struct str text) {
    static const char *const keys[] = {"pid", "owner", "title", "nSubmit", "nAccept", "tag"};
    own(arena) arena = arena_create(4 * PACKAGE_PATH_BYTES_MAX + KIB);
    struct str folder = folder_of(file->name);
    if (has_folder(tree, folder, "data", arena) || finds_has_key(text, "problem_format_version")) {
        return false;
    }
    if (has_folder(tree, folder, "testdata", arena)) {
        return true;
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (finds_has_key(text, keys[i])) {
            return true;
        }
    }
    return false;
}

static bool find_one(const struct package_tree *tree, const struct package_file *file,
                     struct package_finds *finds, struct err *err) {
    struct str text = STR("");
    own(arena) arena = arena_create(FINDS_ARENA_BYTES);
    if (!finds_head(tree, file, arena, &text, err)) {
        return false;
    }
    return !hydro_is_problem(tree, file, text) ||
           finds_add(finds, file, STR(""), FINDS_FOLDER, err);
}

bool hydro_recognise(const struct package_tree *tree, struct package_finds *finds,
                     struct err *err) {
    for (size_t i = 0; i < package_tree_count(tree); i++) {
        const struct package_file *file = package_tree_at(tree, i);
        if (str_eq_c(path_base(file->name), "problem.yaml") && !find_one(tree, file, finds, err)) {
            return false;
        }
    }
    return true;
}

/* ---- problem.yaml ---- */

static bool read_yaml(struct builder *builder, struct err *err) {
    static const char *const known[] = {"pid",     "owner",      "title",  "tag",  "nSubmit",
                                        "nAccept", "difficulty", "hidden", "sort", NULL};
    struct package_reader *reader = builder->reader;
    const struct yaml *root = NULL;
    struct str pid = STR("");
    struct str title = STR("");
    own(arena) arena = arena_create(YAML_ARENA_BYTES);
    if (!yaml_file_read(reader, STR("problem.yaml"), arena, &root, err)) {
        return false;
    }
    if (root == NULL) {
        return true;
    }
    if (!yr_opt_str(root, "pid", TEXT_BYTES_MAX, &pid, err) ||
        !yr_opt_str(root, "title", TEXT_BYTES_MAX, &title, err)) {
        return false;
    }
    reader->ini_code = arena_str(reader->arena, pid);
    build_title(builder, build_guess_language(title), title);
    yaml_warn_unknown(reader, root, known);
    for (YR_EACH(item, root)) {
        if (!str_eq_c(item->key, "pid") && !str_eq_c(item->key, "title")) {
            note_dropped(reader, str_from(item->file), item->line,
                         "`" STR_FMT "` belongs to the site it comes from", STR_ARG(item->key));
        }
    }
    return true;
}

/* ---- statements ---- */

/* "```input1": which sample, and which half of it; 0 when it is none. */
static int sample_mark(struct str line, bool *ret_output) {
    struct err ignored = {0};
    int64_t number = 0;
    const struct str marks[] = {STR("```input"), STR("```output")};
    line = str_trim(line);
    for (int i = 0; i < 2; i++) {
        if (str_starts(line, marks[i]) && str_to_i64(str_sub(line, marks[i].len, line.len), 1,
                                                     PACKAGE_SAMPLES_MAX, &number, &ignored)) {
            *ret_output = i == 1;
            return (int)number;
        }
    }
    return 0;
}

struct samples {
    struct str inputs[PACKAGE_SAMPLES_MAX + 1];
    struct str outputs[PACKAGE_SAMPLES_MAX + 1];
    int last;
};

static struct str take_fence(struct str *rest) {
    struct str whole = *rest;
    struct str line = STR("");
    size_t len = 0;
    while (str_next_line(rest, &line)) {
        if (str_eq_c(str_trim(line), "```")) {
            return str_sub(whole, 0, len);
        }
        len = (size_t)(rest->ptr - whole.ptr);
    }
    return whole;
}

/* Hydro writes samples into the text; here they have a place of their own. */
static void take_samples(struct str text, struct buf *out, struct samples *samples) {
    struct str line = STR("");
    while (str_next_line(&text, &line)) {
        bool output = false;
        int number = sample_mark(line, &output);
        if (number == 0) {
            buf_append(out, line);
            buf_append_char(out, '\n');
            continue;
        }
        struct str content = take_fence(&text);
        (output ? samples->outputs : samples->inputs)[number] = content;
        samples->last = number > samples->last ? number : samples->last;
    }
}

/* "file://x.png" names a file of additional_file/. */
static void append_without_scheme(struct str text, struct buf *out) {
    const struct str scheme = STR("file://");
    size_t from = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (str_starts(str_sub(text, i, scheme.len), scheme)) {
            buf_append(out, str_sub(text, from, i - from));
            from = i + scheme.len;
        }
    }
    buf_append(out, str_sub(text, from, text.len));
}

static bool add_statement(struct builder *builder, struct str language, struct str text,
                          struct err *err) {
    struct samples *samples = arena_new(builder->reader->arena, struct samples);
    own_buf plain;
    own_buf out;
    buf_init(&plain, PACKAGE_STATEMENTS_BYTES_MAX);
    buf_init(&out, PACKAGE_STATEMENTS_BYTES_MAX);
    append_without_scheme(text, &plain);
    take_samples(buf_str(&plain), &out, samples);
    if (!buf_ok(&plain, "statement", err) || !buf_ok(&out, "statement", err)) {
        return false;
    }
    for (int i = 1; builder->statement_count == 0 && i <= samples->last; i++) {
        build_sample(builder, samples->inputs[i], samples->outputs[i]);
    }
    return build_statement(builder, language, "markdown", str_trim(buf_str(&out)), err);
}

/* One file may hold all languages: {"zh": "...", "en": "..."}. */
static bool add_json(struct builder *builder, struct str text, bool *ret_is_json, struct err *err) {
    own(json) map = NULL;
    struct err ignored = {0};
    void *cursor = NULL;
    struct str language = STR("");
    const struct json *value = NULL;
    *ret_is_json = str_starts(str_trim(text), STR("{")) && jr_parse(text, &map, &ignored) &&
                   jr_kind(map) == JR_OBJECT;
    while (*ret_is_json && jr_next_member(map, &cursor, &language, &value)) {
        struct str part = STR("");
        const char *name = arena_cstr(builder->reader->arena, language);
        if (!jr_opt_str(map, name, STATEMENT_BYTES_MAX, &part, err) ||
            !add_statement(builder, build_language(builder->reader->arena, language), part, err)) {
            return false;
        }
    }
    return true;
}

static bool read_statement(struct builder *builder, const struct package_file *file,
                           struct str language, struct err *err) {
    struct str text = STR("");
    bool is_json = false;
    if (!build_text(builder, file, STATEMENT_BYTES_MAX, &text, err) ||
        !add_json(builder, text, &is_json, err)) {
        return false;
    }
    if (is_json) {
        return true;
    }
    if (language.len == 0) {
        language = build_guess_language(text);
        note_guessed(builder->reader, "the language of " STR_FMT ", by its letters: " STR_FMT,
                     STR_ARG(file->name), STR_ARG(language));
    }
    return add_statement(builder, build_language(builder->reader->arena, language), text, err);
}

/* "problem.md", "problem_zh.md", "problem_zh_TW.md" */
static bool statement_language(struct str name, struct str *ret_language) {
    const struct str head = STR("problem");
    const struct str tail = STR(".md");
    if (!str_starts(name, head) || !str_ends(name, tail) || name.len < head.len + tail.len) {
        return false;
    }
    struct str middle = str_sub(name, head.len, name.len - head.len - tail.len);
    *ret_language = middle.len > 1 ? str_sub(middle, 1, middle.len) : STR("");
    return middle.len == 0 || middle.ptr[0] == '_' || middle.ptr[0] == '.';
}

static bool read_solution(struct builder *builder, const struct package_file *file,
                          struct str rest) {
    if (program_language(rest).len == 0) {
        return false;
    }
    struct str path = str_from(
        arena_printf(builder->reader->arena, "submissions/accepted/" STR_FMT, STR_ARG(rest)));
    build_submission(builder, path, file, STR(""), PACKAGE_EXPECT(VERDICT_ACCEPTED));
    return true;
}

static bool read_file(struct builder *builder, const struct package_file *file, struct err *err) {
    struct str folder = STR("");
    struct str rest = STR("");
    struct str language = STR("");
    if (statement_language(file->name, &language)) {
        return read_statement(builder, file, language, err);
    }
    if (!str_cut(file->name, '/', &folder, &rest)) {
        if (!str_eq_c(file->name, "problem.yaml")) {
            note_dropped(builder->reader, file->name, 0, "it is no part of a Hydro package");
        }
        return true;
    }
    if (str_eq_c(folder, "additional_file")) {
        return build_asset(builder, file, rest, err);
    }
    bool solution = str_eq_c(folder, "std") || str_eq_c(folder, "solution");
    if (!str_eq_c(folder, "testdata") && !(solution && read_solution(builder, file, rest))) {
        note_dropped(builder->reader, file->name, 0, "it is not used");
    }
    return true;
}

bool hydro_read(struct package_reader *reader, struct err *err) {
    own_builder builder;
    builder_init(&builder, reader);
    if (!read_yaml(&builder, err)) {
        return false;
    }
    for (size_t i = 0; i < package_tree_count(reader->tree); i++) {
        if (!read_file(&builder, package_tree_at(reader->tree, i), err)) {
            return false;
        }
    }
    return hydro_config_read(&builder, err) && build_finish(&builder, err);
}
