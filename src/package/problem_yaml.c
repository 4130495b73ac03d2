/* problem.yaml: which format it is, what kind of problem, its titles, its validator. */
#include "base/check.h"
#include "package/reader_internal.h"
#include <stdlib.h>
#include <string.h>

#define FILE_NAME STR("problem.yaml")
#define LANGUAGE_BYTES_MAX 16
#define TITLES_MAX 32
#define WORD_BYTES_MAX 64

enum key_use { KEY_READ, KEY_KNOWN };

/* Keys of all versions. KEY_KNOWN: understood, but nothing here needs it. */
static const struct key {
    const char *name;
    enum key_use use;
} keys[] = {
    {"problem_format_version", KEY_READ},
    {"name", KEY_READ},
    {"type", KEY_READ},
    {"validation", KEY_READ},
    {"validator_flags", KEY_READ},
    {"limits", KEY_READ},
    {"languages", KEY_READ},
    {"sql", KEY_READ},
    {"constants", KEY_READ},
    {"uuid", KEY_KNOWN},
    {"version", KEY_KNOWN},
    {"author", KEY_KNOWN},
    {"credits", KEY_KNOWN},
    {"source", KEY_KNOWN},
    {"source_url", KEY_KNOWN},
    {"license", KEY_KNOWN},
    {"rights_owner", KEY_KNOWN},
    {"keywords", KEY_KNOWN},
    {"grading", KEY_READ},
    {"embargo_until", KEY_KNOWN},
    {"allow_file_writing", KEY_KNOWN},
};

static const struct version {
    const char *name;
    enum icpc_version format;
} versions[] = {
    {"legacy", FORMAT_LEGACY},   {"legacy-icpc", FORMAT_LEGACY},
    {"2023-07", FORMAT_2023_07}, {"2023-07-draft", FORMAT_2023_07},
    {"2025-09", FORMAT_2025_09}, {"2025-09-draft", FORMAT_2025_09},
};

static const struct problem_type {
    const char *name;
    enum problem_kind kind;
} types[] = {
    {"pass-fail", PROBLEM_PASS_FAIL},         {"scoring", PROBLEM_SCORING},
    {"interactive", PROBLEM_INTERACTIVE},     {"multi-pass", PROBLEM_MULTI_PASS},
    {"submit-answer", PROBLEM_SUBMIT_ANSWER}, {"sql", 0},
};

static const char *const format_names[] = {"icpc-legacy", "icpc-2023-07", "icpc-2025-09"};

static bool refuse_at(const struct yaml *node, struct err *err, const char *text) {
    return package_refuse(err, FILE_NAME, node->line, "%s", text);
}

static bool read_version(struct package_reader *reader, const struct yaml *root, struct err *err) {
    struct str version = STR("legacy");
    const struct yaml *node = yr_get(root, "problem_format_version");
    if (!yr_opt_str(root, "problem_format_version", WORD_BYTES_MAX, &version, err)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        if (str_eq_c(version, versions[i].name)) {
            reader->format = versions[i].format;
            reader->report->format = format_names[reader->format];
            return true;
        }
    }
    return refuse_at(node, err,
                     "this problem_format_version is not known: legacy, 2023-07 and 2025-09 are");
}

static void note_keys(struct package_reader *reader, const struct yaml *root) {
    const char *known[sizeof(keys) / sizeof(keys[0]) + 1] = {NULL};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct yaml *node = yr_get(root, keys[i].name);
        known[i] = keys[i].name;
        if (keys[i].use == KEY_KNOWN && !yr_is_null(node)) {
            note_dropped(reader, FILE_NAME, node->line, "`%s` is not kept", keys[i].name);
        }
    }
    yaml_warn_unknown(reader, root, known);
}

static bool read_type(struct package_reader *reader, const struct yaml *node, struct str name,
                      struct err *err) {
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (str_eq_c(name, types[i].name)) {
            reader->problem.manifest.kinds |= types[i].kind;
            return true;
        }
    }
    return refuse_at(node, err,
                     "`type` is pass-fail, scoring, interactive, multi-pass, "
                     "submit-answer or sql");
}

