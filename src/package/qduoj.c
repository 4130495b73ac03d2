/* QDUOJ: folders 1/, 2/, ..., each with problem.json and testcase/. */
#include "package/builder.h"

#include "base/check.h"
#include "base/path.h"
#include "data/json.h"
#include <string.h>

#define MARK "problem.json"
#define CODE_BYTES_MAX 128
#define NAME_BYTES_MAX 128
#define JSON_BYTES_MAX ((size_t)8 * MIB)
#define POINT_MICRO INT64_C(1000000)
#define ITEMS_MAX 1000

bool qduoj_recognise(const struct package_tree *tree, struct package_finds *finds,
                     struct err *err) {
    for (size_t i = 0; i < package_tree_count(tree); i++) {
        const struct package_file *file = package_tree_at(tree, i);
        if (str_eq_c(path_base(file->name), MARK) &&
            !finds_add(finds, file, STR(""), FINDS_FOLDER, err)) {
            return false;
        }
    }
    return true;
}

/* What a JSON reader says, with the file. */
static bool in_file(struct err *err) {
    return err_wrap(err, MARK);
}

/* ---- statement ---- */

static const struct section {
    const char *key;
    int heading; /* enum build_heading; -1: none */
} sections[] = {
    {"description", -1},
    {"input_description", HEADING_INPUT},
    {"output_description", HEADING_OUTPUT},
    {"hint", HEADING_NOTES},
};

struct part {
    struct str format;
    struct str text;
};

static bool read_part(const struct json *root, const char *key, struct part *ret_part,
                      struct err *err) {
    const struct json *node = NULL;
    *ret_part = (struct part){.format = STR("html"), .text = STR("")};
    if (jr_kind(jr_get(root, key)) == JR_STR) { /* older exports */
        return jr_opt_str(root, key, STATEMENT_BYTES_MAX, &ret_part->text, err);
    }
    return jr_opt_object(root, key, &node, err) &&
           (node == NULL || (jr_opt_str(node, "format", NAME_BYTES_MAX, &ret_part->format, err) &&
                             jr_opt_str(node, "value", STATEMENT_BYTES_MAX, &ret_part->text, err)));
}

/* One statement has one format: Markdown only when every part is. */
static bool read_statement(struct builder *builder, const struct json *root, struct err *err) {
    struct part parts[sizeof(sections) / sizeof(sections[0])];
    const size_t count = sizeof(sections) / sizeof(sections[0]);
    bool markdown = true;
    struct str source = STR("");
    struct str all = STR("");
    for (size_t i = 0; i < count; i++) {
        if (!read_part(root, sections[i].key, &parts[i], err)) {
            return false;
        }
        markdown = markdown && (parts[i].text.len == 0 || str_eq_c(parts[i].format, "markdown"));
        all = parts[i].text.len > all.len ? parts[i].text : all;
    }
    if (!jr_opt_str(root, "source", NAME_BYTES_MAX, &source, err)) {
        return false;
    }
    struct str language = build_guess_language(all);
    const char *format = markdown ? "markdown" : "html";
    for (size_t i = 0; i < count; i++) {
        const char *heading =
            sections[i].heading < 0
                ? ""
                : build_heading(language, (enum build_heading)sections[i].heading);
        build_section(builder, heading, format, parts[i].text);
    }
    build_section(builder, build_heading(language, HEADING_SOURCE), format, source);
    return build_statement_end(builder, language, format, err);
}

static bool read_samples(struct builder *builder, const struct json *root, struct err *err) {
    const struct json *list = NULL;
    if (!jr_opt_array(root, "samples", ITEMS_MAX, &list, err)) {
        return false;
    }
    for (size_t i = 0; i < jr_count(list); i++) {
        const struct json *sample = NULL;
        struct str input = STR("");
        struct str output = STR("");
        if (!jr_item_object(list, i, &sample, err) ||
            !jr_opt_str(sample, "input", PACKAGE_SAMPLE_BYTES_MAX, &input, err) ||
            !jr_opt_str(sample, "output", PACKAGE_SAMPLE_BYTES_MAX, &output, err)) {
            return false;
        }
        build_sample(builder, input, output);
    }
    return true;
}

