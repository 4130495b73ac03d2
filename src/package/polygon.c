/* Polygon: problem.xml says what there is; tests/NN and tests/NN.a, statements/LANGUAGE/,
 * programs with testlib. The "standard" package has generators instead of some test data. */
#include "package/builder.h"

#include "base/check.h"
#include "base/path.h"
#include "data/json.h"
#include "package/polygon_internal.h"
#include "package/xml.h"
#include <string.h>

#define MARK "problem.xml"
#define JSON_BYTES_MAX ((size_t)4 * MIB)

static bool find_one(const struct package_tree *tree, const struct package_file *file,
                     struct package_finds *finds, struct err *err) {
    struct str text = STR("");
    own(arena) arena = arena_create(FINDS_ARENA_BYTES);
    if (!finds_head(tree, file, arena, &text, err)) {
        return false;
    }
    return memmem(text.ptr, text.len, "<problem", 8) == NULL ||
           finds_add(finds, file, STR(""), FINDS_FOLDER, err);
}

bool polygon_recognise(const struct package_tree *tree, struct package_finds *finds,
                       struct err *err) {
    for (size_t i = 0; i < package_tree_count(tree); i++) {
        const struct package_file *file = package_tree_at(tree, i);
        if (str_eq_c(path_base(file->name), MARK) && !find_one(tree, file, finds, err)) {
            return false;
        }
    }
    return true;
}

bool polygon_refuse(const struct xml *node, struct err *err, const char *text) {
    return package_refuse(err, STR(MARK), node->line, "%s", text);
}

/* ---- names and statements ---- */

static void read_names(struct builder *builder, const struct xml *root) {
    const struct xml *name = xml_path(root, "names/name");
    for (; name != NULL; name = xml_next(name)) {
        build_title(builder,
                    build_language(builder->reader->arena, xml_attribute(name, "language")),
                    xml_attribute(name, "value"));
    }
    builder->reader->ini_code = xml_attribute(root, "short-name");
}

static const struct section {
    const char *key; /* in problem-properties.json, and of the file in statement-sections/ */
    int heading;
} sections[] = {
    {"legend", -1},
    {"input", HEADING_INPUT},
    {"output", HEADING_OUTPUT},
    {"interaction", HEADING_INTERACTION},
    {"scoring", HEADING_SCORING},
    {"notes", HEADING_NOTES},
};
#define SECTIONS (sizeof(sections) / sizeof(sections[0]))

static void put_section(struct builder *builder, struct str language, size_t index,
                        struct str text) {
    int heading = sections[index].heading;
    build_section(builder, heading < 0 ? "" : build_heading(language, (enum build_heading)heading),
                  "tex", text);
}

/* statements/LANGUAGE/problem-properties.json holds all parts. */
static bool read_properties(struct builder *builder, const struct package_file *file,
                            struct str language, struct err *err) {
    own(json) root = NULL;
    struct str text = STR("");
    struct str title = STR("");
    if (!build_text(builder, file, JSON_BYTES_MAX, &text, err)) {
        return false;
    }
    if (!jr_parse(text, &root, err) ||
        !jr_opt_str(root, "name", STATEMENT_BYTES_MAX, &title, err)) {
        return err_wrap(err, STR_FMT, STR_ARG(file->name));
    }
    build_title(builder, language, title);
    for (size_t i = 0; i < SECTIONS; i++) {
        struct str part = STR("");
        if (!jr_opt_str(root, sections[i].key, STATEMENT_BYTES_MAX, &part, err)) {
            return err_wrap(err, STR_FMT, STR_ARG(file->name));
        }
        put_section(builder, language, i, part);
    }
    return build_statement_end(builder, language, "tex", err);
}

static bool read_sections(struct builder *builder, struct str folder, struct str language,
                          struct err *err) {
    for (size_t i = 0; i < SECTIONS; i++) {
        struct str text = STR("");
        const char *name = arena_printf(builder->reader->arena, "%s.tex", sections[i].key);
        const struct package_file *file = build_find(builder, folder, str_from(name));
        if (file == NULL) {
            continue;
        }
        if (!build_text(builder, file, STATEMENT_BYTES_MAX, &text, err)) {
            return false;
        }
        put_section(builder, language, i, text);
    }
    return build_statement_end(builder, language, "tex", err);
}

static bool is_image(struct str name) {
    static const char *const kinds[] = {".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (str_eq_nocase(path_extension(name), str_from(kinds[i]))) {
            return true;
        }
    }
    return false;
}

