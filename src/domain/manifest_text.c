/* The canonical text of a manifest: docs/protocol-manifest.md. One table describes it, and both
 * the writer and the reader follow the table, so they cannot disagree.
 *
 * A line is a keyword and its fields, separated by one space each and ended by LF. A record's line
 * ends with the lengths of its lists, and their records follow. Every field is always there. A
 * string is one word: each byte outside '!'..'~' and each '%' is written %XX; "-" is the empty
 * string, and the string "-" is %2D.
 *
 * Changing anything here changes every digest: see the test "the canonical form never changes". */
#include "domain/manifest.h"

#include "base/check.h"
#include "base/limits.h"
#include <assert.h>
#include <stddef.h>
#include <string.h>

#define FORM STR("assize-manifest 1\n")
#define FIELDS_MAX 11
#define LISTS_MAX 2
#define DIGEST_BYTES 32

enum field_kind {
    FIELD_END,
    FIELD_STR,
    FIELD_I64,
    FIELD_I32,
    FIELD_BOOL,
    FIELD_ENUM,
    FIELD_BITS,
    FIELD_BLOB
};

struct field {
    enum field_kind kind;
    size_t offset;
    const char *const *names; /* of FIELD_ENUM by value, of FIELD_BITS by bit; NULL-terminated */
};

struct record;

struct list {
    const struct record *item;
    size_t items_offset; /* of a pointer to const items */
    size_t count_offset; /* of an int32_t */
    int32_t max;
};

struct record {
    const char *keyword;
    size_t bytes; /* of one item */
    struct field fields[FIELDS_MAX];
    struct list lists[LISTS_MAX];
};

struct top_record {
    const struct record *record;
    size_t offset; /* in struct manifest */
};

static const char *const kind_names[] = {"pass-fail",     "scoring",  "interactive", "multi-pass",
                                         "submit-answer", "function", "sql",         NULL};
static const char *const checker_names[] = {
    "none", "tokens", "lines", "exact", "unordered-lines", "program", NULL};
static const char *const adapter_names[] = {
    "none", "icpc",  "testlib", "hustoj",        "hustoj-testlib", "qduoj",
    "cms",  "lemon", "syzoj",   "hydro-testlib", "hustoj-score",   NULL};
static const char *const aggregation_names[] = {"none", "pass-fail", "sum", "min", "max", NULL};

static_assert(sizeof(checker_names) / sizeof(char *) == CHECKER_KIND_COUNT + 1, "names all kinds");
static_assert(sizeof(adapter_names) / sizeof(char *) == ADAPTER_COUNT + 1, "names all adapters");

/* clang-format off */
#define F(kind, type, member)        {FIELD_##kind, offsetof(struct type, member), NULL}
#define NAMED(kind, type, member, n) {FIELD_##kind, offsetof(struct type, member), (n)}
#define LIST(item, type, items, count, max) \
    {&(item), offsetof(struct type, items), offsetof(struct type, count), (max)}

static const struct record record_file = {"file", sizeof(struct manifest_file),
    {F(STR, manifest_file, name), F(BLOB, manifest_file, blob)}, {{0}}};

static const struct record record_language_limit = {
    "language-limit", sizeof(struct manifest_language_limit),
    {F(STR, manifest_language_limit, language), F(I64, manifest_language_limit, time_permille),
     F(I64, manifest_language_limit, memory_permille)}, {{0}}};

static const struct record record_limits = {"limits", sizeof(struct manifest_limits),
    {F(I64, manifest_limits, time_ms), F(I64, manifest_limits, memory_kib),
     F(I64, manifest_limits, output_kib), F(I64, manifest_limits, code_kib),
     F(I64, manifest_limits, compile_time_ms), F(I64, manifest_limits, compile_memory_kib),
     F(I64, manifest_limits, validation_time_ms), F(I64, manifest_limits, validation_memory_kib),
     F(I64, manifest_limits, validation_output_kib), F(I32, manifest_limits, validation_passes),
     F(I64, manifest_limits, job_total_ms)},
    {LIST(record_language_limit, manifest_limits, languages, language_count, LANGUAGES_MAX)}};

static const struct record record_checker = {"checker", sizeof(struct manifest_checker),
    {NAMED(ENUM, manifest_checker, kind, checker_names), F(BOOL, manifest_checker, case_sensitive),
     F(BOOL, manifest_checker, space_sensitive), F(STR, manifest_checker, float_absolute),
     F(STR, manifest_checker, float_relative)}, {{0}}};