/* ---- test data ---- */

static bool put_file(struct builder *builder, struct str name, struct blob_ref *ret_blob,
                     struct err *err) {
    const struct package_file *file = build_find(builder, STR("testcase"), name);
    if (file == NULL) {
        return package_refuse(err, STR(MARK), 0,
                              "it names testcase/" STR_FMT ", which is missing: add it",
                              STR_ARG(name));
    }
    note_read(builder->reader, file->name);
    return content_put_data(builder->reader, file, ret_blob, err);
}

/* "-" is QDUOJ's way to say that a problem with its own judge has no answers. */
static bool read_case(struct builder *builder, const struct json *node, bool scored,
                      struct err *err) {
    struct str input = STR("");
    struct str output = STR("-");
    struct manifest_case *row = NULL;
    int64_t score = 0;
    if (!jr_str(node, "input_name", NAME_BYTES_MAX, &input, err) ||
        !jr_opt_str(node, "output_name", NAME_BYTES_MAX, &output, err) ||
        !jr_opt_i64(node, "score", 0, 1000000, &score, err)) {
        return in_file(err);
    }
    struct str stem = str_sub(input, 0, input.len - path_extension(input).len);
    if (!build_case(builder, stem, false, &row, err) ||
        !put_file(builder, input, &row->input, err)) {
        return false;
    }
    row->score_micro = scored ? score * POINT_MICRO : 0;
    return str_eq_c(output, "-") || put_file(builder, output, &row->answer, err);
}

static bool read_cases(struct builder *builder, const struct json *root, struct err *err) {
    const struct json *list = NULL;
    struct str rule = STR("ACM");
    if (!jr_opt_str(root, "rule_type", NAME_BYTES_MAX, &rule, err) ||
        !jr_array(root, "test_case_score", MANIFEST_CASES_MAX, &list, err)) {
        return in_file(err);
    }
    bool scored = str_eq_c(rule, "OI");
    if (scored) {
        build_scoring(builder);
    }
    for (size_t i = 0; i < jr_count(list); i++) {
        const struct json *node = NULL;
        if (!jr_item_object(list, i, &node, err)) {
            return in_file(err);
        }
        if (!read_case(builder, node, scored, err)) {
            return false;
        }
    }
    return true;
}

/* ---- programs ---- */

static bool read_code(struct builder *builder, const struct json *node, const char *stem,
                      struct str *ret_name, struct str *ret_code, struct err *err) {
    struct str language = STR("");
    if (!jr_str(node, "code", SOURCE_BYTES_MAX, ret_code, err) ||
        !jr_str(node, "language", NAME_BYTES_MAX, &language, err)) {
        return in_file(err);
    }
    *ret_name = build_source_name(builder->reader->arena, stem, build_language_id(language));
    return true;
}

static bool read_judge(struct builder *builder, const struct json *root, struct err *err) {
    const struct json *spj = NULL;
    struct str name = STR("");
    struct str code = STR("");
    if (!jr_opt_object(root, "spj", &spj, err)) {
        return in_file(err);
    }
    if (spj == NULL || jr_count(spj) == 0) {
        note_guessed(builder->reader,
                     "output is compared line by line; QDUOJ compares all but the white space at "
                     "its end");
        build_checker(builder, CHECKER_LINES);
        return true;
    }
    if (!read_code(builder, spj, "spj", &name, &code, err)) {
        return false;
    }
    if (program_language(name).len == 0) {
        return package_refuse(err, STR(MARK), 0, "the language of `spj` is not known");
    }
    build_checker(builder, CHECKER_PROGRAM);
    return build_program_text(builder, name, code, ADAPTER_QDUOJ,
                              &builder->reader->problem.manifest.checker.program, err);
}

