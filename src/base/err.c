/* Failures as values: filled where they arise, wrapped on the way out. */
#include "base/err.h"

#include "base/check.h"
#include "base/str.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[ERR_KIND_COUNT] = {
    [ERR_NONE] = "none",
    [ERR_INVALID] = "invalid",
    [ERR_UNAUTHENTICATED] = "unauthenticated",
    [ERR_DENIED] = "denied",
    [ERR_MISSING] = "missing",
    [ERR_CONFLICT] = "conflict",
    [ERR_STALE] = "stale",
    [ERR_TOO_LARGE] = "too_large",
    [ERR_LIMITED] = "limited",
    [ERR_BUSY] = "busy",
    [ERR_CANCELLED] = "cancelled",
    [ERR_DEADLINE] = "deadline",
    [ERR_SYSTEM] = "system",
};

/* Room for a context and a text that both fill their maximum. */
#define SCRATCH_BYTES (2 * sizeof(((struct err *)0)->text) + 2)

/* Copies `text` into the error, cut at a character's border when it is too long. */
static void store_text(struct err *err, const char *text) {
    struct str fitting = str_utf8_prefix(str_from(text), sizeof(err->text) - 1);
    memcpy(err->text, fitting.ptr, fitting.len);
    err->text[fitting.len] = '\0';
}

bool err_set_at(struct err *err, enum err_kind kind, const char *code, int os_errno,
                const char *where, const char *format, ...) {
    CHECK(err != NULL);
    CHECK(kind > ERR_NONE && kind < ERR_KIND_COUNT);
    char scratch[SCRATCH_BYTES]; /* the arguments may point into the old err->text */
    va_list args;
    va_start(args, format);
    vsnprintf(scratch, sizeof(scratch), format, args);
    va_end(args);
    err->kind = kind;
    err->fault = FAULT_NONE;
    err->code = code;
    err->os_errno = os_errno;
    err->retry_ms = 0;
    err->where = where;
    store_text(err, scratch);
    return false;
}

bool err_system_at(struct err *err, const char *code, const char *where, const char *format, ...) {
    int os_errno = errno;
    char scratch[SCRATCH_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(scratch, sizeof(scratch), format, args);
    va_end(args);
    const char *reason = os_errno == 0 ? NULL : strerrordesc_np(os_errno);
    if (reason == NULL) {
        return err_set_at(err, ERR_SYSTEM, code, os_errno, where, "%s", scratch);
    }
    return err_set_at(err, ERR_SYSTEM, code, os_errno, where, "%s: %s", scratch, reason);
}

bool err_wrap(struct err *err, const char *format, ...) {
    CHECK(err->kind != ERR_NONE);
    char scratch[SCRATCH_BYTES];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(scratch, sizeof(scratch), format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < sizeof(scratch)) {
        size_t used = (size_t)length;
        snprintf(scratch + used, sizeof(scratch) - used, ": %s", err->text);
    }
    store_text(err, scratch);
    return false;
}

const char *err_kind_name(enum err_kind kind) {
    CHECK(kind >= ERR_NONE && kind < ERR_KIND_COUNT);
    return kind_names[kind];
}
