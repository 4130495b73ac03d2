/* Statements in each language, and the files they refer to. */
#include "base/check.h"
#include "base/path.h"
#include "package/reader_internal.h"
#include "package/tex.h"
#include <string.h>

#define STATEMENTS_MAX 32
#define ASSETS_MAX 200
#define LANGUAGE_BYTES_MAX 16

static const char *const folders[] = {"statement", "problem_statement"};

static const struct statement_format {
    const char *extension;
    const char *format;
    bool is_text;
} formats[] = {
    {".md", "markdown", true},
    {".tex", "tex", true},
    {".html", "html", true},
    {".pdf", "pdf", false},
};

struct statements {
    struct package_statement items[STATEMENTS_MAX];
    int32_t count;
    struct package_asset assets[ASSETS_MAX];
    int32_t asset_count;
    int64_t text_bytes;
    struct str tex[STATEMENTS_MAX]; /* what a text was before it became Markdown */
};

static const struct statement_format *format_of(struct str name) {
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (str_eq_c(path_extension(name), formats[i].extension)) {
            return &formats[i];
        }
    }
    return NULL;
}

/* "problem.en.md" and "problem.md" are statements; the second is English. */
static bool language_of(struct str name, struct str *ret_language) {
    struct str head = STR("");
    struct str middle = STR("");
    struct str extension = STR("");
    if (!str_cut(name, '.', &head, &middle) || !str_eq_c(head, "problem")) {
        return false;
    }
    if (!str_cut_last(middle, '.', &middle, &extension)) {
        *ret_language = STR("en");
        return true;
    }
    *ret_language = middle;
    return middle.len > 0 && middle.len <= LANGUAGE_BYTES_MAX && path_is_name(middle);
}

static bool add_asset(struct package_reader *reader, const struct package_file *file,
                      struct str name, struct statements *found, struct err *err) {
    if (found->asset_count == ASSETS_MAX || file->bytes > STATEMENT_BYTES_MAX) {
        note_dropped(reader, file->name, 0, "too large, or too many files beside the statement");
        return true;
    }
    struct package_asset *asset = &found->assets[found->asset_count];
    asset->name = arena_str(reader->arena, name);
    if (!content_put(reader, file, &asset->blob, err)) {
        return false;
    }
    found->asset_count++;
    note_read(reader, file->name);
    return true;
}

static void note_macro(void *context, struct str name) {
    note_guessed(context, "`" STR_FMT "` of TeX is not known and stays as it is",
                 STR_ARG(str_sub(name, 0, 60)));
}

/* The file itself stays beside it. */
static bool convert_tex(struct package_reader *reader, const struct package_file *file,
                        struct statements *found, struct err *err) {
    struct package_statement *statement = &found->items[found->count];
    own_buf out;
    buf_init(&out, PACKAGE_STATEMENTS_BYTES_MAX);
    found->tex[found->count] = statement->text;
    if (!tex_to_markdown(statement->text, &out, note_macro, reader, err)) {
        return err_wrap(err, STR_FMT, STR_ARG(file->name));
    }
    statement->text = arena_str(reader->arena, buf_str(&out));
    statement->format = "markdown";
    found->text_bytes += (int64_t)statement->text.len;
    if (found->text_bytes > PACKAGE_STATEMENTS_BYTES_MAX) {
        return package_refuse(err, file->name, 0, "the statements are too large");
    }
    return add_asset(reader, file, statement->file, found, err);
}

/* A TeX file beside its Markdown, as an exported package has it. */
static bool has_markdown(const struct package_reader *reader, struct str name) {
    char other[PACKAGE_PATH_BYTES_MAX];
    struct err ignored = {0};
    struct str head = STR("");
    struct str extension = STR("");
    if (!str_cut_last(name, '.', &head, &extension) || !str_eq_c(extension, "tex") ||
        !str_to_c(name, other, sizeof(other), &ignored)) {
        return false;
    }
    memcpy(other + head.len, ".md", sizeof(".md"));
    return package_tree_find(reader->tree, str_from(other)) != NULL;
}

static bool add_statement(struct package_reader *reader, const struct package_file *file,
                          struct str name, struct statements *found, struct err *err) {
    struct str language = STR("");
    const struct statement_format *format = format_of(name);
    if (format == NULL || !language_of(name, &language) || has_markdown(reader, file->name)) {
        return add_asset(reader, file, name, found, err);
    }
    if (found->count == STATEMENTS_MAX) {
        return package_refuse(err, file->name, 0, "there are too many statements");
    }
    struct package_statement *statement = &found->items[found->count];
    *statement = (struct package_statement){.language = arena_str(reader->arena, language),
                                            .format = format->format,
                                            .file = arena_str(reader->arena, name),
                                            .text = STR("")};
    found->text_bytes += format->is_text ? file->bytes : 0;
    if (file->bytes > STATEMENT_BYTES_MAX || found->text_bytes > PACKAGE_STATEMENTS_BYTES_MAX) {
        return package_refuse(err, file->name, 0, "the statements are too large");
    }
    if (!format->is_text) {
        found->count++;
        return add_asset(reader, file, name, found, err);
    }
    bool tex = str_eq_c(str_from(format->format), "tex");
    if (!content_text(reader, file, STATEMENT_BYTES_MAX, &statement->text, err) ||
        !constants_apply(reader, tex, &statement->text, err) ||
        (tex && !convert_tex(reader, file, found, err))) {
        return false;
    }
    found->count++;
    if (!tex) {
        note_read(reader, file->name); /* else as an asset */
    }
    return true;
}