static bool read_images(struct builder *builder, struct str folder, struct err *err) {
    const struct package_tree *tree = builder->reader->tree;
    size_t from = 0;
    size_t to = 0;
    package_tree_below(tree, folder, &from, &to);
    for (size_t i = from; i < to; i++) {
        const struct package_file *file = package_tree_at(tree, i);
        if (is_image(file->name) && !build_asset(builder, file, path_base(file->name), err)) {
            return false;
        }
    }
    return true;
}

/* The easiest source first: properties, sections, the whole TeX, HTML, PDF. */
static bool read_language(struct builder *builder, struct str name, struct err *err) {
    struct arena *arena = builder->reader->arena;
    struct str language = build_language(arena, name);
    struct str folder = str_from(arena_printf(arena, "statements/" STR_FMT, STR_ARG(name)));
    struct str parts = str_from(arena_printf(arena, "statement-sections/" STR_FMT, STR_ARG(name)));
    int32_t before = builder->statement_count;
    const struct package_file *json = build_find(builder, folder, STR("problem-properties.json"));
    const struct package_file *tex = build_find(builder, folder, STR("problem.tex"));
    struct str text = STR("");
    if (!read_images(builder, folder, err) || !read_images(builder, parts, err) ||
        (json != NULL && !read_properties(builder, json, language, err))) {
        return false;
    }
    if (builder->statement_count == before && !read_sections(builder, parts, language, err)) {
        return false;
    }
    if (builder->statement_count > before || tex == NULL) {
        return true;
    }
    return build_text(builder, tex, STATEMENT_BYTES_MAX, &text, err) &&
           build_statement(builder, language, "tex", text, err);
}

/* Statements that are ready to show, for languages that have nothing better. */
static bool read_ready(struct builder *builder, const struct xml *node, struct err *err) {
    struct arena *arena = builder->reader->arena;
    struct str type = xml_attribute(node, "type");
    struct str language = build_language(arena, xml_attribute(node, "language"));
    const struct package_file *file =
        package_tree_find(builder->reader->tree, xml_attribute(node, "path"));
    struct str text = STR("");
    for (int32_t i = 0; i < builder->statement_count; i++) {
        if (str_eq(builder->statements[i].language, language)) {
            return true;
        }
    }
    if (file == NULL) {
        return true;
    }
    if (str_eq_c(type, "text/html")) {
        return build_text(builder, file, STATEMENT_BYTES_MAX, &text, err) &&
               build_statement(builder, language, "html", text, err);
    }
    if (!str_eq_c(type, "application/pdf")) {
        return true;
    }
    struct str name = str_from(arena_printf(arena, "problem." STR_FMT ".pdf", STR_ARG(language)));
    if (!build_asset(builder, file, name, err) ||
        !build_statement(builder, language, "pdf", STR(""), err)) {
        return false;
    }
    builder->statements[builder->statement_count - 1].file = name;
    return true;
}

static bool read_statements(struct builder *builder, const struct xml *root, struct err *err) {
    const struct xml *first = xml_path(root, "statements/statement");
    struct str last = STR("");
    for (const struct xml *node = first; node != NULL; node = xml_next(node)) {
        struct str language = xml_attribute(node, "language");
        bool again = str_eq(language, last);
        last = language;
        if (!again && path_is_name(language) && !read_language(builder, language, err)) {
            return false;
        }
    }
    for (const struct xml *node = first; node != NULL; node = xml_next(node)) {
        if (!read_ready(builder, node, err)) {
            return false;
        }
    }
    return true;
}

/* ---- solutions ---- */

#define AC PACKAGE_EXPECT(VERDICT_ACCEPTED)
#define WA (PACKAGE_EXPECT(VERDICT_WRONG_ANSWER) | PACKAGE_EXPECT(VERDICT_PRESENTATION_ERROR))
#define TLE PACKAGE_EXPECT(VERDICT_TIME_LIMIT_EXCEEDED)
#define MLE PACKAGE_EXPECT(VERDICT_MEMORY_LIMIT_EXCEEDED)
#define RE PACKAGE_EXPECT(VERDICT_RUNTIME_ERROR)
#define REJECTED                                                                                   \
    (WA | TLE | MLE | RE | PACKAGE_EXPECT(VERDICT_OUTPUT_LIMIT_EXCEEDED) |                         \
     PACKAGE_EXPECT(VERDICT_PARTIAL))

