/* Reads an ICPC package: problem.yaml first, then part by part, each in its own file. */
#include "base/check.h"
#include "base/path.h"
#include "package/reader_internal.h"

/* Folders and files of the formats; others get a note. */
static const struct known_entry {
    const char *name;
    const char *dropped; /* why it is not used, or NULL: read elsewhere */
} known_entries[] = {
    {"problem.yaml", NULL},
    {"assize.manifest", NULL},
    {"domjudge-problem.ini", NULL},
    {".timelimit", NULL},
    {"problem_statement", NULL},
    {"statement", NULL},
    {"problem.pdf", NULL},
    {"problem.html", NULL},
    {"data", NULL},
    {"sql", NULL},
    {"submissions", NULL},
    {"include", NULL},
    {"output_validator", NULL},
    {"output_validators", NULL},
    {"attachments", "attachments are not kept yet"},
    {"solution", "solution descriptions are not kept"},
    {"input_validators", NULL},
    {"input_validator", NULL},
    {"input_format_validators", NULL},
    {"answer_validators", "answer validators are not run yet"},
    {"graders", "only the default grader is known, by its flags"},
    {"static_validator", "static validators are not supported yet"},
    {"input_visualizer", "visualizers are not used"},
    {"output_visualizer", "visualizers are not used"},
    {"generators", "generators are not run"},
};

static void note_entry(struct package_reader *reader, struct str entry) {
    for (size_t i = 0; i < sizeof(known_entries) / sizeof(known_entries[0]); i++) {
        if (!str_eq_c(entry, known_entries[i].name)) {
            continue;
        }
        if (known_entries[i].dropped != NULL) {
            note_dropped(reader, entry, 0, "%s", known_entries[i].dropped);
        }
        return;
    }
    note_dropped(reader, entry, 0, "it is no part of the package format");
}

/* Each thing at the top once, and the folders of data that are for testing validators. */
static void note_entries(struct package_reader *reader) {
    struct str last = STR("");
    struct str last_data = STR("");
    for (size_t i = 0; i < package_tree_count(reader->tree); i++) {
        struct str rest = STR("");
        struct str entry = STR("");
        struct str data = STR("");
        str_cut(package_tree_at(reader->tree, i)->name, '/', &entry, &rest);
        if (!str_eq(entry, last)) {
            note_entry(reader, entry);
            last = entry;
        }
        if (!str_eq_c(entry, "data") || !str_cut(rest, '/', &data, &rest) ||
            str_eq(data, last_data)) {
            continue;
        }
        last_data = data;
        if (!str_eq_c(data, "sample") && !str_eq_c(data, "secret")) {
            note_dropped(reader, data, 0, "data/" STR_FMT " is not used", STR_ARG(data));
        }
    }
}

static bool read_cases(struct package_reader *reader, struct err *err) {
    bool is_sql = (reader->problem.manifest.kinds & PROBLEM_SQL) != 0;
    return is_sql ? sql_cases_read(reader, err) : cases_read(reader, err);
}

/* Hydro has a file of this name too. */
static bool is_icpc(const struct package_tree *tree, const struct package_file *file, bool *ret_is,
                    struct err *err) {
    struct str text = STR("");
    own(arena) arena = arena_create(FINDS_ARENA_BYTES);
    if (!finds_head(tree, file, arena, &text, err)) {
        return false;
    }
    *ret_is = !hydro_is_problem(tree, file, text);
    return true;
}

bool icpc_recognise(const struct package_tree *tree, struct package_finds *finds, struct err *err) {
    for (size_t i = 0; i < package_tree_count(tree); i++) {
        const struct package_file *file = package_tree_at(tree, i);
        bool is = false;
        if (!str_eq_c(path_base(file->name), "problem.yaml")) {
            continue;
        }
        if (!is_icpc(tree, file, &is, err) ||
            (is && !finds_add(finds, file, STR(""), FINDS_FOLDER, err))) {
            return false;
        }
    }
    return true;
}

bool icpc_read(struct package_reader *reader, struct err *err) {
    reader->report->format = "icpc-legacy";
    if (!problem_yaml_read(reader, err) || !time_limit_read(reader, err) ||
        !statement_read(reader, err) || !validator_read(reader, err) ||
        !input_validators_read(reader, err) || !read_cases(reader, err) ||
        !includes_read(reader, err) || !submissions_read(reader, err) ||
        !scoring_read(reader, err)) {
        return false;
    }
    if (!manifest_file_read(reader, err)) {
        return false;
    }
    note_entries(reader);
    return true;
}
