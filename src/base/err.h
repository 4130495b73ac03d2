#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

/* One shape for failure. A function that can fail returns bool: true means done, false means *err
 * says why. The error is a fixed-size value on the top caller's stack, so reporting never
 * allocates. `kind` chooses HTTP status and exit code in one table each; `text` grows outward by
 * err_wrap; `where` is the place of origin. Why this shape: docs/decisions/0001-error-shape.md */

enum err_kind {
    ERR_NONE,
    ERR_INVALID,         /* the input is wrong */
    ERR_UNAUTHENTICATED, /* nobody known is asking */
    ERR_DENIED,          /* known, but not allowed */
    ERR_MISSING,         /* no such thing */
    ERR_CONFLICT,        /* the state does not allow it now */
    ERR_STALE,           /* the caller saw an older revision */
    ERR_TOO_LARGE,       /* over a limit of base/limits.h */
    ERR_LIMITED,         /* too many requests: try later */
    ERR_BUSY,            /* full or starting: try again */
    ERR_CANCELLED,
    ERR_DEADLINE,
    ERR_SYSTEM, /* ours: disk, memory, kernel, database */
    ERR_KIND_COUNT,
};

/* Whose fault a failed judging is (DESIGN section 4). FAULT_NONE outside judging. */
enum fault {
    FAULT_NONE,
    FAULT_NODE,    /* sandbox, disk, network: retried elsewhere, counts against the node */
    FAULT_PROBLEM, /* checker or data broken: counts against the manifest */
    FAULT_JOB,     /* crashed two different nodes: stop */
};

struct err {
    enum err_kind kind;
    enum fault fault;
    const char *code;  /* stable, static storage, for problem+json: "lease_expired" */
    int os_errno;      /* 0 when no system call failed */
    int retry_ms;      /* ERR_LIMITED, ERR_BUSY: how long to wait; 0: not known */
    const char *where; /* "file.c:42", static storage: the place of origin */
    char text[256];
};

/* gcc keeps warning even after a (void) cast. */
#define checked __attribute__((warn_unused_result))

#define ERR_STRINGIFY2(x) #x
#define ERR_STRINGIFY(x) ERR_STRINGIFY2(x)
#define ERR_WHERE __FILE__ ":" ERR_STRINGIFY(__LINE__)

/* Fills *err and returns false, so that `return err_set(...)` reads as "fail with". `code` must
 * have static storage. `err` may not be NULL. */
#define err_set(err, kind, code, ...) err_set_at((err), (kind), (code), 0, ERR_WHERE, __VA_ARGS__)

/* As err_set with ERR_SYSTEM, and keeps the current errno and its text. */
#define err_system(err, code, ...) err_system_at((err), (code), ERR_WHERE, __VA_ARGS__)

bool err_set_at(struct err *err, enum err_kind kind, const char *code, int os_errno,
                const char *where, const char *format, ...) __attribute__((format(printf, 6, 7)));
bool err_system_at(struct err *err, const char *code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Puts "<context>: " before the text and returns false. Text that no longer fits is cut at its end.
 */
bool err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As err_set, and marks whose fault the failed judging is. */
#define err_fault(err, fault_, kind, code, ...)                                                    \
    ((void)err_set((err), (kind), (code), __VA_ARGS__), (err)->fault = (fault_), false)

/* Stable lower-case name of a kind: "invalid", "system". */
const char *err_kind_name(enum err_kind kind);

#endif