static const struct tag {
    const char *name;
    uint32_t expected;
    const char *folder;
} tags[] = {
    {"main", AC, "accepted"},
    {"accepted", AC, "accepted"},
    {"wrong-answer", WA, "wrong_answer"},
    {"presentation-error", WA, "wrong_answer"},
    {"time-limit-exceeded", TLE, "time_limit_exceeded"},
    {"memory-limit-exceeded", MLE | RE, "memory_limit_exceeded"},
    {"time-limit-exceeded-or-accepted", TLE | AC, "mixed"},
    {"time-limit-exceeded-or-memory-limit-exceeded", TLE | MLE | RE, "rejected"},
    {"failed", RE, "run_time_error"},
    {"do-not-run", 0, ""},
};

static const struct tag *find_tag(struct str name) {
    static const struct tag rejected = {"rejected", REJECTED, "rejected"};
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        if (str_eq_c(name, tags[i].name)) {
            return &tags[i];
        }
    }
    return &rejected;
}

static void read_solution(struct builder *builder, const struct xml *node) {
    struct package_reader *reader = builder->reader;
    struct str path = xml_attribute(xml_child(node, "source"), "path");
    struct str type = xml_attribute(xml_child(node, "source"), "type");
    const struct package_file *file = package_tree_find(reader->tree, path);
    const struct tag *tag = find_tag(xml_attribute(node, "tag"));
    if (tag->folder[0] == '\0') {
        return;
    }
    if (file == NULL) {
        note_warning(reader, STR(MARK), node->line, "the solution " STR_FMT " is missing",
                     STR_ARG(path));
        return;
    }
    const char *name = arena_printf(reader->arena, "submissions/%s/" STR_FMT, tag->folder,
                                    STR_ARG(path_base(path)));
    int32_t before = builder->submission_count;
    build_submission(builder, str_from(name), file, STR(""), tag->expected);
    if (builder->submission_count > before && str_starts(type, STR("python.2"))) {
        builder->submissions[before].language = STR("python2");
    }
    if (builder->submission_count > before && strcmp(tag->name, "main") == 0) {
        reader->problem.model = before;
    }
}

static void read_solutions(struct builder *builder, const struct xml *root) {
    const struct xml *node = xml_path(root, "assets/solutions/solution");
    for (; node != NULL; node = xml_next(node)) {
        read_solution(builder, node);
    }
}

/* ---- programs ---- */

bool polygon_program(struct builder *builder, const struct xml *node,
                     struct manifest_program *ret_program, struct err *err) {
    const struct xml *source = xml_child(node, "source");
    struct str path = xml_attribute(source, "path");
    struct str folder = STR("");
    struct str base = STR("");
    const struct package_file *file = package_tree_find(builder->reader->tree, path);
    if (source == NULL || file == NULL) {
        return package_refuse(err, STR(MARK), node->line,
                              "its program " STR_FMT " is missing: add it", STR_ARG(path));
    }
    str_cut_last(path, '/', &folder, &base);
    const struct build_program spec = {.file = file,
                                       .folder = folder,
                                       .language = build_language_id(xml_attribute(source, "type")),
                                       .adapter = ADAPTER_TESTLIB};
    return build_program(builder, &spec, ret_program, err);
}

/* Polygon's own checkers, for packages that only name them. */
static const struct standard {
    const char *name;
    enum checker_kind kind;
    const char *tolerance;
    bool case_sensitive;
} standards[] = {
    {"std::wcmp.cpp", CHECKER_TOKENS, "", true},
    {"std::ncmp.cpp", CHECKER_TOKENS, "", true},
    {"std::icmp.cpp", CHECKER_TOKENS, "", true},
    {"std::hcmp.cpp", CHECKER_TOKENS, "", true},
    {"std::lcmp.cpp", CHECKER_LINES, "", true},
    {"std::fcmp.cpp", CHECKER_EXACT, "", true},
    {"std::yesno.cpp", CHECKER_TOKENS, "", false},
    {"std::nyesno.cpp", CHECKER_TOKENS, "", false},
    {"std::rcmp4.cpp", CHECKER_TOKENS, "1e-4", true},
    {"std::rcmp6.cpp", CHECKER_TOKENS, "1e-6", true},
    {"std::rcmp9.cpp", CHECKER_TOKENS, "1e-9", true},
    {"std::dcmp.cpp", CHECKER_TOKENS, "1e-6", true},
};

