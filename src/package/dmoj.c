/* DMOJ: init.yml says what the test data are and how output is checked. Statement and limits are
 * kept elsewhere at DMOJ, so limits are guessed; `tests/NAME/test.yml`, as its own test suite has
 * them, are bundled submissions. */
#include "package/dmoj_internal.h"

#include "base/check.h"
#include "base/path.h"
#include <string.h>

#define MARK "init.yml"
#define MS_DEFAULT 2000
#define KIB_DEFAULT (256 * KIB)
#define NAME_BYTES_MAX 256

static bool find_one(const struct package_tree *tree, const struct package_file *file,
                     struct package_finds *finds, struct err *err) {
    static const char *const keys[] = {"archive",     "test_cases",   "generator",
                                       "interactive", "custom_judge", "pretest_test_cases"};
    struct str text = STR("");
    bool is = false;
    own(arena) arena = arena_create(FINDS_ARENA_BYTES);
    if (!finds_head(tree, file, arena, &text, err)) {
        return false;
    }
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
        is = is || finds_has_key(text, keys[k]);
    }
    return !is || finds_add(finds, file, STR(""), FINDS_FOLDER, err);
}

bool dmoj_recognise(const struct package_tree *tree, struct package_finds *finds, struct err *err) {
    for (size_t i = 0; i < package_tree_count(tree); i++) {
        const struct package_file *file = package_tree_at(tree, i);
        if (str_eq_c(path_base(file->name), MARK) && !find_one(tree, file, finds, err)) {
            return false;
        }
    }
    return true;
}

const struct yaml *dmoj_get(const struct dmoj *dmoj, const struct yaml *node, const char *key) {
    const struct yaml *found = yr_get(node, key);
    return found != NULL ? found : yr_get(dmoj->root, key);
}

static bool put(struct dmoj *dmoj, const struct package_tree *tree, const struct package_file *file,
                struct blob_ref *ret_blob, struct err *err) {
    struct package_reader *reader = dmoj->builder->reader;
    const struct package_tree *before = reader->tree;
    bool binary = false;
    if (!yr_opt_bool(dmoj->root, "binary_data", &binary, err)) {
        return false;
    }
    note_read(reader, file->name);
    reader->tree = tree;
    bool ok = binary ? content_put(reader, file, ret_blob, err)
                     : content_put_data(reader, file, ret_blob, err);
    reader->tree = before;
    return ok;
}

bool dmoj_put(struct dmoj *dmoj, const struct yaml *node, struct blob_ref *ret_blob,
              struct err *err) {
    struct str name = STR("");
    const struct package_tree *trees[] = {dmoj->archive, dmoj->builder->reader->tree};
    if (!yr_str(node, NAME_BYTES_MAX, &name, err)) {
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        const struct package_file *file =
            trees[i] == NULL ? NULL : package_tree_find(trees[i], name);
        if (file != NULL) {
            return put(dmoj, trees[i], file, ret_blob, err);
        }
    }
    return yr_error(node, err, "there is no " STR_FMT " in the package: add it", STR_ARG(name));
}

static bool open_archive(struct dmoj *dmoj, struct err *err) {
    struct package_reader *reader = dmoj->builder->reader;
    struct str name = STR("");
    own_fd fd = -1;
    if (!yr_opt_str(dmoj->root, "archive", NAME_BYTES_MAX, &name, err) || name.len == 0) {
        return err->kind == ERR_NONE;
    }
    const struct yaml *node = yr_get(dmoj->root, "archive");
    const struct package_file *file = package_tree_find(reader->tree, name);
    if (file == NULL) {
        return yr_error(node, err, "there is no " STR_FMT " in the package: add it", STR_ARG(name));
    }
    note_read(reader, file->name);
    return (package_tree_read(reader->tree, file, &fd, err) &&
            package_tree_open_zip(fd, &dmoj->archive, err)) ||
           err_wrap(err, STR_FMT, STR_ARG(file->name));
}

/* ---- bundled submissions ---- */

