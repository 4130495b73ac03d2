/* Which kind a package is of, and what reading has in common for all of them. */
#include "package/format.h"

#include "base/check.h"
#include "base/file.h"
#include "base/path.h"
#include "package/reader_internal.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOB_TOTAL_MS_BASE 120000
#define JOB_TOTAL_MS_MIN 600000
#define JOB_TOTAL_MS_MAX (INT64_C(6) * 3600 * 1000)

const struct package_format package_formats[] = {
    {"polygon", polygon_recognise, polygon_read},
    {"hydro", hydro_recognise, hydro_read},
    {"icpc", icpc_recognise, icpc_read},
    {"qduoj", qduoj_recognise, qduoj_read},
    {"fps", fps_recognise, fps_read},
    {"dmoj", dmoj_recognise, dmoj_read},
    {NULL, NULL, NULL},
};

/* ---- which kind ---- */

static size_t depth_of(struct str name) {
    size_t depth = 0;
    for (size_t i = 0; i < name.len; i++) {
        depth += name.ptr[i] == '/' ? 1 : 0;
    }
    return depth;
}

static struct str folder_of(struct str name) {
    struct str folder = STR("");
    struct str base = STR("");
    return str_cut_last(name, '/', &folder, &base) ? folder : STR("");
}

static bool is_inside(struct str folder, struct str other) {
    return other.len == 0 ||
           (folder.len > other.len && str_starts(folder, other) && folder.ptr[other.len] == '/');
}

/* A mark inside another problem's folder belongs to that one: an attachment, a solution. */
static bool is_covered(const struct package_finds *finds, struct str folder) {
    for (int32_t i = 0; i < finds->count; i++) {
        if (is_inside(folder, finds->items[i].folder) && !str_eq(folder, finds->items[i].folder)) {
            return true;
        }
    }
    return false;
}

static void drop_covered(struct package_finds *finds) {
    struct package_finds all = *finds;
    struct package_item *kept = arena_array(finds->arena, (size_t)all.count, sizeof(kept[0]));
    finds->count = 0;
    for (int32_t i = 0; i < all.count; i++) {
        if (!is_covered(&all, all.items[i].folder)) {
            kept[finds->count++] = all.items[i];
        }
    }
    finds->items = kept;
}

static void finds_grow(struct package_finds *finds) {
    int32_t capacity = finds->capacity == 0 ? 16 : 2 * finds->capacity;
    struct package_item *items = arena_array(finds->arena, (size_t)capacity, sizeof(items[0]));
    if (finds->count > 0) {
        memcpy(items, finds->items, (size_t)finds->count * sizeof(items[0]));
    }
    finds->items = items;
    finds->capacity = capacity;
}

bool finds_add(struct package_finds *finds, const struct package_file *file, struct str name,
               int64_t place, struct err *err) {
    struct str folder = place >= 0 ? STR("") : folder_of(file->name);
    size_t depth = depth_of(file->name);
    if (finds->count == PACKAGE_PROBLEMS_MAX) {
        return package_refuse(err, file->name, 0,
                              "there are more than %d problems in it: send "
                              "fewer at a time",
                              PACKAGE_PROBLEMS_MAX);
    }
    if (finds->count == finds->capacity) {
        finds_grow(finds);
    }
    finds->depth = finds->count == 0 || depth < finds->depth ? depth : finds->depth;
    finds->items[finds->count++] = (struct package_item){
        .name = name.len > 0 ? arena_str(finds->arena, name) : path_base(folder),
        .folder = folder,
        .file = file->name,
        .place = place};
    return true;
}

bool finds_head(const struct package_tree *tree, const struct package_file *file,
                struct arena *arena, struct str *ret_text, struct err *err) {
    own_fd fd = -1;
    own_text room = malloc(FINDS_HEAD_BYTES);
    CHECK(room != NULL);
    if (!package_tree_read(tree, file, &fd, err)) {
        return false;
    }
    ssize_t got = pread(fd, room, FINDS_HEAD_BYTES, 0);
    if (got < 0) {
        return err_system(err, "read_failed", "cannot read a file of the package");
    }
    *ret_text = arena_str(arena, str_of(room, (size_t)got));
    return true;
}

bool finds_has_key(struct str text, const char *key) {
    struct str line = STR("");
    while (str_next_line(&text, &line)) {
        struct str head = STR("");
        struct str rest = STR("");
        if (str_cut(line, ':', &head, &rest) && str_eq_c(head, key)) {
            return true;
        }
    }
    return false;
}

/* The kind whose marks stand nearest to the top; of two, the one that is asked first. */
static bool find(const struct package_tree *tree, struct arena *arena,
                 const struct package_format **ret_format, struct package_list *list,
                 struct err *err) {
    size_t depth = SIZE_MAX;
    *ret_format = NULL;
    for (const struct package_format *format = package_formats; format->name != NULL; format++) {
        struct package_finds finds = {.arena = arena};
        if (!format->recognise(tree, &finds, err)) {
            return false;
        }
        drop_covered(&finds);
        if (finds.count > 0 && finds.depth < depth) {
            depth = finds.depth;
            *ret_format = format;
            *list = (struct package_list){format->name, finds.items, finds.count};
        }
    }
    return true;
}

