/* Reads an ICPC package: problem.yaml first, then part by part, each in its own file. The kind of
 * package is found by what is in it, never by its name. */
#include "base/check.h"
#include "base/path.h"
#include "package/reader_internal.h"

#define JOB_TOTAL_MS_BASE 120000
#define JOB_TOTAL_MS_MIN 600000
#define JOB_TOTAL_MS_MAX (INT64_C(6) * 3600 * 1000)

/* Folders and files of the formats; others get a note. */
static const struct known_entry {
    const char *name;
    const char *dropped; /* why it is not used, or NULL: read elsewhere */
} known_entries[] = {
    {"problem.yaml", NULL},
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
    {"input_validators", "input validators are not run yet"},
    {"input_validator", "input validators are not run yet"},
    {"input_format_validators", "input validators are not run yet"},
    {"answer_validators", "answer validators are not run yet"},
    {"graders", "graders are only for scoring problems"},
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
    size_t ignored = package_tree_ignored(reader->tree);
    if (ignored > 0) {
        note_dropped(reader, STR(""), 0,
                     "%zu entries of the operating system or version control, or with names that "
                     "are not allowed",
                     ignored);
    }
    struct str charset = package_tree_charset(reader->tree);
    if (charset.len > 0) {
        note_guessed(reader, "file names that are not UTF-8 were read as " STR_FMT,
                     STR_ARG(charset));
    }
}

static bool is_code_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

/* What is left of a text when only letters that a code may have are kept. */
static struct str code_of(struct package_reader *reader, struct str text) {
    char code[PACKAGE_CODE_BYTES_MAX];
    size_t len = 0;
    for (size_t i = 0; i < text.len && len < sizeof(code); i++) {
        char c = text.ptr[i] == ' ' ? '-' : text.ptr[i];
        if (is_code_char(c) && (len > 0 || (c != '-' && c != '.'))) {
            code[len++] = c;
        }
    }
    return arena_str(reader->arena, str_of(code, len));
}

static struct str without_extension(struct str name) {
    static const char *const extensions[] = {".zip", ".kpp"};
    name = path_base(name);
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        struct str extension = str_from(extensions[i]);
        if (str_ends(name, extension)) {
            return str_sub(name, 0, name.len - extension.len);
        }
    }
    return name;
}

static bool choose_code(struct package_reader *reader, struct err *err) {
    const struct package_options *options = reader->options;
    const struct str sources[] = {
        reader->ini_code,
        package_tree_name(reader->tree),
        without_extension(options->file_name),
        reader->problem.title_count > 0 ? reader->problem.titles[0].text : STR(""),
    };
    if (options->code.len > 0) {
        reader->problem.code = code_of(reader, options->code);
        if (!str_eq(reader->problem.code, options->code)) {
            return package_refuse(err, STR(""), 0,
                                  "a problem's code has letters, digits, '-', '_' and '.', at "
                                  "most %d",
                                  PACKAGE_CODE_BYTES_MAX);
        }
        return true;
    }
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        reader->problem.code = code_of(reader, sources[i]);
        if (reader->problem.code.len == 0) {
            continue;
        }
        if (i + 1 == sizeof(sources) / sizeof(sources[0])) {
            note_guessed(reader, "the problem's code, from its title: " STR_FMT,
                         STR_ARG(reader->problem.code));
        }
        return true;
    }
    return package_refuse(err, STR(""), 0,
                          "there is nothing to take the problem's code from: "
                          "give one");
}

static void need_title(struct package_reader *reader) {
    if (reader->problem.title_count > 0) {
        return;
    }
    struct package_text *title = arena_new(reader->arena, struct package_text);
    *title = (struct package_text){.language = STR("en"), .text = reader->problem.code};
    reader->problem.titles = title;
    reader->problem.title_count = 1;
    note_guessed(reader, "no title is given: the problem's code");
}

/* Long enough for every case to use up its limits twice, and its check. */
static int64_t job_total_ms(const struct manifest *manifest) {
    const struct manifest_limits *limits = &manifest->limits;
    int64_t per_case = 4 * limits->time_ms + 1000;
    int64_t total = JOB_TOTAL_MS_BASE + limits->compile_time_ms + per_case * manifest->case_count;
    total = total < JOB_TOTAL_MS_MIN ? JOB_TOTAL_MS_MIN : total;
    return total > JOB_TOTAL_MS_MAX ? JOB_TOTAL_MS_MAX : total;
}

static bool read_cases(struct package_reader *reader, struct err *err) {
    bool is_sql = (reader->problem.manifest.kinds & PROBLEM_SQL) != 0;
    return is_sql ? sql_cases_read(reader, err) : cases_read(reader, err);
}

static bool read_parts(struct package_reader *reader, struct err *err) {
    return problem_yaml_read(reader, err) && time_limit_read(reader, err) &&
           statement_read(reader, err) && validator_read(reader, err) && read_cases(reader, err) &&
           includes_read(reader, err) && submissions_read(reader, err) && choose_code(reader, err);
}

bool package_read(const struct package_tree *tree, const struct package_options *options,
                  struct arena *arena, struct package_problem *ret_problem,
                  struct package_report *report, struct err *err) {
    struct package_reader reader = {
        .tree = tree, .options = options, .arena = arena, .report = report};
    *report = (struct package_report){.format = "icpc-legacy"};
    manifest_defaults(&reader.problem.manifest);
    if (!read_parts(&reader, err)) {
        return false;
    }
    need_title(&reader);
    note_entries(&reader);
    if (reader.cr_files > 0) {
        note_warning(&reader, STR("data"), 0,
                     "%d files had CRLF line ends or a byte order mark: read with LF, without it",
                     reader.cr_files);
    }
    reader.problem.manifest.limits.job_total_ms = job_total_ms(&reader.problem.manifest);
    if (!manifest_check(&reader.problem.manifest, err)) {
        err->code = "bad_package"; /* the parts should have refused it with file and line */
        return false;
    }
    *ret_problem = reader.problem;
    return true;
}
