/* FPS (FreeProblemSet): one XML file with many problems, as HUSTOJ and others exchange them. */
#include "package/fps_internal.h"

#include "base/check.h"
#include "base/file.h"
#include "base/path.h"
#include "package/xml.h"
#include <errno.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_BYTES ((size_t)64 * KIB)
#define SNIFFED_MAX 20 /* files that are looked into whatever they are called */
#define TITLE_BYTES_MAX 256
#define MS_DEFAULT 1000
#define KIB_DEFAULT (128 * KIB)

/* ---- which ---- */

/* A pass over the file that only notes where problems begin. */
struct scan {
    XML_Parser parser;
    const struct package_file *file;
    struct package_finds *finds;
    struct err *err;
    int depth;
    int64_t place;
    bool in_title;
    bool failed;
    struct buf title;
};

static void XMLCALL scan_start(void *context, const char *name, const char **attributes) {
    struct scan *scan = XML_GetUserData(context);
    int depth = scan->depth++;
    (void)attributes;
    if (depth == 1 && strcmp(name, "item") == 0) {
        scan->place = XML_GetCurrentByteIndex(scan->parser);
        buf_clear(&scan->title);
    }
    scan->in_title = depth == 2 && strcmp(name, "title") == 0;
}

static void XMLCALL scan_text(void *context, const char *text, int len) {
    struct scan *scan = XML_GetUserData(context);
    if (scan->in_title && scan->title.len + (size_t)len < TITLE_BYTES_MAX) {
        buf_append(&scan->title, str_of(text, (size_t)len));
    }
}

static void scan_add(struct scan *scan, struct str name) {
    if (!finds_add(scan->finds, scan->file, name, scan->place, scan->err)) {
        scan->failed = true;
        (void)XML_StopParser(scan->parser, XML_FALSE);
    }
}

static void XMLCALL scan_end(void *context, const char *name) {
    struct scan *scan = XML_GetUserData(context);
    int depth = --scan->depth;
    scan->in_title = false;
    if (depth == 1 && strcmp(name, "item") == 0) {
        scan_add(scan, str_trim(buf_str(&scan->title)));
    }
}

static bool scan_fd(struct scan *scan, int fd, char *step, struct err *err) {
    ssize_t got = 1;
    for (int64_t offset = 0; got > 0; offset += got) {
        got = pread(fd, step, STEP_BYTES, offset);
        if (got < 0) {
            return err_system(err, "read_failed", "cannot read the package");
        }
        if (XML_Parse(scan->parser, step, (int)got, got == 0) == XML_STATUS_OK) {
            continue;
        }
        if (scan->failed) {
            return false;
        }
        if (scan->finds->count == 0 || XML_GetErrorCode(scan->parser) == XML_ERROR_ABORTED) {
            return xml_error(scan->parser, scan->file->name, NULL, err);
        }
        /* Reading that one will say what is wrong, and the ones before it can be read. */
        scan_add(scan, STR("(broken)"));
        return !scan->failed;
    }
    return true;
}

static bool scan_file(const struct package_tree *tree, const struct package_file *file,
                      struct package_finds *finds, struct err *err) {
    struct scan scan = {.file = file, .finds = finds, .err = err};
    own_fd fd = -1;
    own_text step = malloc(STEP_BYTES);
    CHECK(step != NULL);
    if (!package_tree_read(tree, file, &fd, err)) {
        return false;
    }
    buf_init(&scan.title, TITLE_BYTES_MAX);
    scan.parser = xml_parser_create(&scan);
    XML_SetElementHandler(scan.parser, scan_start, scan_end);
    XML_SetCharacterDataHandler(scan.parser, scan_text);
    bool ok = scan_fd(&scan, fd, step, err);
    XML_ParserFree(scan.parser);
    buf_done(&scan.title);
    return ok;
}

static bool find_one(const struct package_tree *tree, const struct package_file *file,
                     struct package_finds *finds, struct err *err) {
    struct str text = STR("");
    own(arena) arena = arena_create(FINDS_ARENA_BYTES);
    if (!finds_head(tree, file, arena, &text, err)) {
        return false;
    }
    return memmem(text.ptr, text.len, "<fps", 4) == NULL || scan_file(tree, file, finds, err);
}

bool fps_recognise(const struct package_tree *tree, struct package_finds *finds, struct err *err) {
    for (size_t i = 0; i < package_tree_count(tree); i++) {
        const struct package_file *file = package_tree_at(tree, i);
        bool may = str_eq_nocase(path_extension(file->name), STR(".xml")) ||
                   package_tree_count(tree) <= SNIFFED_MAX;
        if (may && !find_one(tree, file, finds, err)) {
            return false;
        }
    }
    return true;
}