#define PROGRAM(keyword) {(keyword), sizeof(struct manifest_program), \
    {F(STR, manifest_program, language), NAMED(ENUM, manifest_program, adapter, adapter_names), \
     F(STR, manifest_program, entry), F(STR, manifest_program, args)}, \
    {LIST(record_file, manifest_program, files, file_count, MANIFEST_FILES_MAX)}}
static const struct record record_checker_program = PROGRAM("checker-program");
static const struct record record_interactor = PROGRAM("interactor");

static const struct record record_depend = {"depend", sizeof(int32_t),
    {{FIELD_I32, 0, NULL}}, {{0}}};

static const struct record record_group = {"group", sizeof(struct manifest_group),
    {F(STR, manifest_group, name), F(I32, manifest_group, parent),
     NAMED(ENUM, manifest_group, aggregation, aggregation_names),
     F(I64, manifest_group, score_micro), F(BOOL, manifest_group, stop_on_reject),
     F(STR, manifest_group, checker_args)},
    {LIST(record_depend, manifest_group, depends, depend_count, MANIFEST_GROUPS_MAX)}};

static const struct record record_case = {"case", sizeof(struct manifest_case),
    {F(STR, manifest_case, name), F(BOOL, manifest_case, sample), F(I32, manifest_case, group),
     F(BLOB, manifest_case, input), F(BLOB, manifest_case, answer),
     F(I64, manifest_case, score_micro), F(I64, manifest_case, time_limit_ms),
     F(I64, manifest_case, memory_limit_kib), F(STR, manifest_case, args),
     F(STR, manifest_case, checker_args)},
    {LIST(record_file, manifest_case, files, file_count, MANIFEST_FILES_MAX)}};

static const struct record record_include = {"include", sizeof(struct manifest_include),
    {F(STR, manifest_include, language), F(STR, manifest_include, file.name),
     F(BLOB, manifest_include, file.blob)}, {{0}}};

static const struct record record_sql = {"sql", sizeof(struct manifest_sql),
    {F(STR, manifest_sql, dialect), F(BLOB, manifest_sql, ddl), F(BLOB, manifest_sql, seed),
     F(I64, manifest_sql, seed_version), F(BLOB, manifest_sql, reference),
     F(BLOB, manifest_sql, check), F(BOOL, manifest_sql, ordered),
     F(BOOL, manifest_sql, column_names), F(STR, manifest_sql, statements),
     F(I64, manifest_sql, rows_max), F(I64, manifest_sql, result_bytes_max)}, {{0}}};

static const struct record record_kinds = {"kinds", 0,
    {NAMED(BITS, manifest, kinds, kind_names)}, {{0}}};
static const struct record record_scoring = {"scoring", 0,
    {NAMED(ENUM, manifest, aggregation, aggregation_names), F(I64, manifest, score_micro),
     F(BOOL, manifest, score_maximize), F(BOOL, manifest, run_all_cases)}, {{0}}};
static const struct record record_streams = {"streams", 0,
    {F(STR, manifest, input_file), F(STR, manifest, output_file)}, {{0}}};
static const struct record record_languages = {"languages", 0,
    {F(STR, manifest, languages)}, {{0}}};
static const struct record record_groups = {"groups", 0, {{FIELD_END, 0, NULL}},
    {LIST(record_group, manifest, groups, group_count, MANIFEST_GROUPS_MAX)}};
static const struct record record_cases = {"cases", 0, {{FIELD_END, 0, NULL}},
    {LIST(record_case, manifest, cases, case_count, MANIFEST_CASES_MAX)}};
static const struct record record_includes = {"includes", 0, {{FIELD_END, 0, NULL}},
    {LIST(record_include, manifest, includes, include_count, MANIFEST_FILES_MAX)}};

static const struct top_record top_records[] = {
    {&record_kinds, 0},
    {&record_limits, offsetof(struct manifest, limits)},
    {&record_checker, offsetof(struct manifest, checker)},
    {&record_checker_program, offsetof(struct manifest, checker.program)},
    {&record_interactor, offsetof(struct manifest, interactor)},
    {&record_scoring, 0},
    {&record_streams, 0},
    {&record_languages, 0},
    {&record_groups, 0},
    {&record_cases, 0},
    {&record_includes, 0},
    {&record_sql, offsetof(struct manifest, sql)},
};
/* clang-format on */

/* Fields are reached by their offsets; memcpy keeps that free of alignment and aliasing traps. */
#define GET(type, base, offset)                                                                    \
    __extension__({                                                                                \
        type value_;                                                                               \
        memcpy(&value_, (const char *)(base) + (offset), sizeof(value_));                          \
        value_;                                                                                    \
    })
