#ifndef STORE_MANIFEST_STORE_H
#define STORE_MANIFEST_STORE_H

#include "data/digest.h"
#include "domain/ids.h"
#include "store/db.h"

/* Manifests, immutable and named by their digest, and which versions a problem has had. Their text
 * is a blob like any other. */

/* Fine when it is there already: problems may share one. */
checked bool manifest_store_add(struct db *db, const struct digest *manifest, int64_t bytes,
                                int64_t now_ms, struct err *err);

/* Adds the problem's next version, numbered from 1, which must be locked. */
checked bool manifest_store_add_version(struct db *db, struct problem_id problem,
                                        const struct digest *manifest, int64_t now_ms,
                                        int64_t *ret_version, struct err *err);

#endif
