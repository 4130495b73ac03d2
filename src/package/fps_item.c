/* One <item> of an FPS file, streamed by expat from its place on: nothing but this item is held,
 * and its test data go to a file. */
#include "package/fps_internal.h"

#include "base/check.h"
#include "base/file.h"
#include "base/path.h"
#include "package/scratch.h"
#include "package/xml.h"
#include <errno.h>
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_BYTES ((size_t)64 * KIB)
#define TEXT_BYTES_MAX STATEMENT_BYTES_MAX
#define ARENA_BYTES ((int64_t)16 * MIB) /* of all texts together */

static const struct element {
    const char *name;
    enum fps_field field;
} elements[] = {
    {"title", FPS_TITLE},
    {"time_limit", FPS_TIME},
    {"memory_limit", FPS_MEMORY},
    {"description", FPS_DESCRIPTION},
    {"input", FPS_INPUT},
    {"output", FPS_OUTPUT},
    {"hint", FPS_HINT},
    {"source", FPS_SOURCE},
    {"url", FPS_URL},
    {"remote_oj", FPS_REMOTE},
    {"sample_input", FPS_SAMPLE_INPUT},
    {"sample_output", FPS_SAMPLE_OUTPUT},
    {"test_input", FPS_TEST_INPUT},
    {"test_output", FPS_TEST_OUTPUT},
    {"solution", FPS_SOLUTION},
    {"spj", FPS_SPJ},
    {"tpj", FPS_TPJ},
    {"interactor", FPS_INTERACTOR},
    {"template", FPS_TEMPLATE},
    {"prepend", FPS_TEMPLATE},
    {"append", FPS_TEMPLATE},
    {"img", FPS_IMG},
    {"remote_id", FPS_UNKNOWN},
};

struct reading {
    XML_Parser parser;
    struct package_reader *reader;
    struct fps_item *item;
    enum fps_field field;
    struct str name; /* attributes of the field */
    struct str language;
    struct str unit;
    int line;
    struct buf text;
    int64_t bytes;     /* of the field so far */
    int64_t stored;    /* in the file */
    int64_t text_used; /* of the arena */
    int64_t base_line; /* lines before the item */
    int depth;
    bool done;
    bool failed; /* *err is set */
    struct err *err;
    const char *why;
};

static void stop(struct reading *reading, const char *why) {
    reading->why = reading->why == NULL ? why : reading->why;
    (void)XML_StopParser(reading->parser, XML_FALSE);
}

static int line_of(const struct reading *reading) {
    return (int)(reading->base_line + (int64_t)XML_GetCurrentLineNumber(reading->parser));
}

static bool is_stored(enum fps_field field) {
    return field >= FPS_SAMPLE_INPUT && field <= FPS_TEST_OUTPUT;
}

static enum fps_field field_of(const char *name, int depth) {
    if (depth == 3) {
        return strcmp(name, "src") == 0      ? FPS_IMG_SRC
               : strcmp(name, "base64") == 0 ? FPS_IMG_BASE64
                                             : FPS_UNKNOWN;
    }
    for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
        if (strcmp(name, elements[i].name) == 0) {
            return elements[i].field;
        }
    }
    return FPS_UNKNOWN;
}

static void read_attributes(struct reading *reading, const char **pairs) {
    struct arena *arena = reading->reader->arena;
    reading->name = reading->language = reading->unit = STR("");
    for (size_t i = 0; pairs[i] != NULL; i += 2) {
        struct str value = str_sub(str_from(pairs[i + 1]), 0, 200);
        reading->text_used += (int64_t)value.len;
        if (strcmp(pairs[i], "name") == 0 || strcmp(pairs[i], "filename") == 0) {
            reading->name = arena_str(arena, value);
        } else if (strcmp(pairs[i], "language") == 0) {
            reading->language = arena_str(arena, value);
        } else if (strcmp(pairs[i], "unit") == 0) {
            reading->unit = arena_str(arena, value);
        }
    }
}

/* Depths: 0 the root, 1 <item>, 2 its fields, 3 the parts of an <img>. */
static void XMLCALL on_start(void *context, const char *name, const char **attributes) {
    struct reading *reading = XML_GetUserData(context);
    int depth = reading->depth++;
    if (depth == 1 && strcmp(name, "item") != 0) {
        stop(reading, "expected <item>");
        return;
    }
    if (depth < 2 || (depth == 3 && reading->field != FPS_IMG)) {
        return;
    }
    if (depth > 3) {
        return;
    }
    read_attributes(reading, attributes);
    reading->field = field_of(name, depth);
    reading->line = line_of(reading);
    reading->bytes = 0;
    buf_clear(&reading->text);
    if (reading->field == FPS_UNKNOWN && depth == 2) {
        note_dropped(reading->reader, reading->reader->item->file, reading->line,
                     "<%.40s> is not used", name);
    }
    if (reading->field == FPS_IMG && reading->item->image_count < FPS_IMAGES_MAX) {
        reading->item->image_count++;
    }
}