#define PUT(type, base, offset, value)                                                             \
    do {                                                                                           \
        type value_ = (value);                                                                     \
        memcpy((char *)(base) + (offset), &value_, sizeof(value_));                                \
    } while (0)

/* Writing. Overflow of the buffer is looked at once, at the end. */

static bool is_plain(char c) {
    return c > ' ' && c <= '~' && c != '%';
}

static void write_str(struct buf *into, struct str text) {
    if (text.len == 0) {
        buf_append_char(into, '-');
        return;
    }
    bool dash = str_eq_c(text, "-");
    for (size_t i = 0; i < text.len; i++) {
        if (is_plain(text.ptr[i]) && !dash) {
            buf_append_char(into, text.ptr[i]);
        } else {
            buf_printf(into, "%%%02X", (unsigned)(unsigned char)text.ptr[i]);
        }
    }
}

static void write_blob(struct buf *into, const struct blob_ref *blob) {
    char hex[2 * DIGEST_BYTES];
    if (blob->bytes < 0) {
        buf_append_c(into, "- -1");
        return;
    }
    hex_encode(blob->sha256, DIGEST_BYTES, hex);
    buf_append(into, str_of(hex, sizeof(hex)));
    buf_append_char(into, ' ');
    buf_append_i64(into, blob->bytes);
}

static void write_bits(struct buf *into, uint32_t bits, const char *const *names) {
    const char *between = "";
    for (uint32_t i = 0; names[i] != NULL; i++) {
        if ((bits & (1u << i)) != 0) {
            buf_append_c(into, between);
            buf_append_c(into, names[i]);
            between = "+";
        }
    }
}

static void write_field(struct buf *into, const struct field *field, const void *base) {
    buf_append_char(into, ' ');
    switch (field->kind) {
    case FIELD_END: break;
    case FIELD_STR: write_str(into, GET(struct str, base, field->offset)); break;
    case FIELD_I64: buf_append_i64(into, GET(int64_t, base, field->offset)); break;
    case FIELD_I32: buf_append_i64(into, GET(int32_t, base, field->offset)); break;
    case FIELD_BOOL: buf_append_c(into, GET(bool, base, field->offset) ? "yes" : "no"); break;
    case FIELD_ENUM: buf_append_c(into, field->names[GET(uint32_t, base, field->offset)]); break;
    case FIELD_BITS: write_bits(into, GET(uint32_t, base, field->offset), field->names); break;
    case FIELD_BLOB: {
        struct blob_ref blob = GET(struct blob_ref, base, field->offset);
        write_blob(into, &blob);
        break;
    }
    }
}

static void write_line(struct buf *into, const struct record *record, const void *base) {
    buf_append_c(into, record->keyword);
    for (size_t i = 0; i < FIELDS_MAX && record->fields[i].kind != FIELD_END; i++) {
        write_field(into, &record->fields[i], base);
    }
    for (size_t i = 0; i < LISTS_MAX && record->lists[i].item != NULL; i++) {
        buf_append_char(into, ' ');
        buf_append_i64(into, GET(int32_t, base, record->lists[i].count_offset));
    }
    buf_append_char(into, '\n');
}

/* The table is a tree of fixed depth (case, file), so this recursion is bounded by it. */
static void write_record(struct buf *into, const struct record *record, const void *base) {
    write_line(into, record, base);
    for (size_t i = 0; i < LISTS_MAX && record->lists[i].item != NULL; i++) {
        const struct list *list = &record->lists[i];
        const char *items = GET(const char *, base, list->items_offset);
        int32_t count = GET(int32_t, base, list->count_offset);
        for (int32_t k = 0; k < count; k++) {
            write_record(into, list->item, items + (size_t)k * list->item->bytes);
        }
    }
}

bool manifest_write(const struct manifest *manifest, struct buf *into, struct err *err) {
    CHECK(manifest_check(manifest, err));
    buf_append(into, FORM);
    for (size_t i = 0; i < sizeof(top_records) / sizeof(top_records[0]); i++) {
        write_record(into, top_records[i].record, (const char *)manifest + top_records[i].offset);
    }
    return buf_ok(into, "manifest", err);
}

/* Reading */

struct reader {
    struct str rest;
    struct str line; /* what is left of the current line */
    int64_t line_number;
    struct arena *arena;
};

static bool refuse(const struct reader *reader, struct err *err, const char *why) {
    return err_set(err, ERR_INVALID, "bad_manifest", "manifest line %lld: %s",
                   (long long)reader->line_number, why);
}