/* ---- limits ---- */

static bool read_limit(struct builder *builder, const struct fps_item *item, enum fps_field field,
                       int64_t *value, struct err *err) {
    struct package_reader *reader = builder->reader;
    struct str text = str_trim(item->texts[field]);
    struct str unit = item->units[field];
    bool small = str_eq_nocase(unit, STR("ms")) || str_eq_nocase(unit, STR("kb"));
    int64_t factor = field == FPS_TIME ? 1000 : KIB;
    int64_t milli = 0;
    struct err ignored = {0};
    if (text.len == 0) {
        note_guessed(reader,
                     field == FPS_TIME ? "no time limit is given: %lld ms"
                                       : "no memory limit is given: %lld KiB",
                     (long long)*value);
        return true;
    }
    if (unit.len == 0) {
        note_guessed(reader, field == FPS_TIME ? "the time limit has no unit: seconds"
                                               : "the memory limit has no unit: MB");
    }
    if (!str_to_scaled(text, 3, INT32_MAX, &milli, &ignored)) {
        return package_refuse(err, reader->item->file, item->lines[field],
                              "`" STR_FMT "` is no limit", STR_ARG(str_sub(text, 0, 40)));
    }
    *value = small ? (milli + 999) / 1000 : (milli * factor + 999) / 1000;
    return true;
}

static bool read_limits(struct builder *builder, const struct fps_item *item, struct err *err) {
    struct manifest_limits *limits = &builder->reader->problem.manifest.limits;
    const struct str file = builder->reader->item->file;
    limits->time_ms = MS_DEFAULT;
    limits->memory_kib = KIB_DEFAULT;
    builder->reader->problem.time_limit_given = str_trim(item->texts[FPS_TIME]).len > 0;
    if (!read_limit(builder, item, FPS_TIME, &limits->time_ms, err) ||
        !read_limit(builder, item, FPS_MEMORY, &limits->memory_kib, err)) {
        return false;
    }
    if (limits->time_ms < TIME_LIMIT_MS_MIN || limits->time_ms > TIME_LIMIT_MS_MAX) {
        return package_refuse(err, file, item->lines[FPS_TIME],
                              "the time limit is not within "
                              "0.01 s and 600 s");
    }
    if (limits->memory_kib < MEMORY_LIMIT_KIB_MIN || limits->memory_kib > MEMORY_LIMIT_KIB_MAX) {
        return package_refuse(err, file, item->lines[FPS_MEMORY],
                              "the memory limit is not within 4 MiB and 16 GiB");
    }
    return true;
}

/* ---- statement ---- */

static const char *image_extension(struct str bytes) {
    static const struct {
        const char *magic, *extension;
    } rows[] = {{"\x89PNG", "png"}, {"\xff\xd8\xff", "jpg"}, {"GIF8", "gif"}, {"RIFF", "webp"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (str_starts(bytes, str_from(rows[i].magic))) {
            return rows[i].extension;
        }
    }
    return NULL;
}

static void replace_all(struct buf *text, struct str what, struct str by) {
    own_buf out;
    struct str from = buf_str(text);
    buf_init(&out, text->bytes_max);
    if (what.len == 0 || memmem(from.ptr, from.len, what.ptr, what.len) == NULL) {
        return;
    }
    for (size_t i = 0; i < from.len;) {
        bool here = str_starts(str_sub(from, i, what.len), what);
        buf_append(&out, here ? by : str_sub(from, i, 1));
        i += here ? what.len : 1;
    }
    if (!out.full) {
        buf_clear(text);
        buf_append(text, buf_str(&out));
    }
}

static bool read_image(struct builder *builder, struct fps_item *item, int32_t index,
                       struct err *err) {
    struct package_reader *reader = builder->reader;
    const struct fps_image *image = &item->images[index];
    own_buf bytes;
    struct blob_ref blob;
    buf_init(&bytes, STATEMENT_BYTES_MAX);
    bool ok = fps_base64(image->base64, &bytes) && !bytes.full;
    const char *extension = ok ? image_extension(buf_str(&bytes)) : NULL;
    if (extension == NULL) {
        note_dropped(reader, reader->item->file, 0, "image %d is no picture in base64", index + 1);
        return true;
    }
    struct str name = str_from(arena_printf(reader->arena, "image%d.%s", index + 1, extension));
    if (!content_put_text(reader, buf_str(&bytes), false, &blob, err)) {
        return false;
    }
    build_asset_blob(builder, name, &blob);
    item->images[index].name = name;
    return true;
}

/* The statement names pictures as their origin does; here they are files beside it. */
static void name_images(struct builder *builder, const struct fps_item *item) {
    for (int32_t i = 0; i < item->image_count; i++) {
        if (item->images[i].name.len > 0) {
            replace_all(&builder->sections, item->images[i].src, item->images[i].name);
        }
    }
}

static bool is_markdown(struct str text) {
    text = str_trim(text);
    return text.len == 0 || str_starts(text, STR("[md]"));
}

static bool read_statement(struct builder *builder, struct fps_item *item, struct err *err) {
    static const struct {
        enum fps_field field;
        int heading;
    } parts[] = {{FPS_DESCRIPTION, -1},
                 {FPS_INPUT, HEADING_INPUT},
                 {FPS_OUTPUT, HEADING_OUTPUT},
                 {FPS_HINT, HEADING_NOTES},
                 {FPS_SOURCE, HEADING_SOURCE}};
    bool markdown =
        is_markdown(item->texts[FPS_DESCRIPTION]) && str_trim(item->texts[FPS_DESCRIPTION]).len > 0;
    for (int32_t i = 0; i < item->image_count; i++) {
        if (!read_image(builder, item, i, err)) {
            return false;
        }
    }
    struct str language = build_guess_language(item->texts[FPS_DESCRIPTION]);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const char *heading = parts[i].heading < 0
                                  ? ""
                                  : build_heading(language, (enum build_heading)parts[i].heading);
        build_section(builder, heading, markdown ? "markdown" : "html",
                      item->texts[parts[i].field]);
    }
    build_title(builder, build_guess_language(item->texts[FPS_TITLE]), item->texts[FPS_TITLE]);
    name_images(builder, item);
    return build_statement_end(builder, language, markdown ? "markdown" : "html", err);
}

