#ifndef STORE_RESULT_STORE_H
#define STORE_RESULT_STORE_H

#include "domain/ids.h"
#include "store/compress.h"
#include "store/db.h"

/* A settled job's result with its cases, in one row. */

checked bool result_store_insert(struct db *db, struct job_id id, const struct packed *result,
                                 struct err *err);
checked bool result_store_get(struct db *db, struct job_id id, struct arena *arena,
                              struct str *ret_result, bool *ret_found, struct err *err);

#endif