static bool read_folder(struct package_reader *reader, struct str folder, struct statements *found,
                        struct err *err) {
    size_t from = 0;
    size_t to = 0;
    package_tree_below(reader->tree, folder, &from, &to);
    for (size_t i = from; i < to; i++) {
        const struct package_file *file = package_tree_at(reader->tree, i);
        struct str name = str_sub(file->name, folder.len + 1, SIZE_MAX);
        if (!add_statement(reader, file, name, found, err)) {
            return false;
        }
    }
    return true;
}

/* DOMjudge also takes problem.pdf and problem.html beside problem.yaml. */
static bool read_root(struct package_reader *reader, struct statements *found, struct err *err) {
    static const char *const names[] = {"problem.pdf", "problem.html"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct str name = str_from(names[i]);
        const struct package_file *file = package_tree_find(reader->tree, name);
        if (file != NULL && !add_statement(reader, file, name, found, err)) {
            return false;
        }
    }
    return true;
}

/* "\problemname{Title}", or the comment that stands for it where macros are in the title. */
static bool tex_title(struct str text, struct str *ret_title) {
    struct str line = STR("");
    while (str_next_line(&text, &line)) {
        const struct str macro = STR("\\problemname{");
        const struct str comment = STR("%% plainproblemname:");
        struct str title = STR("");
        struct str rest = STR("");
        line = str_trim(line);
        if (str_starts(line, comment)) {
            *ret_title = str_trim(str_sub(line, comment.len, SIZE_MAX));
            return ret_title->len > 0;
        }
        if (str_starts(line, macro) &&
            str_cut_last(str_sub(line, macro.len, SIZE_MAX), '}', &title, &rest)) {
            *ret_title = str_trim(title);
            return ret_title->len > 0;
        }
    }
    return false;
}

static bool has_title(const struct package_text *titles, int32_t count, struct str language) {
    for (int32_t i = 0; i < count; i++) {
        if (str_eq(titles[i].language, language)) {
            return true;
        }
    }
    return false;
}

/* Titles of problem.yaml, and for languages it leaves out those of the TeX statements. */
static void complete_titles(struct package_reader *reader, const struct statements *found) {
    const struct package_problem *problem = &reader->problem;
    int32_t count = problem->title_count;
    size_t room = (size_t)count + (size_t)problem->statement_count + 1;
    struct package_text *titles = arena_array(reader->arena, room, sizeof(titles[0]));
    for (int32_t i = 0; i < count; i++) {
        titles[i] = problem->titles[i];
    }
    for (int32_t i = 0; i < problem->statement_count; i++) {
        struct str title = STR("");
        struct str language = problem->statements[i].language;
        if (!has_title(titles, count, language) && tex_title(found->tex[i], &title)) {
            titles[count++] = (struct package_text){
                .language = language, .text = str_utf8_prefix(title, PACKAGE_TITLE_BYTES_MAX)};
        }
    }
    if (count == 0 && reader->ini_title.len > 0) {
        titles[count++] = (struct package_text){
            .language = STR("en"),
            .text = str_utf8_prefix(reader->ini_title, PACKAGE_TITLE_BYTES_MAX)};
    }
    reader->problem.titles = titles;
    reader->problem.title_count = count;
}

static void keep(struct package_reader *reader, const struct statements *found) {
    struct package_problem *problem = &reader->problem;
    struct package_statement *items =
        arena_array(reader->arena, (size_t)found->count, sizeof(items[0]));
    struct package_asset *assets =
        arena_array(reader->arena, (size_t)found->asset_count, sizeof(assets[0]));
    for (int32_t i = 0; i < found->count; i++) {
        items[i] = found->items[i];
    }
    for (int32_t i = 0; i < found->asset_count; i++) {
        assets[i] = found->assets[i];
    }
    problem->statements = items;
    problem->statement_count = found->count;
    problem->assets = assets;
    problem->asset_count = found->asset_count;
}

bool statement_read(struct package_reader *reader, struct err *err) {
    struct statements *found = arena_new(reader->arena, struct statements);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        if (!read_folder(reader, str_from(folders[i]), found, err)) {
            return false;
        }
    }
    if (found->count == 0 && !read_root(reader, found, err)) {
        return false;
    }
    if (found->count == 0) {
        note_warning(reader, STR(""), 0,
                     "there is no statement: expected statement/problem.en.md, .tex or .pdf");
    }
    keep(reader, found);
    complete_titles(reader, found);
    return true;
}