static bool next_word(struct reader *reader, struct str *ret_word, struct err *err) {
    if (reader->line.len == 0) {
        return refuse(reader, err, "a field is missing");
    }
    str_cut(reader->line, ' ', ret_word, &reader->line);
    return true;
}

static bool next_line(struct reader *reader, const char *keyword, struct err *err) {
    struct str word = STR("");
    reader->line_number++;
    if (!str_cut(reader->rest, '\n', &reader->line, &reader->rest)) {
        return refuse(reader, err, "the text ends too early");
    }
    if (!next_word(reader, &word, err)) {
        return false;
    }
    if (!str_eq_c(word, keyword)) {
        return err_set(err, ERR_INVALID, "bad_manifest", "manifest line %lld: expected '%s'",
                       (long long)reader->line_number, keyword);
    }
    return true;
}

static bool read_str(struct reader *reader, struct str word, struct str *ret_text,
                     struct err *err) {
    if (str_eq_c(word, "-")) {
        *ret_text = STR("");
        return true;
    }
    char *text = arena_alloc(reader->arena, word.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < word.len; i++) {
        uint8_t byte = (uint8_t)word.ptr[i];
        if (byte == '%') {
            if (!hex_decode(str_sub(word, i + 1, 2), &byte, 1)) {
                return refuse(reader, err, "% stands before two hexadecimal digits");
            }
            i += 2;
        }
        text[len++] = (char)byte;
    }
    *ret_text = str_of(text, len);
    return true;
}

static bool read_int(struct reader *reader, struct str word, int64_t min, int64_t max,
                     int64_t *ret_value, struct err *err) {
    struct err ignored = {0};
    if (!str_to_i64(word, min, max, ret_value, &ignored)) {
        return refuse(reader, err, "a number is missing or out of range");
    }
    return true;
}

static bool read_name(struct reader *reader, struct str word, const char *const *names,
                      uint32_t *ret_index, struct err *err) {
    for (uint32_t i = 0; names[i] != NULL; i++) {
        if (str_eq_c(word, names[i])) {
            *ret_index = i;
            return true;
        }
    }
    return refuse(reader, err, "unknown word");
}

static bool read_bits(struct reader *reader, struct str word, const char *const *names,
                      uint32_t *ret_bits, struct err *err) {
    uint32_t bits = 0;
    bool more = true;
    while (more) {
        struct str name = STR("");
        uint32_t index = 0;
        more = str_cut(word, '+', &name, &word);
        if (!read_name(reader, name, names, &index, err)) {
            return false;
        }
        bits |= 1u << index;
    }
    *ret_bits = bits;
    return true;
}

static bool read_blob(struct reader *reader, struct str digest, struct blob_ref *ret_blob,
                      struct err *err) {
    struct blob_ref blob = {.bytes = -1};
    struct str size = STR("");
    bool none = str_eq_c(digest, "-");
    if (!none && !hex_decode(digest, blob.sha256, DIGEST_BYTES)) {
        return refuse(reader, err, "a digest has 64 hexadecimal digits");
    }
    if (!next_word(reader, &size, err) ||
        !read_int(reader, size, -1, INT64_MAX, &blob.bytes, err)) {
        return false;
    }
    *ret_blob = blob;
    return true;
}

/* FIELD_I64, _I32 and _BOOL. */
static bool read_number(struct reader *reader, const struct field *field, struct str word,
                        void *base, struct err *err) {
    static const char *const bool_names[] = {"no", "yes", NULL};
    uint32_t index = 0;
    int64_t value = 0;
    if (field->kind == FIELD_BOOL) {
        if (!read_name(reader, word, bool_names, &index, err)) {
            return false;
        }
        PUT(bool, base, field->offset, index == 1);
        return true;
    }
    bool wide = field->kind == FIELD_I64;
    if (!read_int(reader, word, wide ? INT64_MIN : INT32_MIN, wide ? INT64_MAX : INT32_MAX, &value,
                  err)) {
        return false;
    }
    if (wide) {
        PUT(int64_t, base, field->offset, value);
    } else {
        PUT(int32_t, base, field->offset, (int32_t)value);
    }
    return true;
}