/* ---- test data ---- */

static bool all_named(const struct fps_tests *tests) {
    for (int32_t i = 0; i < tests->count; i++) {
        if (tests->rows[i].name.len == 0) {
            return false;
        }
        for (int32_t k = 0; k < i && i < 1000; k++) {
            if (str_eq(tests->rows[k].name, tests->rows[i].name)) {
                return false;
            }
        }
    }
    return tests->count > 0;
}

/* The output of an input: of the same name where all have one, else at the same place. */
static const struct fps_test *partner(const struct fps_item *item, bool by_name, int32_t index) {
    const struct fps_tests *outputs = &item->tests[1];
    if (!by_name) {
        return index < outputs->count ? &outputs->rows[index] : NULL;
    }
    for (int32_t i = 0; i < outputs->count; i++) {
        if (str_eq(outputs->rows[i].name, item->tests[0].rows[index].name)) {
            return &outputs->rows[i];
        }
    }
    return NULL;
}

static bool put_test(struct builder *builder, const struct fps_item *item,
                     const struct fps_test *test, struct blob_ref *ret_blob, struct err *err) {
    own_fd fd = -1;
    return fps_open(item, test, &fd, err) && content_put_fd(builder->reader, fd, ret_blob, err);
}

static bool read_tests(struct builder *builder, const struct fps_item *item, struct err *err) {
    struct package_reader *reader = builder->reader;
    bool by_name = all_named(&item->tests[0]) && all_named(&item->tests[1]);
    bool program = reader->problem.manifest.checker.kind == CHECKER_PROGRAM;
    int32_t unpaired = 0;
    for (int32_t i = 0; i < item->tests[0].count; i++) {
        struct manifest_case *row = NULL;
        const struct fps_test *input = &item->tests[0].rows[i];
        const struct fps_test *output = partner(item, by_name, i);
        struct str name = str_from(arena_printf(reader->arena, "%d", i + 1));
        if (output == NULL && !program) {
            note_warning(reader, reader->item->file, input->line,
                         "there is no <test_output> for this <test_input>: left out");
            unpaired++;
            continue;
        }
        if (!build_case(builder, name, false, &row, err) ||
            !put_test(builder, item, input, &row->input, err) ||
            (output != NULL && !put_test(builder, item, output, &row->answer, err))) {
            return false;
        }
    }
    int32_t extra = item->tests[1].count - (item->tests[0].count - unpaired);
    if (extra > 0 || unpaired > 0) {
        note_warning(reader, reader->item->file, 0, "there are %d inputs and %d outputs",
                     item->tests[0].count, item->tests[1].count);
    }
    return true;
}

static bool sample_text(struct builder *builder, const struct fps_item *item,
                        const struct fps_test *test, struct str *ret_text, struct err *err) {
    own_fd fd = -1;
    own_buf text;
    buf_init(&text, PACKAGE_SAMPLE_BYTES_MAX + 1);
    *ret_text = STR("");
    if (test->bytes > PACKAGE_SAMPLE_BYTES_MAX) {
        note_warning(builder->reader, builder->reader->item->file, test->line,
                     "too large to be shown as a sample");
        return true;
    }
    if (!fps_open(item, test, &fd, err) ||
        !file_read_all(fd, PACKAGE_SAMPLE_BYTES_MAX, &text, err)) {
        return false;
    }
    *ret_text = arena_str(builder->reader->arena, buf_str(&text));
    return true;
}

