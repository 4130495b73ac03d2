#ifndef STORE_SOURCE_STORE_H
#define STORE_SOURCE_STORE_H

#include "domain/ids.h"
#include "store/compress.h"
#include "store/db.h"

/* What was handed in, beside its submission. */

struct source_row {
    uint8_t sha256[32];
    struct packed packed;
};

checked bool source_store_insert(struct db *db, struct submission_id id,
                                 const struct source_row *source, struct err *err);
/* ERR_MISSING "no_submission". */
checked bool source_store_get(struct db *db, struct submission_id id, struct arena *arena,
                              struct str *ret_source, uint8_t ret_sha256[32], struct err *err);

#endif