static void XMLCALL on_text(void *context, const char *text, int len) {
    struct reading *reading = XML_GetUserData(context);
    struct str piece = str_of(text, (size_t)len);
    if (reading->field == FPS_NONE || reading->field == FPS_IMG || reading->done) {
        return;
    }
    reading->bytes += len;
    if (!is_stored(reading->field)) {
        if (!buf_append(&reading->text, piece)) {
            stop(reading, "this text is too large");
        }
        return;
    }
    if (reading->bytes > PACKAGE_FILE_BYTES_MAX ||
        reading->stored + len > PACKAGE_UNPACKED_BYTES_MAX) {
        stop(reading, "the test data are too large");
        return;
    }
    if (!file_write_all(reading->item->store_fd, piece, reading->err)) {
        reading->failed = true;
        stop(reading, NULL);
        return;
    }
    reading->stored += len;
}

/* "&nbsp;" of a DTD that nobody reads: it stays as it was written. */
static void XMLCALL on_skipped(void *context, const char *name, int is_parameter) {
    char text[64];
    (void)is_parameter;
    int len = snprintf(text, sizeof(text), "&%.50s;", name);
    on_text(context, text, len);
}

static struct str keep(struct reading *reading, struct str text) {
    reading->text_used += (int64_t)text.len;
    if (reading->text_used > ARENA_BYTES) {
        stop(reading, "the texts of this problem are too large");
        return STR("");
    }
    return arena_str(reading->reader->arena, text);
}

static void end_test(struct reading *reading, struct fps_tests *tests) {
    if (tests->count == FPS_TESTS_MAX) {
        stop(reading, "there are too many test cases");
        return;
    }
    tests->rows[tests->count++] = (struct fps_test){.name = reading->name,
                                                    .offset = reading->stored - reading->bytes,
                                                    .bytes = reading->bytes,
                                                    .line = reading->line};
}

static void end_source(struct reading *reading) {
    struct fps_item *item = reading->item;
    if (item->source_count == FPS_SOURCES_MAX) {
        stop(reading, "there are too many programs");
        return;
    }
    item->sources[item->source_count++] =
        (struct fps_source){.field = reading->field,
                            .language = reading->language,
                            .code = keep(reading, buf_str(&reading->text)),
                            .line = reading->line};
}

static void end_text(struct reading *reading) {
    struct fps_item *item = reading->item;
    item->texts[reading->field] = keep(reading, buf_str(&reading->text));
    item->units[reading->field] = reading->unit;
    item->lines[reading->field] = reading->line;
}

static void end_field(struct reading *reading) {
    struct fps_item *item = reading->item;
    struct fps_image *image = item->image_count == 0 ? NULL : &item->images[item->image_count - 1];
    switch ((int)reading->field) {
    case FPS_SAMPLE_INPUT: end_test(reading, &item->samples[0]); break;
    case FPS_SAMPLE_OUTPUT: end_test(reading, &item->samples[1]); break;
    case FPS_TEST_INPUT: end_test(reading, &item->tests[0]); break;
    case FPS_TEST_OUTPUT: end_test(reading, &item->tests[1]); break;
    case FPS_SOLUTION:
    case FPS_SPJ:
    case FPS_TPJ:
    case FPS_INTERACTOR: end_source(reading); break;
    case FPS_TEMPLATE: item->templates += str_trim(buf_str(&reading->text)).len > 0 ? 1 : 0; break;
    case FPS_IMG_SRC:
        if (image != NULL) {
            image->src = keep(reading, str_trim(buf_str(&reading->text)));
        }
        break;
    case FPS_IMG_BASE64:
        if (image != NULL) {
            image->base64 = keep(reading, buf_str(&reading->text));
        }
        break;
    default:
        if (reading->field > FPS_NONE && reading->field < FPS_TEXTS) {
            end_text(reading);
        }
        break;
    }
}

static void XMLCALL on_end(void *context, const char *name) {
    struct reading *reading = XML_GetUserData(context);
    int depth = --reading->depth;
    (void)name;
    if (depth == 1) {
        reading->done = true;
        stop(reading, NULL);
    } else if (depth == 3) {
        end_field(reading);
        reading->field = FPS_IMG;
    } else if (depth == 2) {
        end_field(reading);
        reading->field = FPS_NONE;
    }
}

/* ---- the file ---- */

static bool read_step(int fd, char *step, int64_t offset, size_t want, size_t *ret_got,
                      struct err *err) {
    ssize_t got = -1;
    do {
        got = pread(fd, step, want, offset);
    } while (got < 0 && errno == EINTR);
    *ret_got = got < 0 ? 0 : (size_t)got;
    return got >= 0 || err_system(err, "read_failed", "cannot read the package");
}