/* One word, or several with spaces between them, as drafts of the format had it. */
static bool read_type_words(struct package_reader *reader, const struct yaml *node,
                            struct err *err) {
    struct str words = STR("");
    struct str word = STR("");
    if (!yr_str(node, WORD_BYTES_MAX, &words, err)) {
        return false;
    }
    do {
        (void)str_next_word(&words, &word);
        if (!read_type(reader, node, word, err)) {
            return false;
        }
    } while (str_trim(words).len > 0);
    return true;
}

/* A problem whose answers are handed in runs nothing, so it is neither of the others. */
static bool check_types(struct package_reader *reader, const struct yaml *node, struct err *err) {
    uint32_t kinds = reader->problem.manifest.kinds;
    if ((kinds & PROBLEM_SCORING) != 0 && (kinds & PROBLEM_PASS_FAIL) != 0) {
        return refuse_at(node, err, "a problem is either pass-fail or scoring");
    }
    if ((kinds & PROBLEM_SCORING) == 0) {
        reader->problem.manifest.kinds |= PROBLEM_PASS_FAIL;
    }
    if ((kinds & PROBLEM_SUBMIT_ANSWER) != 0 &&
        (kinds & (PROBLEM_INTERACTIVE | PROBLEM_MULTI_PASS)) != 0) {
        return refuse_at(node, err,
                         "a submit-answer problem is neither interactive nor multi-pass");
    }
    return true;
}

static bool read_types(struct package_reader *reader, const struct yaml *root, struct err *err) {
    const struct yaml *node = yr_get(root, "type");
    if (yr_is_null(node)) {
        return true;
    }
    reader->problem.manifest.kinds &= ~(uint32_t)PROBLEM_PASS_FAIL;
    if (node->kind != YR_LIST && !read_type_words(reader, node, err)) {
        return false;
    }
    for (YR_EACH(item, node)) {
        if (!read_type_words(reader, item, err)) {
            return false;
        }
    }
    return check_types(reader, node, err);
}

static bool read_validation(struct package_reader *reader, const struct yaml *root,
                            struct err *err) {
    struct str text = STR("default");
    struct str word = STR("");
    const struct yaml *node = yr_get(root, "validation");
    if (!yr_opt_str(root, "validation", WORD_BYTES_MAX, &text, err)) {
        return false;
    }
    while (str_next_word(&text, &word)) {
        if (str_eq_c(word, "interactive")) {
            reader->problem.manifest.kinds |= PROBLEM_INTERACTIVE;
            continue;
        }
        if (str_eq_c(word, "score")) {
            reader->validator_scores = true;
            continue;
        }
        if (str_eq_c(word, "multi-pass")) {
            reader->problem.manifest.kinds |= PROBLEM_MULTI_PASS;
            continue;
        }
        if (!str_eq_c(word, "default") && !str_eq_c(word, "custom")) {
            return refuse_at(node, err, "`validation` is default or custom");
        }
        reader->custom_validator = str_eq_c(word, "custom");
    }
    if (reader->validator_scores && (reader->problem.manifest.kinds & PROBLEM_SCORING) == 0) {
        return refuse_at(node, err, "a validator that scores needs `type: scoring`");
    }
    return true;
}

static bool read_flags(struct package_reader *reader, const struct yaml *root, struct err *err) {
    const struct yaml *node = yr_get(root, "validator_flags");
    reader->flags_line = node == NULL ? 0 : node->line;
    return yaml_words(reader, node, &reader->validator_flags, err);
}

static bool read_title(struct package_reader *reader, const struct yaml *node, struct str language,
                       struct package_text *ret_title, struct err *err) {
    struct str text = STR("");
    if (!yr_str(node, PACKAGE_TITLE_BYTES_MAX, &text, err)) {
        return false;
    }
    text = str_trim(text);
    if (text.len == 0 || language.len == 0 || language.len > LANGUAGE_BYTES_MAX) {
        return refuse_at(node, err, "`name` is a title, or a title for each language");
    }
    ret_title->language = arena_str(reader->arena, language);
    ret_title->text = arena_str(reader->arena, text);
    return true;
}

