/* Bundled submissions and what is expected of each: by folder, by a mark in the source, or by
 * submissions.yaml. */
#include "base/check.h"
#include "base/path.h"
#include "domain/scoring.h"
#include "package/reader_internal.h"
#include <fnmatch.h>
#include <string.h>

#define FOLDER STR("submissions")
#define YAML_NAME STR("submissions/submissions.yaml")
#define MARK STR("EXPECTED_RESULTS@:") /* behind an @ */
#define SCORE_MARK STR("EXPECTED_SCORE@:")
#define SCORE_DIGITS 6
#define LIST_MAX 20

#define AC PACKAGE_EXPECT(VERDICT_ACCEPTED)
#define WA (PACKAGE_EXPECT(VERDICT_WRONG_ANSWER) | PACKAGE_EXPECT(VERDICT_PRESENTATION_ERROR))
#define TLE PACKAGE_EXPECT(VERDICT_TIME_LIMIT_EXCEEDED)
#define MLE PACKAGE_EXPECT(VERDICT_MEMORY_LIMIT_EXCEEDED)
#define OLE PACKAGE_EXPECT(VERDICT_OUTPUT_LIMIT_EXCEEDED)
/* The formats know no verdict of their own for memory: the program crashes. */
#define RE (PACKAGE_EXPECT(VERDICT_RUNTIME_ERROR) | MLE | OLE)
#define CE PACKAGE_EXPECT(VERDICT_COMPILE_ERROR)

struct word {
    const char *text;
    uint32_t expected;
};

static const struct word folders[] = {
    {"accepted", AC},
    {"slow_accepted", AC | TLE}, /* right, and no measure of the time limit */
    {"partially_accepted", PACKAGE_EXPECT(VERDICT_PARTIAL)},
    {"partial", PACKAGE_EXPECT(VERDICT_PARTIAL)},
    {"wrong_answer", WA},
    {"time_limit_exceeded", TLE},
    {"run_time_error", RE},
    {"runtime_error", RE},
    {"rejected", WA | TLE | RE},
    {"brute_force", TLE | RE},
    {"compile_error", CE},
    {"compiler_error", CE},
    {"memory_limit_exceeded", MLE},
    {"memory_limit", MLE},
    {"output_limit_exceeded", OLE},
    {"output_limit", OLE},
    {"presentation_error", PACKAGE_EXPECT(VERDICT_PRESENTATION_ERROR)},
    {"no_output", WA},
};

/* In a source behind the mark, separated by commas. */
static const struct word marks[] = {
    {"CORRECT", AC},
    {"WRONG-ANSWER", WA},
    {"WRONG_ANSWER", WA},
    {"TIMELIMIT", TLE},
    {"RUN-ERROR", RE},
    {"RUN_ERROR", RE},
    {"NO-OUTPUT", WA},
    {"COMPILER-ERROR", CE},
    {"OUTPUT-LIMIT", OLE},
    {"MEMORY-LIMIT", RE},
    {"ACCEPTED", AC},
    {"RUN_TIME_ERROR", RE},
    {"TIME_LIMIT_EXCEEDED", TLE},
};

/* In submissions.yaml. */
static const struct word codes[] = {{"AC", AC}, {"WA", WA}, {"TLE", TLE}, {"RTE", RE}};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static uint32_t find_word(const struct word *words, size_t count, struct str text) {
    for (size_t i = 0; i < count; i++) {
        if (str_eq_nocase(text, str_from(words[i].text))) {
            return words[i].expected;
        }
    }
    return 0;
}

/* "CORRECT, WRONG-ANSWER" */
static uint32_t read_marks(struct str list) {
    uint32_t expected = 0;
    bool more = true;
    while (more) {
        struct str item = STR("");
        struct str word = STR("");
        more = str_cut(list, ',', &item, &list);
        if (str_next_word(&item, &word)) {
            expected |= find_word(marks, COUNT(marks), word);
        }
    }
    return expected;
}