static const struct code {
    const char *name;
    uint32_t expected;
} codes[] = {
    {"AC", PACKAGE_EXPECT(VERDICT_ACCEPTED)},
    {"WA", PACKAGE_EXPECT(VERDICT_WRONG_ANSWER) | PACKAGE_EXPECT(VERDICT_PARTIAL)},
    {"TLE", PACKAGE_EXPECT(VERDICT_TIME_LIMIT_EXCEEDED)},
    {"MLE", PACKAGE_EXPECT(VERDICT_MEMORY_LIMIT_EXCEEDED)},
    {"OLE", PACKAGE_EXPECT(VERDICT_OUTPUT_LIMIT_EXCEEDED)},
    {"RTE", PACKAGE_EXPECT(VERDICT_RUNTIME_ERROR)},
    {"IR", PACKAGE_EXPECT(VERDICT_RUNTIME_ERROR)},
    {"CE", PACKAGE_EXPECT(VERDICT_COMPILE_ERROR)},
    {"IE", PACKAGE_EXPECT(VERDICT_SYSTEM_ERROR)},
    {"SC", 0},
};

static uint32_t expected_of(struct str words) {
    uint32_t expected = 0;
    struct str word = STR("");
    bool more = true;
    while (more) {
        more = str_cut(words, '|', &word, &words);
        for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
            expected |= str_eq_c(str_trim(word), codes[i].name) ? codes[i].expected : 0;
        }
    }
    return expected;
}

/* Scalars, lists and maps of "AC", one inside the other. */
static uint32_t expected_in(const struct yaml *node, int depth) {
    uint32_t expected = 0;
    if (node == NULL || depth > 3) {
        return 0;
    }
    if (node->kind == YR_SCALAR) {
        return expected_of(node->text);
    }
    for (YR_EACH(item, node)) {
        expected |= expected_in(item, depth + 1);
    }
    return expected;
}

/* One case that is not accepted decides, whatever the others are. */
static uint32_t read_expected(const struct yaml *root) {
    const uint32_t accepted = PACKAGE_EXPECT(VERDICT_ACCEPTED);
    uint32_t cases = expected_in(yr_get(root, "cases"), 0);
    uint32_t all = expected_in(yr_get(root, "expect"), 0);
    if ((cases & ~accepted) != 0) {
        return (cases & ~accepted) | PACKAGE_EXPECT(VERDICT_PARTIAL);
    }
    return all != 0 ? all : accepted;
}

static bool read_test(struct dmoj *dmoj, const struct package_file *file, struct err *err) {
    struct package_reader *reader = dmoj->builder->reader;
    struct str folder = STR("");
    struct str base = STR("");
    struct str source = STR("");
    struct str language = STR("");
    const struct yaml *root = NULL;
    own(arena) arena = arena_create(YAML_ARENA_BYTES);
    if (!yaml_file_read(reader, file->name, arena, &root, err) ||
        !yr_opt_str(root, "language", NAME_BYTES_MAX, &language, err)) {
        return false;
    }
    const struct yaml *node = yr_get(root, "source");
    if (yr_is_null(node) || node->kind != YR_SCALAR) {
        note_dropped(reader, file->name, 0, "it names no source, or several");
        return true;
    }
    if (!yr_str(node, NAME_BYTES_MAX, &source, err)) {
        return false;
    }
    str_cut_last(file->name, '/', &folder, &base);
    const struct package_file *code = build_find(dmoj->builder, folder, source);
    if (code == NULL) {
        return yr_error(node, err, "there is no " STR_FMT " beside it", STR_ARG(source));
    }
    int32_t before = dmoj->builder->submission_count;
    build_submission(dmoj->builder, code->name, code, STR(""), read_expected(root));
    if (dmoj->builder->submission_count > before) {
        struct str id = build_language_id(language);
        dmoj->builder->submissions[before].language =
            id.len > 0 ? id : arena_str(reader->arena, language);
    }
    return true;
}