static bool count_lines(int fd, char *step, int64_t end, int64_t *ret_lines, struct err *err) {
    int64_t lines = 0;
    size_t got = 1;
    for (int64_t offset = 0; offset < end && got > 0; offset += (int64_t)got) {
        int64_t left = end - offset;
        size_t want = left < (int64_t)STEP_BYTES ? (size_t)left : STEP_BYTES;
        if (!read_step(fd, step, offset, want, &got, err)) {
            return false;
        }
        for (size_t i = 0; i < got; i++) {
            lines += step[i] == '\n' ? 1 : 0;
        }
    }
    *ret_lines = lines;
    return true;
}

static bool failure(struct reading *reading, struct err *err) {
    struct str file = reading->reader->item->file;
    enum XML_Error code = XML_GetErrorCode(reading->parser);
    if (reading->failed) {
        return false;
    }
    const char *why = reading->why;
    if (why == NULL && code == XML_ERROR_ABORTED) {
        why = "its DOCTYPE declares entities: write out what they stand for";
    }
    const char *text = why == NULL ? XML_ErrorString(code) : why;
    return package_refuse(err, file, line_of(reading), "%s", text == NULL ? "no XML" : text);
}

static bool stream(struct reading *reading, int fd, char *step, struct err *err) {
    /* As if the file began here; the DTD that is named is never read. */
    static const char head[] = "<!DOCTYPE fps SYSTEM \"fps.dtd\"><fps>";
    size_t got = 1;
    if (XML_Parse(reading->parser, head, (int)sizeof(head) - 1, 0) != XML_STATUS_OK) {
        return failure(reading, err);
    }
    for (int64_t offset = reading->reader->item->place; got > 0; offset += (int64_t)got) {
        if (!read_step(fd, step, offset, STEP_BYTES, &got, err)) {
            return false;
        }
        enum XML_Status status = XML_Parse(reading->parser, step, (int)got, got == 0);
        if (reading->done) {
            return reading->why == NULL || failure(reading, err);
        }
        if (status != XML_STATUS_OK) {
            return failure(reading, err);
        }
    }
    return package_refuse(err, reading->reader->item->file, line_of(reading),
                          "the file ends inside of this problem");
}

static bool read_stream(struct reading *reading, struct err *err) {
    struct package_reader *reader = reading->reader;
    own_fd fd = -1;
    own_text step = malloc(STEP_BYTES);
    CHECK(step != NULL);
    const struct package_file *file = package_tree_find(reader->tree, reader->item->file);
    CHECK(file != NULL);
    return package_tree_read(reader->tree, file, &fd, err) &&
           count_lines(fd, step, reader->item->place, &reading->base_line, err) &&
           stream(reading, fd, step, err);
}

bool fps_item_read(struct package_reader *reader, struct fps_item *item, struct err *err) {
    struct arena *arena = reader->arena;
    struct reading reading = {.reader = reader, .item = item, .err = err};
    *item = (struct fps_item){.store_fd = -1};
    for (int i = 0; i < 2; i++) {
        item->samples[i].rows = arena_array(arena, FPS_TESTS_MAX, sizeof(struct fps_test));
        item->tests[i].rows = arena_array(arena, FPS_TESTS_MAX, sizeof(struct fps_test));
    }
    item->sources = arena_array(arena, FPS_SOURCES_MAX, sizeof(struct fps_source));
    item->images = arena_array(arena, FPS_IMAGES_MAX, sizeof(struct fps_image));
    if (!scratch_create(&item->store_fd, err)) {
        return false;
    }
    buf_init(&reading.text, TEXT_BYTES_MAX);
    reading.parser = xml_parser_create(&reading);
    XML_SetElementHandler(reading.parser, on_start, on_end);
    XML_SetCharacterDataHandler(reading.parser, on_text);
    XML_SetSkippedEntityHandler(reading.parser, on_skipped);
    bool ok = read_stream(&reading, err);
    XML_ParserFree(reading.parser);
    buf_done(&reading.text);
    return ok;
}

bool fps_open(const struct fps_item *item, const struct fps_test *test, int *ret_fd,
              struct err *err) {
    return scratch_copy(item->store_fd, test->offset, test->bytes, ret_fd, err);
}

static int base64_value(char c) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c == '\0' ? NULL : strchr(letters, c);
    return at == NULL ? -1 : (int)(at - letters);
}

bool fps_base64(struct str text, struct buf *out) {
    uint32_t bits = 0;
    int count = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        int value = base64_value(c);
        if (c == '=' || c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            continue;
        }
        if (value < 0) {
            return false;
        }
        bits = (bits << 6) | (uint32_t)value;
        if (++count % 4 != 1) {
            int shift = count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0;
            buf_append_char(out, (char)((bits >> shift) & 0xff));
        }
    }
    return true;
}
