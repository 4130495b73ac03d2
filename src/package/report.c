/* What was done with what was found in a package. */
#include "base/check.h"
#include "package/reader_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES_MAX 400

static void add(struct package_reader *reader, struct package_notes *notes, struct str text,
                struct str file, int line) {
    if (notes->count == PACKAGE_NOTES_MAX) {
        return; /* whoever reads a thousand notes has seen what kind of package it is */
    }
    if (notes->count == notes->capacity) {
        int32_t capacity = notes->capacity == 0 ? 16 : 2 * notes->capacity;
        struct package_note *items = arena_array(reader->arena, (size_t)capacity, sizeof(items[0]));
        if (notes->count > 0) {
            memcpy(items, notes->items, (size_t)notes->count * sizeof(items[0]));
        }
        notes->items = items;
        notes->capacity = capacity;
    }
    notes->items[notes->count++] = (struct package_note){.text = arena_str(reader->arena, text),
                                                         .file = arena_str(reader->arena, file),
                                                         .line = line};
}

/* Formats into `text` and adds it. */
#define ADD_FORMATTED(notes, file, line)                                                           \
    do {                                                                                           \
        char text_[TEXT_BYTES_MAX];                                                                \
        va_list args_;                                                                             \
        va_start(args_, format);                                                                   \
        vsnprintf(text_, sizeof(text_), format, args_);                                            \
        va_end(args_);                                                                             \
        add(reader, (notes), str_from(text_), (file), (line));                                     \
    } while (0)

void note_read(struct package_reader *reader, struct str file) {
    add(reader, &reader->report->read, file, file, 0);
}

void note_guessed(struct package_reader *reader, const char *format, ...) {
    ADD_FORMATTED(&reader->report->guessed, STR(""), 0);
}

void note_dropped(struct package_reader *reader, struct str file, int line, const char *format,
                  ...) {
    ADD_FORMATTED(&reader->report->dropped, file, line);
}

void note_warning(struct package_reader *reader, struct str file, int line, const char *format,
                  ...) {
    ADD_FORMATTED(&reader->report->warnings, file, line);
}

/* "file:12: text" goes apart again. */
void note_refused(struct package_reader *reader, const struct err *err) {
    struct str head = STR("");
    struct str text = STR("");
    struct str file = STR("");
    struct str number = STR("");
    struct err ignored = {0};
    int64_t line = 0;
    struct str whole = str_from(err->text);
    bool has_place = str_cut(whole, ' ', &head, &text) && str_ends(head, STR(":")) && head.len > 1;
    head = has_place ? str_sub(head, 0, head.len - 1) : STR("");
    if (has_place && (!str_cut_last(head, ':', &file, &number) ||
                      !str_to_i64(number, 1, INT32_MAX, &line, &ignored))) {
        file = head;
    }
    add(reader, &reader->report->refused, has_place ? text : whole, file, (int)line);
}

static bool refuse(struct err *err, const char *code, struct str file, int line, const char *text) {
    if (line > 0) {
        return err_set(err, ERR_INVALID, code, STR_FMT ":%d: %s", STR_ARG(file), line, text);
    }
    if (file.len > 0) {
        return err_set(err, ERR_INVALID, code, STR_FMT ": %s", STR_ARG(file), text);
    }
    return err_set(err, ERR_INVALID, code, "%s", text);
}

bool package_refuse(struct err *err, struct str file, int line, const char *format, ...) {
    char text[sizeof(err->text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return refuse(err, "bad_package", file, line, text);
}

bool package_refuse_kind(struct err *err, struct str file, int line, const char *format, ...) {
    char text[sizeof(err->text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return refuse(err, "unsupported_package", file, line, text);
}

bool package_unsupported(struct err *err, struct str file, int line, const char *what) {
    char text[sizeof(err->text)];
    snprintf(text, sizeof(text), "%s are not supported yet", what);
    return refuse(err, "unsupported_package", file, line, text);
}
