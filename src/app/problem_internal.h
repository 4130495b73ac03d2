#ifndef APP_PROBLEM_INTERNAL_H
#define APP_PROBLEM_INTERNAL_H

#include "app/app_internal.h"
#include "app/problem.h"
#include "store/problem_part_store.h"
#include "store/problem_store.h"

/* What the files about problems share: problem.c (reading), problem_import.c (a package becomes
 * rows and blobs), problem_write.c (the transaction). */

/* Texts are borrowed from the row, titles live in `arena`. */
void problem_summary_from_row(const struct problem_row *row, enum verdict best, struct arena *arena,
                              struct problem_summary *ret_summary);

struct problem_write {
    const struct actor *actor;
    struct problem_row row; /* all but id, revision and times */
    struct problem_parts parts;
    int64_t manifest_bytes;
    const struct blob_ref *blobs; /* all files that the rows name, the manifest's text too */
    int blob_count;
    struct arena *arena;
    /* out */
    bool created;
};
/* Waits for the commit. Makes the problem of row.code, or gives it a new version: jobs that were
 * accepted keep the manifest they have. Fills row.id and the times. The blobs are stored already.
 * Errors: ERR_DENIED "not_allowed"; ERR_BUSY when somebody else made a problem of that code at the
 *         same moment. */
checked bool problem_write(struct app *app, struct problem_write *write, struct err *err);

#endif
