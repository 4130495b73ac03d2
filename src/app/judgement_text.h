#ifndef APP_JUDGEMENT_TEXT_H
#define APP_JUDGEMENT_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "data/json.h"
#include "data/json_write.h"
#include "domain/judgement.h"

/* A judgement as stored in job_result: one JSON object, cases as arrays without names. */

checked bool judgement_write(const struct judgement *judgement, struct buf *into, struct err *err);
/* The cases alone, as an array: for progress on its way between servers. Reading gives ERR_INVALID.
 */
void judgement_write_cases(struct jw *json, const struct case_result *cases, int32_t count);
checked bool judgement_read_cases(const struct json *array, struct arena *arena,
                                  struct case_result **ret_cases, int32_t *ret_count,
                                  struct err *err);
/* Errors: ERR_SYSTEM "bad_row" when the text is none of ours. Everything lives in `arena`. */
checked bool judgement_read(struct str stored, struct arena *arena, struct judgement *ret_judgement,
                            struct err *err);

#endif
