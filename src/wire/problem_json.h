#ifndef WIRE_PROBLEM_JSON_H
#define WIRE_PROBLEM_JSON_H

#include "base/buf.h"
#include "base/err.h"

/* Errors over HTTP: application/problem+json of RFC 9457. One table says which status each kind of
 * error has; docs/api/errors.yaml says what the codes mean. */

#define PROBLEM_JSON_TYPE "application/problem+json"

struct problem_field {
    struct str field; /* member of the body, or "file:line" */
    struct str message;
};
struct problem_json {
    int status;
    const char *code;
    struct str detail;   /* for people, in English */
    struct str trace_id; /* empty: left out */
    const struct problem_field *fields;
    int field_count;
};

/* 400, 401, 403, 404, 409, 413, 422, 429, 503, 500: by the error's kind and, where one kind has
 * several, by its code. */
int problem_status(const struct err *err);
/* The code that others see: the error's own when docs/api/errors.yaml has it, else the general one
 * of its kind. What a module calls its errors inside is not part of the API. */
const char *problem_code(const struct err *err);
/* "Not Found" */
const char *problem_title(int status);

checked bool problem_encode(const struct problem_json *problem, struct buf *out, struct err *err);

/* Turns an answer of a server into the error that it reports: kind by status, code among those that
 * this program knows (else "server_error"), text from `detail`. Whatever the body is, *ret_error is
 * set to a failure. */
void problem_decode(int status, struct str body, struct err *ret_error);

#endif