static bool read_samples(struct builder *builder, const struct fps_item *item, struct err *err) {
    const struct fps_tests *inputs = &item->samples[0];
    const struct fps_tests *outputs = &item->samples[1];
    for (int32_t i = 0; i < inputs->count || i < outputs->count; i++) {
        struct str in = STR("");
        struct str out = STR("");
        if ((i < inputs->count && !sample_text(builder, item, &inputs->rows[i], &in, err)) ||
            (i < outputs->count && !sample_text(builder, item, &outputs->rows[i], &out, err))) {
            return false;
        }
        if (in.len > 0 || out.len > 0) {
            build_sample(builder, in, out);
        }
    }
    return true;
}

/* ---- programs ---- */

static bool read_judge(struct builder *builder, const struct fps_source *source, struct err *err) {
    struct package_reader *reader = builder->reader;
    struct manifest *manifest = &reader->problem.manifest;
    bool interactor = source->field == FPS_INTERACTOR;
    struct str language = build_language_id(source->language);
    const char *stem = interactor ? "interactor" : "spj";
    language = language.len == 0 ? STR("cpp") : language;
    if (str_eq_nocase(source->language, STR("text"))) {
        return package_refuse_kind(err, reader->item->file, source->line,
                                   "HUSTOJ's text judge compares answers to questions; it judges "
                                   "no programs");
    }
    struct str name = build_source_name(reader->arena, stem, language);
    if (interactor) {
        manifest->kinds |= PROBLEM_INTERACTIVE;
        return build_program_text(builder, name, source->code, ADAPTER_TESTLIB,
                                  &manifest->interactor, err);
    }
    build_checker(builder, CHECKER_PROGRAM);
    return build_program_text(builder, name, source->code,
                              source->field == FPS_TPJ ? ADAPTER_HUSTOJ_TESTLIB : ADAPTER_HUSTOJ,
                              &manifest->checker.program, err);
}

static void read_solution(struct builder *builder, const struct fps_source *source, int number) {
    struct arena *arena = builder->reader->arena;
    struct str language = build_language_id(source->language);
    const char *stem = arena_printf(arena, "solution%d", number);
    struct str name = build_source_name(arena, stem, language);
    const char *path = arena_printf(arena, "submissions/accepted/" STR_FMT, STR_ARG(name));
    build_submission(builder, str_from(path), NULL, source->code, PACKAGE_EXPECT(VERDICT_ACCEPTED));
}

static bool read_sources(struct builder *builder, const struct fps_item *item, struct err *err) {
    int solutions = 0;
    build_checker(builder, CHECKER_LINES);
    for (int32_t i = 0; i < item->source_count; i++) {
        const struct fps_source *source = &item->sources[i];
        if (str_trim(source->code).len == 0) {
            continue;
        }
        if (source->field == FPS_SOLUTION) {
            read_solution(builder, source, ++solutions);
        } else if (!read_judge(builder, source, err)) {
            return false;
        }
    }
    return true;
}

static bool read_item(struct builder *builder, struct fps_item *item, struct err *err) {
    struct package_reader *reader = builder->reader;
    if (!fps_item_read(reader, item, err)) {
        return false;
    }
    note_read(reader, reader->item->file);
    if (item->templates > 0) {
        note_dropped(reader, reader->item->file, 0, "templates for submissions are not used");
    }
    if (!read_statement(builder, item, err) || !read_limits(builder, item, err) ||
        !read_samples(builder, item, err) || !read_sources(builder, item, err) ||
        !read_tests(builder, item, err)) {
        return false;
    }
    if (builder->case_count == 0) {
        bool remote = item->texts[FPS_REMOTE].len > 0;
        return package_refuse(err, reader->item->file, item->lines[FPS_TITLE],
                              "problem `" STR_FMT "` has no test data%s",
                              STR_ARG(str_utf8_prefix(str_trim(item->texts[FPS_TITLE]), 80)),
                              remote ? ": another site judges it" : "");
    }
    return build_finish(builder, err);
}

bool fps_read(struct package_reader *reader, struct err *err) {
    own_builder builder;
    struct fps_item *item = arena_new(reader->arena, struct fps_item);
    builder_init(&builder, reader);
    item->store_fd = -1;
    bool ok = read_item(&builder, item, err);
    fd_cleanup(&item->store_fd);
    return ok;
}