static bool read_tests(struct dmoj *dmoj, struct err *err) {
    const struct package_tree *tree = dmoj->builder->reader->tree;
    size_t from = 0;
    size_t to = 0;
    package_tree_below(tree, STR("tests"), &from, &to);
    for (size_t i = from; i < to; i++) {
        const struct package_file *file = package_tree_at(tree, i);
        struct str base = path_base(file->name);
        bool is = str_eq_c(base, "test.yml") || str_eq_c(base, "test.posix.yml");
        if (is && !read_test(dmoj, file, err)) {
            return false;
        }
    }
    return true;
}

/* ---- the whole ---- */

static void note_keys(struct dmoj *dmoj) {
    static const char *const known[] = {"archive",
                                        "test_cases",
                                        "pretest_test_cases",
                                        "checker",
                                        "generator",
                                        "custom_judge",
                                        "interactive",
                                        "signature_grader",
                                        "unbuffered",
                                        "wall_time_factor",
                                        "output_prefix_length",
                                        "output_limit_length",
                                        "binary_data",
                                        "short_circuit",
                                        "points",
                                        "hints",
                                        "symlinks",
                                        "meta",
                                        "file_io",
                                        "grader",
                                        "validator",
                                        NULL};
    static const char *const dropped[] = {
        "pretest_test_cases", "wall_time_factor", "hints",    "symlinks", "meta",
        "short_circuit",      "file_io",          "validator"};
    struct package_reader *reader = dmoj->builder->reader;
    yaml_warn_unknown(reader, dmoj->root, known);
    for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++) {
        const struct yaml *node = yr_get(dmoj->root, dropped[i]);
        if (!yr_is_null(node)) {
            note_dropped(reader, STR(MARK), node->line, "`%s` is not used", dropped[i]);
        }
    }
}

static bool read_limits(struct dmoj *dmoj, struct err *err) {
    struct package_reader *reader = dmoj->builder->reader;
    struct manifest_limits *limits = &reader->problem.manifest.limits;
    int64_t bytes = 24 * (int64_t)MIB;
    limits->time_ms = MS_DEFAULT;
    limits->memory_kib = KIB_DEFAULT;
    note_guessed(reader, "DMOJ keeps limits outside of the package: %d ms and %d MiB", MS_DEFAULT,
                 KIB_DEFAULT / KIB);
    if (!yr_opt_i64(dmoj->root, "output_limit_length", 1, INT64_C(1) << 40, &bytes, err)) {
        return false;
    }
    int64_t kib = (bytes + KIB - 1) / KIB;
    limits->output_kib = kib > OUTPUT_LIMIT_KIB_MAX ? OUTPUT_LIMIT_KIB_MAX : kib;
    return true;
}

static bool read_all(struct dmoj *dmoj, struct err *err) {
    note_keys(dmoj);
    return read_limits(dmoj, err) && open_archive(dmoj, err) && dmoj_programs_read(dmoj, err) &&
           dmoj_cases_read(dmoj, err) && read_tests(dmoj, err);
}

/* A statement is no part of the format, but people put one beside it. */
static bool read_statement(struct builder *builder, struct err *err) {
    static const char *const names[] = {"statement.md", "problem.md", "README.md"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct str text = STR("");
        const struct package_file *file =
            package_tree_find(builder->reader->tree, str_from(names[i]));
        if (file == NULL) {
            continue;
        }
        note_guessed(builder->reader, "the statement: %s", names[i]);
        return build_text(builder, file, STATEMENT_BYTES_MAX, &text, err) &&
               build_statement(builder, build_guess_language(text), "markdown", text, err);
    }
    return true;
}

bool dmoj_read(struct package_reader *reader, struct err *err) {
    own_builder builder;
    own(arena) arena = arena_create(YAML_ARENA_BYTES);
    struct dmoj *dmoj = arena_new(reader->arena, struct dmoj);
    builder_init(&builder, reader);
    dmoj->builder = &builder;
    if (!yaml_file_read(reader, STR(MARK), arena, &dmoj->root, err) ||
        !read_statement(&builder, err)) {
        return false;
    }
    bool ok = read_all(dmoj, err) && build_finish(&builder, err);
    package_tree_close(dmoj->archive);
    return ok;
}