bool package_list(const struct package_tree *tree, struct arena *arena,
                  struct package_list *ret_list, struct err *err) {
    static const struct package_item whole = {.folder = {"", 0}};
    const struct package_format *format = NULL;
    struct package_list list = {.format = NULL, .items = &whole, .count = 1};
    if (!find(tree, arena, &format, &list, err)) {
        return false;
    }
    *ret_list = list;
    return true;
}

static const struct package_format *format_named(const char *name) {
    for (const struct package_format *format = package_formats; format->name != NULL; format++) {
        if (name != NULL && strcmp(format->name, name) == 0) {
            return format;
        }
    }
    return NULL;
}

/* ---- what all have ---- */

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
    static const char *const extensions[] = {".zip", ".kpp", ".xml"};
    name = path_base(name);
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        struct str extension = str_from(extensions[i]);
        if (str_ends(name, extension)) {
            return str_sub(name, 0, name.len - extension.len);
        }
    }
    return name;
}

/* "sum" of the third problem in a package: "sum-3". */
static struct str numbered(struct package_reader *reader, struct str code) {
    if (reader->number == 0 || code.len == 0) {
        return code;
    }
    return str_from(arena_printf(reader->arena, STR_FMT "-%d",
                                 STR_ARG(str_sub(code, 0, PACKAGE_CODE_BYTES_MAX - 8)),
                                 reader->number));
}

static bool take_given_code(struct package_reader *reader, struct err *err) {
    struct str given = reader->options->code;
    if (!str_eq(code_of(reader, given), given)) {
        return package_refuse(err, STR(""), 0,
                              "a problem's code has letters, digits, '-', '_' and '.', at most %d",
                              PACKAGE_CODE_BYTES_MAX);
    }
    reader->problem.code = numbered(reader, code_of(reader, given));
    return true;
}

static bool choose_code(struct package_reader *reader, struct err *err) {
    struct str title = reader->problem.title_count > 0 ? reader->problem.titles[0].text : STR("");
    struct str file_name = code_of(reader, without_extension(reader->options->file_name));
    const struct str sources[] = {
        code_of(reader, reader->ini_code),
        code_of(reader, package_tree_name(reader->tree)),
        reader->number == 0 ? file_name : STR(""),
        code_of(reader, title),
        numbered(reader, file_name),
    };
    if (reader->options->code.len > 0) {
        return take_given_code(reader, err);
    }
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        reader->problem.code = sources[i];
        if (sources[i].len == 0) {
            continue;
        }
        if (i >= 3) {
            note_guessed(reader,
                         "the problem's code, from its title or the package's name: " STR_FMT,
                         STR_ARG(reader->problem.code));
        }
        return true;
    }
    return package_refuse(err, STR(""), 0,
                          "there is nothing to take the problem's code from: give one");
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

static void note_tree(struct package_reader *reader) {
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

static bool refuse_kind(struct err *err) {
    return package_refuse(err, STR(""), 0,
                          "problem.yaml is missing: this is no ICPC package, nor one of Polygon "
                          "(problem.xml), Hydro, QDUOJ (problem.json), FPS (<fps> in an XML file) "
                          "or DMOJ (init.yml)");
}

static bool read_item(struct package_reader *reader, const char *kind, struct err *err) {
    const struct package_format *format = format_named(kind);
    if (format == NULL) {
        return refuse_kind(err);
    }
    reader->report->format = format->name;
    if (!format->read(reader, err) || !choose_code(reader, err)) {
        return false;
    }
    need_title(reader);
    note_tree(reader);
    if (reader->cr_files > 0) {
        note_warning(reader, STR("data"), 0,
                     "%d files had CRLF line ends or a byte order mark: read with LF, without it",
                     reader->cr_files);
    }
    if (!reader->exact_manifest) {
        reader->problem.manifest.limits.job_total_ms = job_total_ms(&reader->problem.manifest);
    }
    if (!manifest_check(&reader->problem.manifest, err)) {
        err->code = "bad_package"; /* the parts should have refused it with file and line */
        return false;
    }
    return true;
}

bool package_read(const struct package_tree *tree, const struct package_options *options,
                  struct arena *arena, struct package_problem *ret_problem,
                  struct package_report *report, struct err *err) {
    struct package_list own_list;
    const struct package_list *list = options->list;
    *report = (struct package_report){.format = "unknown"};
    if (list == NULL && !package_list(tree, arena, &own_list, err)) {
        struct package_reader nobody = {.arena = arena, .report = report};
        note_refused(&nobody, err);
        return false;
    }
    list = list == NULL ? &own_list : list;
    CHECK(options->index >= 0 && options->index < list->count);
    const struct package_item *item = &list->items[options->index];
    struct package_reader reader = {.tree = package_tree_sub(tree, item->folder),
                                    .options = options,
                                    .arena = arena,
                                    .report = report,
                                    .item = item,
                                    .number = list->count > 1 ? options->index + 1 : 0};
    manifest_defaults(&reader.problem.manifest);
    reader.problem.model = -1;
    reader.problem.time_rule = (struct package_time_rule){5000, 1000};
    if (!read_item(&reader, list->format, err)) {
        note_refused(&reader, err);
        return false;
    }
    *ret_problem = reader.problem;
    return true;
}
