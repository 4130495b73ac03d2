#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include "base/buf.h"
#include "base/err.h"

/* What an import would do, without a server: every problem of the package is read and nothing is
 * kept. */

/* Appends one JSON object: {"package","format","problems":[outcome...]}.
 *
 * Returns: true when the package could be looked through, whatever became of its problems;
 * *ret_refused says how many of them cannot be imported. */
checked bool dry_run_json(const char *path, const char *code, struct buf *into, int *ret_refused,
                          struct err *err);

/* The same for people, from that JSON. */
void dry_run_print(struct str json);

#endif