/* What the mark in one source says; 0 when there is none. */
static uint32_t marked(struct str text) {
    struct str line = STR("");
    while (str_next_line(&text, &line)) {
        struct str before = STR("");
        while (str_cut(line, '@', &before, &line)) {
            if (str_starts(line, MARK)) {
                return read_marks(str_sub(line, MARK.len, SIZE_MAX));
            }
        }
    }
    return 0;
}

/* Points, of scoring problems: DOMjudge's mark. */
static void marked_score(struct package_reader *reader, struct str text,
                         struct package_submission *submission) {
    struct str line = STR("");
    while (str_next_line(&text, &line)) {
        struct str before = STR("");
        struct str word = STR("");
        struct err ignored = {0};
        int64_t micro = 0;
        while (str_cut(line, '@', &before, &line) && !str_starts(line, SCORE_MARK)) {
        }
        line = str_sub(line, SCORE_MARK.len, SIZE_MAX);
        if (str_next_word(&line, &word) &&
            str_to_scaled(word, SCORE_DIGITS, SCORE_MICRO_MAX, &micro, &ignored)) {
            reader->score_marks = true;
            submission->has_score = true;
            submission->score_min_micro = micro;
            submission->score_max_micro = micro;
            return;
        }
    }
}

/* "submissions/accepted/x.cpp" and "submissions/accepted/x/main.cpp" belong to the third part. */
static bool entry_of(struct str name, struct str *ret_folder, struct str *ret_path,
                     struct str *ret_name) {
    struct str rest = str_sub(name, FOLDER.len + 1, SIZE_MAX);
    struct str entry = STR("");
    struct str inner = STR("");
    if (!str_cut(rest, '/', ret_folder, &rest)) {
        return false;
    }
    bool is_folder = str_cut(rest, '/', &entry, &inner);
    size_t length = FOLDER.len + 1 + ret_folder->len + 1 + entry.len;
    *ret_path = str_sub(name, 0, length);
    *ret_name = is_folder ? inner : entry;
    return true;
}

/* Only the first line of a script tells the two Pythons apart. */
static bool is_python2(struct str name, struct str text) {
    struct str line = STR("");
    return str_ends(name, STR(".py")) && str_next_line(&text, &line) &&
           str_starts(line, STR("#!")) && str_ends(str_trim(line), STR("python2"));
}

/* Perl and Prolog share an extension. Rules are Prolog's; hardly a program in Perl has no `$`. */
static bool is_prolog(struct str name, struct str text) {
    return str_ends(name, STR(".pl")) && text.len > 0 &&
           memmem(text.ptr, text.len, ":-", 2) != NULL && memchr(text.ptr, '$', text.len) == NULL;
}

struct submission_list {
    struct package_reader *reader;
    struct package_submission *items;
    int32_t count;
    const struct yaml *yaml; /* submissions.yaml, or NULL */
};

/* A single file must be a source, unless it is an answer or statements; a folder is taken as it is.
 */
static bool is_source(const struct package_reader *reader, const struct package_file *file,
                      struct str path) {
    return !str_eq(file->name, path) || program_language(file->name).len > 0 ||
           (reader->problem.manifest.kinds & (PROBLEM_SUBMIT_ANSWER | PROBLEM_SQL)) != 0;
}

/* Consecutive files of one entry; they are neighbours, because '/' sorts before all else. */
static size_t entry_end(const struct package_tree *tree, size_t from, size_t to, struct str path) {
    size_t end = from + 1;
    while (end < to) {
        struct str folder = STR("");
        struct str other = STR("");
        struct str name = STR("");
        if (!entry_of(package_tree_at(tree, end)->name, &folder, &other, &name) ||
            !str_eq(other, path)) {
            break;
        }
        end++;
    }
    return end;
}