static bool read_field(struct reader *reader, const struct field *field, void *base,
                       struct err *err) {
    struct str word = STR("");
    struct str text = STR("");
    struct blob_ref blob = {.bytes = -1};
    uint32_t bits = 0;
    if (!next_word(reader, &word, err)) {
        return false;
    }
    switch (field->kind) {
    case FIELD_STR:
        if (!read_str(reader, word, &text, err)) {
            return false;
        }
        PUT(struct str, base, field->offset, text);
        return true;
    case FIELD_ENUM:
    case FIELD_BITS:
        if (!(field->kind == FIELD_ENUM ? read_name : read_bits)(reader, word, field->names, &bits,
                                                                 err)) {
            return false;
        }
        PUT(uint32_t, base, field->offset, bits);
        return true;
    case FIELD_BLOB:
        if (!read_blob(reader, word, &blob, err)) {
            return false;
        }
        PUT(struct blob_ref, base, field->offset, blob);
        return true;
    case FIELD_I64:
    case FIELD_I32:
    case FIELD_BOOL: return read_number(reader, field, word, base, err);
    case FIELD_END: break;
    }
    CHECK(false);
    return false;
}

static bool read_counts(struct reader *reader, const struct record *record, void *base,
                        struct err *err) {
    for (size_t i = 0; i < LISTS_MAX && record->lists[i].item != NULL; i++) {
        const struct list *list = &record->lists[i];
        struct str word = STR("");
        int64_t count = 0;
        if (!next_word(reader, &word, err) || !read_int(reader, word, 0, list->max, &count, err)) {
            return false;
        }
        PUT(int32_t, base, list->count_offset, (int32_t)count);
        PUT(const void *, base, list->items_offset,
            arena_array(reader->arena, (size_t)count, list->item->bytes));
    }
    return true;
}

static bool read_line(struct reader *reader, const struct record *record, void *base,
                      struct err *err) {
    if (!next_line(reader, record->keyword, err)) {
        return false;
    }
    for (size_t i = 0; i < FIELDS_MAX && record->fields[i].kind != FIELD_END; i++) {
        if (!read_field(reader, &record->fields[i], base, err)) {
            return false;
        }
    }
    if (!read_counts(reader, record, base, err)) {
        return false;
    }
    return reader->line.len == 0 || refuse(reader, err, "the line is too long");
}

static bool read_record(struct reader *reader, const struct record *record, void *base,
                        struct err *err) {
    if (!read_line(reader, record, base, err)) {
        return false;
    }
    for (size_t i = 0; i < LISTS_MAX && record->lists[i].item != NULL; i++) {
        const struct list *list = &record->lists[i];
        char *items = GET(char *, base, list->items_offset);
        int32_t count = GET(int32_t, base, list->count_offset);
        for (int32_t k = 0; k < count; k++) {
            if (!read_record(reader, list->item, items + (size_t)k * list->item->bytes, err)) {
                return false;
            }
        }
    }
    return true;
}

/* What was understood must be what was written: writes it again and compares. */
static bool is_canonical(const struct manifest *manifest, struct str text, struct err *err) {
    own_buf again;
    buf_init(&again, MANIFEST_BYTES_MAX);
    if (!manifest_write(manifest, &again, err)) {
        return false;
    }
    int64_t line_number = 0;
    struct str written = buf_str(&again);
    while (!str_eq(text, written)) {
        struct str line = STR("");
        struct str wanted = STR("");
        bool more = str_cut(text, '\n', &line, &text);
        bool more_written = str_cut(written, '\n', &wanted, &written);
        line_number++;
        if (!str_eq(line, wanted) || more != more_written) {
            return err_set(err, ERR_INVALID, "bad_manifest",
                           "manifest line %lld is not in its canonical form",
                           (long long)line_number);
        }
    }
    return true;
}

bool manifest_read(struct str text, struct arena *arena, struct manifest *ret_manifest,
                   struct err *err) {
    struct manifest manifest = {0};
    struct reader reader = {.rest = text, .line_number = 1, .arena = arena};
    if (text.len > MANIFEST_BYTES_MAX) {
        return err_set(err, ERR_TOO_LARGE, "bad_manifest", "the manifest is over %d bytes",
                       MANIFEST_BYTES_MAX);
    }
    if (!str_starts(text, FORM)) {
        return refuse(&reader, err, "expected 'assize-manifest 1'");
    }
    reader.rest = str_sub(text, FORM.len, text.len);
    for (size_t i = 0; i < sizeof(top_records) / sizeof(top_records[0]); i++) {
        if (!read_record(&reader, top_records[i].record, (char *)&manifest + top_records[i].offset,
                         err)) {
            return false;
        }
    }
    reader.line_number++;
    if (reader.rest.len > 0) {
        return refuse(&reader, err, "text after the end");
    }
    if (!manifest_check(&manifest, err) || !is_canonical(&manifest, text, err)) {
        return false;
    }
    *ret_manifest = manifest;
    return true;
}