static bool read_titles(struct package_reader *reader, const struct yaml *root, struct err *err) {
    const struct yaml *node = yr_get(root, "name");
    if (yr_is_null(node)) {
        return true;
    }
    size_t count = node->kind == YR_MAP ? node->count : 1;
    if (count == 0 || count > TITLES_MAX) {
        return refuse_at(node, err, "`name` has no title, or too many");
    }
    struct package_text *titles = arena_array(reader->arena, count, sizeof(titles[0]));
    size_t index = 0;
    if (node->kind != YR_MAP && !read_title(reader, node, STR("en"), &titles[index++], err)) {
        return false;
    }
    for (YR_EACH(item, node)) {
        if (node->kind != YR_MAP) {
            return refuse_at(node, err, "`name` is a text or a map of languages");
        }
        if (!read_title(reader, item, item->key, &titles[index++], err)) {
            return false;
        }
    }
    reader->problem.titles = titles;
    reader->problem.title_count = (int32_t)count;
    return true;
}

static int compare_words(const void *a, const void *b) {
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* As ascending words, each once. */
static struct str sorted_words(struct package_reader *reader, struct str *words, size_t count) {
    own_buf text;
    buf_init(&text, (size_t)LANGUAGES_MAX * (LANGUAGE_ID_BYTES_MAX + 1));
    qsort(words, count, sizeof(words[0]), compare_words);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && str_eq(words[i - 1], words[i])) {
            continue;
        }
        if (text.len > 0) {
            buf_append_char(&text, ' ');
        }
        buf_append(&text, words[i]);
    }
    return arena_str(reader->arena, buf_str(&text));
}

static bool read_languages(struct package_reader *reader, const struct yaml *root,
                           struct err *err) {
    struct str words[LANGUAGES_MAX];
    size_t count = 0;
    const struct yaml *node = yr_get(root, "languages");
    if ((reader->problem.manifest.kinds & PROBLEM_SUBMIT_ANSWER) != 0) {
        reader->problem.manifest.languages = STR("text"); /* whatever else is allowed */
        return true;
    }
    if (yr_is_null(node) || (node->kind == YR_SCALAR && str_eq_c(node->text, "all"))) {
        return true;
    }
    if (!yr_list(node, LANGUAGES_MAX, err)) {
        return false;
    }
    for (YR_EACH(item, node)) {
        struct str rest = STR("");
        if (!yr_str(item, LANGUAGE_ID_BYTES_MAX, &rest, err) ||
            !str_next_word(&rest, &words[count]) || rest.len > 0) {
            return err->kind != ERR_NONE || refuse_at(item, err, "this is no language");
        }
        count++;
    }
    if (count == 0) {
        return refuse_at(node, err, "`languages` is empty: nobody could submit anything");
    }
    reader->problem.manifest.languages = sorted_words(reader, words, count);
    return true;
}

bool problem_yaml_read(struct package_reader *reader, struct err *err) {
    const struct yaml *root = NULL;
    own(arena) arena = arena_create(YAML_ARENA_BYTES);
    if (!yaml_file_read(reader, FILE_NAME, arena, &root, err)) {
        return false;
    }
    CHECK(root != NULL); /* the package is of this kind because it is there */
    if (!read_version(reader, root, err)) {
        return false;
    }
    note_keys(reader, root);
    return constants_read(reader, yr_get(root, "constants"), err) &&
           read_types(reader, root, err) && read_validation(reader, root, err) &&
           read_flags(reader, root, err) && read_titles(reader, root, err) &&
           read_languages(reader, root, err) && limits_read(reader, yr_get(root, "limits"), err) &&
           sql_options_read(reader, root, err);
}