static bool use_standard(struct builder *builder, struct str name) {
    struct manifest_checker *checker = &builder->reader->problem.manifest.checker;
    for (size_t i = 0; i < sizeof(standards) / sizeof(standards[0]); i++) {
        if (!str_eq_c(name, standards[i].name)) {
            continue;
        }
        build_checker(builder, standards[i].kind);
        checker->case_sensitive =
            standards[i].kind == CHECKER_TOKENS && standards[i].case_sensitive;
        checker->float_absolute = str_from(standards[i].tolerance);
        checker->float_relative = checker->float_absolute;
        note_guessed(builder->reader, "the checker " STR_FMT " is not in the package: one of ours",
                     STR_ARG(name));
        return true;
    }
    return false;
}

static bool read_checker(struct builder *builder, const struct xml *root, struct err *err) {
    const struct xml *node = xml_path(root, "assets/checker");
    struct manifest *manifest = &builder->reader->problem.manifest;
    if (node == NULL) {
        build_checker(builder, CHECKER_LINES);
        note_guessed(builder->reader, "no checker is given: output is compared line by line");
        return true;
    }
    struct str path = xml_attribute(xml_child(node, "source"), "path");
    if (package_tree_find(builder->reader->tree, path) == NULL &&
        use_standard(builder, xml_attribute(node, "name"))) {
        return true;
    }
    build_checker(builder, CHECKER_PROGRAM);
    return polygon_program(builder, node, &manifest->checker.program, err);
}

static bool read_programs(struct builder *builder, const struct xml *root, struct err *err) {
    struct manifest *manifest = &builder->reader->problem.manifest;
    const struct xml *interactor = xml_path(root, "assets/interactor");
    const struct xml *validator = xml_path(root, "assets/validators/validator");
    if (!read_checker(builder, root, err)) {
        return false;
    }
    if (interactor != NULL) {
        manifest->kinds |= PROBLEM_INTERACTIVE;
        if (!polygon_program(builder, interactor, &manifest->interactor, err)) {
            return false;
        }
    }
    for (; validator != NULL; validator = xml_next(validator)) {
        struct manifest_program program;
        if (!polygon_program(builder, validator, &program, err)) {
            return false;
        }
        build_validator(builder, &program);
    }
    return true;
}

/* ---- the whole ---- */

static bool file_name(struct builder *builder, const struct xml *judging, const char *key,
                      struct str *into, struct err *err) {
    struct str name = xml_attribute(judging, key);
    if (name.len == 0 || str_eq_c(name, "stdin") || str_eq_c(name, "stdout")) {
        return true;
    }
    if (!path_is_name(name)) {
        return polygon_refuse(judging, err,
                              "the name of the input or output file is no plain name");
    }
    *into = arena_str(builder->reader->arena, name);
    return true;
}

static bool read_judging(struct builder *builder, const struct xml *root, struct err *err) {
    struct manifest *manifest = &builder->reader->problem.manifest;
    const struct xml *judging = xml_child(root, "judging");
    if (judging == NULL) {
        return polygon_refuse(root, err, "there is no <judging>");
    }
    struct str runs = xml_attribute(judging, "run-count");
    if (runs.len > 0 && !str_eq_c(runs, "1")) {
        return package_unsupported(err, STR(MARK), judging->line,
                                   "Polygon's problems that run the program twice");
    }
    return file_name(builder, judging, "input-file", &manifest->input_file, err) &&
           file_name(builder, judging, "output-file", &manifest->output_file, err);
}

bool polygon_read(struct package_reader *reader, struct err *err) {
    own_builder builder;
    own(arena) arena = arena_create(64 * (size_t)MIB + 2 * XML_BYTES_MAX);
    struct str text = STR("");
    const struct xml *root = NULL;
    const struct package_file *file = package_tree_find(reader->tree, STR(MARK));
    CHECK(file != NULL);
    builder_init(&builder, reader);
    note_read(reader, file->name);
    if (!package_tree_text(reader->tree, file, XML_BYTES_MAX, arena, &text, err) ||
        !xml_parse(arena, file->name, text, &root, err)) {
        return false;
    }
    if (!str_eq_c(root->name, "problem")) {
        return polygon_refuse(root, err, "expected <problem>");
    }
    read_names(&builder, root);
    reader->ini_code = arena_str(reader->arena, reader->ini_code);
    if (!read_judging(&builder, root, err) || !read_statements(&builder, root, err) ||
        !read_programs(&builder, root, err)) {
        return false;
    }
    read_solutions(&builder, root);
    return polygon_tests_read(&builder, root, err) && build_finish(&builder, err);
}