static bool read_answers(struct builder *builder, const struct json *root, struct err *err) {
    const struct json *list = NULL;
    if (!jr_opt_array(root, "answers", ITEMS_MAX, &list, err)) {
        return in_file(err);
    }
    for (size_t i = 0; i < jr_count(list); i++) {
        struct str name = STR("");
        struct str code = STR("");
        const struct json *node = NULL;
        const char *stem = arena_printf(builder->reader->arena, "answer%zu", i + 1);
        if (!jr_item_object(list, i, &node, err) ||
            !read_code(builder, node, stem, &name, &code, err)) {
            return false;
        }
        const char *path =
            arena_printf(builder->reader->arena, "submissions/accepted/" STR_FMT, STR_ARG(name));
        build_submission(builder, str_from(path), NULL, code, PACKAGE_EXPECT(VERDICT_ACCEPTED));
    }
    return true;
}

static bool read_limits(struct builder *builder, const struct json *root, struct err *err) {
    struct manifest_limits *limits = &builder->reader->problem.manifest.limits;
    int64_t mib = 256;
    int64_t ms = 1000;
    if (!jr_i64(root, "time_limit", 1, TIME_LIMIT_MS_MAX, &ms, err) ||
        !jr_i64(root, "memory_limit", 1, MEMORY_LIMIT_KIB_MAX / KIB, &mib, err)) {
        return in_file(err);
    }
    limits->time_ms = ms < TIME_LIMIT_MS_MIN ? TIME_LIMIT_MS_MIN : ms;
    limits->memory_kib = mib * KIB < MEMORY_LIMIT_KIB_MIN ? MEMORY_LIMIT_KIB_MIN : mib * KIB;
    builder->reader->problem.time_limit_given = true;
    return true;
}

static void note_others(struct builder *builder, const struct json *root) {
    static const char *const dropped[] = {"tags", "template", "statistic_info"};
    struct package_reader *reader = builder->reader;
    for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++) {
        if (jr_count(jr_get(root, dropped[i])) > 0) {
            note_dropped(reader, STR(MARK), 0, "`%s` is not used", dropped[i]);
        }
    }
    for (size_t i = 0; i < package_tree_count(reader->tree); i++) {
        struct str name = package_tree_at(reader->tree, i)->name;
        if (!str_starts(name, STR("testcase/")) && !str_eq_c(name, MARK)) {
            note_dropped(reader, name, 0, "it is no part of a QDUOJ package");
        }
    }
}

static bool read_root(struct builder *builder, const struct json *root, struct err *err) {
    struct package_reader *reader = builder->reader;
    struct str code = STR("");
    struct str title = STR("");
    if (!jr_opt_str(root, "display_id", CODE_BYTES_MAX, &code, err) ||
        !jr_str(root, "title", STATEMENT_BYTES_MAX, &title, err) ||
        !read_statement(builder, root, err) || !read_samples(builder, root, err)) {
        return in_file(err);
    }
    reader->ini_code = arena_str(reader->arena, code);
    build_title(builder, build_guess_language(title), title);
    return read_limits(builder, root, err) && read_judge(builder, root, err) &&
           read_cases(builder, root, err) && read_answers(builder, root, err);
}

bool qduoj_read(struct package_reader *reader, struct err *err) {
    own_builder builder;
    own(json) root = NULL;
    struct str text = STR("");
    const struct package_file *file = package_tree_find(reader->tree, STR(MARK));
    CHECK(file != NULL);
    builder_init(&builder, reader);
    if (!build_text(&builder, file, JSON_BYTES_MAX, &text, err)) {
        return false;
    }
    if (!jr_parse(text, &root, err)) {
        return in_file(err);
    }
    if (jr_kind(root) != JR_OBJECT) {
        return package_refuse(err, STR(MARK), 1, "expected an object");
    }
    if (!read_root(&builder, root, err)) {
        return false;
    }
    note_others(&builder, root);
    return build_finish(&builder, err);
}
