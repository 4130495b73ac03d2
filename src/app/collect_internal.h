#ifndef APP_COLLECT_INTERNAL_H
#define APP_COLLECT_INTERNAL_H

#include "app/app_internal.h"

/* Files that nothing refers to: of uploads that failed, of statements that were replaced.
 *
 * Mark: every manifest that a problem has or had, the files that it names, and the problems' own
 * files. A manifest that cannot be read ends the pass: nothing is removed on half a knowledge.
 * Sweep: a file that is not marked and was neither put nor kept for keep_files_ms. Whoever is about
 * to refer to a file puts or keeps it first, so that it is young while its row is written; the
 * store refuses to remove a young one (blob_remove), however late it was put.
 *
 * By one server at a time (maintenance_lease), a bounded number of files a pass. */

/* True when it removed some. */
bool collect_pass(struct app *app);

#endif