/* What one source says of itself, and its text with the constants in it where that is another. */
static bool read_source(struct package_reader *reader, struct package_submission *submission,
                        size_t index, struct str *ret_text, struct err *err) {
    struct str text = STR("");
    const struct package_file *file = submission->files[index];
    own(arena) scratch = arena_create(2 * (size_t)SOURCE_BYTES_MAX + KIB);
    if (file->bytes > SOURCE_BYTES_MAX) {
        return true; /* judging it refuses it, with a better message */
    }
    if (!package_tree_text(reader->tree, file, SOURCE_BYTES_MAX, scratch, &text, err)) {
        return false;
    }
    uint32_t mark = marked(text);
    submission->expected = mark == 0 ? submission->expected : mark;
    if ((reader->problem.manifest.kinds & PROBLEM_SCORING) != 0) {
        marked_score(reader, text, submission);
    }
    if (is_python2(submission->names[index], text)) {
        submission->language = STR("python2");
    } else if (is_prolog(submission->names[index], text)) {
        submission->language = STR("prolog");
    }
    const char *before = text.ptr;
    if (!constants_apply(reader, false, &text, err)) {
        return false;
    }
    *ret_text = text.ptr != before ? text : STR("");
    return true;
}

/* Constants changed one of its files: then the texts of all count, not the files. */
static bool keep_texts(struct package_reader *reader, struct package_submission *submission,
                       struct str *texts, struct err *err) {
    for (int32_t i = 0; i < submission->file_count; i++) {
        if (texts[i].len == 0 &&
            !package_tree_text(reader->tree, submission->files[i], SOURCE_BYTES_MAX, reader->arena,
                               &texts[i], err)) {
            return false;
        }
    }
    submission->texts = texts;
    return true;
}

static bool add_files(struct submission_list *list, struct package_submission *submission,
                      size_t from, size_t to, struct err *err) {
    struct package_reader *reader = list->reader;
    size_t count = to - from;
    bool changed = false;
    if (count > SOURCE_FILES_MAX) {
        return package_refuse(err, submission->path, 0, "a submission has at most %d files",
                              SOURCE_FILES_MAX);
    }
    const struct package_file **files = arena_array(reader->arena, count, sizeof(files[0]));
    struct str *names = arena_array(reader->arena, count, sizeof(names[0]));
    struct str *texts = arena_array(reader->arena, count, sizeof(texts[0]));
    submission->files = files;
    submission->names = names;
    submission->file_count = (int32_t)count;
    for (size_t i = 0; i < count; i++) {
        struct str folder = STR("");
        struct str path = STR("");
        files[i] = package_tree_at(reader->tree, from + i);
        CHECK(entry_of(files[i]->name, &folder, &path, &names[i]));
        names[i] = arena_str(reader->arena, names[i]);
        if (!read_source(reader, submission, i, &texts[i], err)) {
            return false;
        }
        changed = changed || texts[i].len > 0;
    }
    return !changed || keep_texts(reader, submission, texts, err);
}

static bool read_codes(const struct yaml *node, uint32_t *ret_expected, struct err *err) {
    uint32_t expected = 0;
    if (!yr_list(node, LIST_MAX, err)) {
        return false;
    }
    for (YR_EACH(item, node)) {
        struct str code = STR("");
        if (!yr_str(item, LIST_MAX, &code, err)) {
            return false;
        }
        uint32_t bits = find_word(codes, COUNT(codes), code);
        if (bits == 0) {
            return yr_error(item, err, "expected AC, WA, TLE or RTE");
        }
        expected |= bits;
    }
    *ret_expected = expected;
    return true;
}

/* A number, or the least and the most. */
static bool read_score(const struct yaml *node, struct package_submission *submission,
                       struct err *err) {
    if (yr_is_null(node)) {
        return true;
    }
    const struct yaml *low = node->kind == YR_LIST ? node->first : node;
    const struct yaml *high = node->kind == YR_LIST && low != NULL ? low->next : node;
    if (node->kind == YR_LIST && node->count != 2) {
        return yr_error(node, err, "`score` is a number, or a list of the least and the most");
    }
    submission->has_score = true;
    return yr_scaled(low, SCORE_DIGITS, SCORE_MICRO_MAX, &submission->score_min_micro, err) &&
           yr_scaled(high, SCORE_DIGITS, SCORE_MICRO_MAX, &submission->score_max_micro, err);
}

/* The verdict of the whole is that of the first rejected case: so it is one of the permitted ones,
 * and no accepted one where a rejection is required. */
