/* One event, one line, one write: lines of several threads or processes do not mix. */
#include "base/log.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/clock.h"
#include <errno.h>
#include <unistd.h>

#define LINE_BYTES_MAX ((size_t)16 * 1024)
#define FIELD_TEXT_BYTES_MAX ((size_t)2 * 1024)

/* Written by log_setup before the first thread starts, only read afterwards. */
static struct {
    enum log_level level;
    enum log_format format;
    int fd;
    const char *role;
} setup = {.level = LOG_INFO, .format = LOG_FORMAT_JSON, .fd = STDERR_FILENO, .role = NULL};

static const char *const level_names[] = {
    [LOG_DEBUG] = "debug", [LOG_INFO] = "info", [LOG_WARN] = "warn", [LOG_ERROR] = "error"};

#define LEVEL_COUNT (sizeof(level_names) / sizeof(level_names[0]))

void log_setup(enum log_level level, enum log_format format, int fd, const char *role) {
    setup.level = level;
    setup.format = format;
    setup.fd = fd;
    setup.role = role;
}

bool log_level_parse(struct str text, enum log_level *ret_level) {
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        if (str_eq_c(text, level_names[i])) {
            *ret_level = (enum log_level)i;
            return true;
        }
    }
    return false;
}

static struct str field_text(const struct log_field *field) {
    return str_utf8_prefix(field->text, FIELD_TEXT_BYTES_MAX);
}

static void append_err_json(struct buf *line, const struct err *err) {
    buf_printf(line, "{\"kind\":\"%s\",\"code\":", err_kind_name(err->kind));
    buf_append_json(line, str_from(err->code));
    buf_append_c(line, ",\"text\":");
    buf_append_json(line, str_from(err->text));
    buf_append_c(line, ",\"where\":");
    buf_append_json(line, str_from(err->where));
    buf_append_char(line, '}');
}

static void append_value_json(struct buf *line, const struct log_field *field) {
    switch (field->kind) {
    case LOG_FIELD_I64: buf_append_i64(line, field->number); break;
    case LOG_FIELD_STR: buf_append_json(line, field_text(field)); break;
    case LOG_FIELD_BOOL: buf_append_c(line, field->number != 0 ? "true" : "false"); break;
    case LOG_FIELD_ERR: append_err_json(line, field->err); break;
    case LOG_FIELD_END: CHECK(false);
    }
}

static void append_value_text(struct buf *line, const struct log_field *field) {
    if (field->kind != LOG_FIELD_ERR) {
        append_value_json(line, field);
        return;
    }
    buf_append_json(line, str_from(field->err->text));
    buf_printf(line, " code=%s", field->err->code == NULL ? "-" : field->err->code);
}

static void append_head(struct buf *line, enum log_level level, const char *event) {
    char time[CLOCK_RFC3339_BYTES];
    clock_rfc3339(clock_utc_ms(&clock_real), time);
    const char *role = setup.role == NULL ? "" : setup.role;
    if (setup.format == LOG_FORMAT_TEXT) {
        buf_printf(line, "%s %-5s %s%s%s", time, level_names[level], role, *role ? " " : "", event);
        return;
    }
    buf_printf(line, "{\"time\":\"%s\",\"level\":\"%s\"", time, level_names[level]);
    if (*role != '\0') {
        buf_append_c(line, ",\"role\":");
        buf_append_json(line, str_from(role));
    }
    buf_append_c(line, ",\"event\":");
    buf_append_json(line, str_from(event));
}

/* Appends as many fields as fit; false when some did not. The line stays complete either way. */
static bool append_fields(struct buf *line, const struct log_field *fields) {
    bool json = setup.format == LOG_FORMAT_JSON;
    for (const struct log_field *field = fields; field->kind != LOG_FIELD_END; field++) {
        size_t before = line->len;
        buf_printf(line, json ? ",\"%s\":" : " %s=", field->name);
        if (json) {
            append_value_json(line, field);
        } else {
            append_value_text(line, field);
        }
        if (line->full) {
            line->len = before;
            line->full = false;
            return false;
        }
    }
    return true;
}

static void write_line(struct str line) {
    while (line.len > 0) {
        ssize_t written = write(setup.fd, line.ptr, line.len);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return; /* nowhere is left to say that the log cannot be written */
        }
        line = str_sub(line, (size_t)written, line.len);
    }
}

void log_write(enum log_level level, const char *event, const struct log_field *fields) {
    CHECK((size_t)level < LEVEL_COUNT);
    if (level < setup.level) {
        return;
    }
    int kept = errno;
    own_buf line;
    buf_init(&line, LINE_BYTES_MAX);
    append_head(&line, level, event);
    bool whole = append_fields(&line, fields);
    line.bytes_max += 32; /* the end always fits */
    if (setup.format == LOG_FORMAT_JSON) {
        buf_append_c(&line, whole ? "}\n" : ",\"cut\":true}\n");
    } else {
        buf_append_c(&line, whole ? "\n" : " cut=true\n");
    }
    write_line(buf_str(&line));
    errno = kept;
}