static bool apply_row(struct submission_list *list, const struct yaml *row,
                      struct package_submission *submission, struct err *err) {
    uint32_t permitted = 0;
    uint32_t required = 0;
    const struct yaml *permitted_node = yr_get(row, "permitted");
    const struct yaml *required_node = yr_get(row, "required");
    struct str language = STR("");
    if ((!yr_is_null(permitted_node) && !read_codes(permitted_node, &permitted, err)) ||
        (!yr_is_null(required_node) && !read_codes(required_node, &required, err)) ||
        !yr_opt_str(row, "language", LANGUAGE_ID_BYTES_MAX, &language, err)) {
        return false;
    }
    if (permitted != 0 || required != 0) {
        submission->expected = permitted != 0 ? permitted : required;
        submission->expected &= required != 0 && (required & AC) == 0 ? ~AC : UINT32_MAX;
    }
    if (language.len > 0) {
        submission->language = arena_str(list->reader->arena, language);
    }
    return read_score(yr_get(row, "score"), submission, err);
}

static bool apply_yaml(struct submission_list *list, struct package_submission *submission,
                       struct err *err) {
    char path[PACKAGE_PATH_BYTES_MAX + 1];
    if (!str_to_c(str_sub(submission->path, FOLDER.len + 1, SIZE_MAX), path, sizeof(path), err)) {
        return false;
    }
    for (YR_EACH(row, list->yaml)) {
        char glob[PACKAGE_PATH_BYTES_MAX + 1];
        if (row->kind != YR_MAP || !str_to_c(row->key, glob, sizeof(glob), err)) {
            return yr_error(row, err, "expected a map");
        }
        if (fnmatch(glob, path, FNM_PATHNAME | FNM_LEADING_DIR) == 0 &&
            !apply_row(list, row, submission, err)) {
            return false;
        }
    }
    return true;
}

static bool add_entry(struct submission_list *list, size_t from, size_t to, struct str path,
                      struct err *err) {
    struct str folder = STR("");
    struct str ignored = STR("");
    struct str name = STR("");
    CHECK(entry_of(package_tree_at(list->reader->tree, from)->name, &folder, &ignored, &name));
    struct package_submission *submission = &list->items[list->count];
    *submission =
        (struct package_submission){.path = arena_str(list->reader->arena, path),
                                    .expected = find_word(folders, COUNT(folders), folder)};
    if (!add_files(list, submission, from, to, err) || !apply_yaml(list, submission, err)) {
        return false;
    }
    if (submission->expected == 0) {
        note_warning(list->reader, path, 0, "nothing says which verdict is expected");
    }
    note_read(list->reader, path);
    list->count++;
    return true;
}

static bool add_all(struct submission_list *list, size_t from, size_t to, struct err *err) {
    struct package_reader *reader = list->reader;
    for (size_t i = from; i < to;) {
        struct str folder = STR("");
        struct str path = STR("");
        struct str name = STR("");
        const struct package_file *file = package_tree_at(reader->tree, i);
        if (!entry_of(file->name, &folder, &path, &name) || str_eq(file->name, YAML_NAME) ||
            !is_source(reader, file, path)) {
            if (!str_eq(file->name, YAML_NAME)) {
                note_dropped(reader, file->name, 0, "it is no source of a known language");
            }
            i++;
            continue;
        }
        size_t end = entry_end(reader->tree, i, to, path);
        if (!add_entry(list, i, end, path, err)) {
            return false;
        }
        i = end;
    }
    return true;
}

bool submissions_read(struct package_reader *reader, struct err *err) {
    size_t from = 0;
    size_t to = 0;
    struct submission_list list = {.reader = reader};
    own(arena) arena = arena_create(YAML_ARENA_BYTES);
    if (!yaml_file_read(reader, YAML_NAME, arena, &list.yaml, err)) {
        return false;
    }
    package_tree_below(reader->tree, FOLDER, &from, &to);
    list.items = arena_array(reader->arena, to - from, sizeof(list.items[0]));
    if (!add_all(&list, from, to, err)) {
        return false;
    }
    reader->problem.submissions = list.items;
    reader->problem.submission_count = list.count;
    return true;
}
