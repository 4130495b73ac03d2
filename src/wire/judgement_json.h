#ifndef WIRE_JUDGEMENT_JSON_H
#define WIRE_JUDGEMENT_JSON_H

#include "base/arena.h"
#include "data/json.h"
#include "data/json_write.h"
#include "domain/judgement.h"

/* A judgement as JSON: what a node sends as its result and `assize run --json` builds on. One
 * judgement has one text: members in a fixed order, no white space. */

/* Appends the JSON. Texts over the limits of the contract are cut at a whole character, so that a
 * result can always be sent.
 * Errors: ERR_TOO_LARGE when `out` is full. */
checked bool judgement_encode(const struct judgement *judgement, struct buf *out, struct err *err);

/* Reads what judgement_encode wrote; the order of members is free. Everything lives in `arena`.
 * Refused, beside wrong types: unknown members; a verdict that no node may give (SYSTEM_ERROR,
 * CANCELLED, for a case also COMPILE_ERROR); cases that are out of order, twice, or beyond
 * casesTotal; a casesPassed that is not the number of accepted cases; a failed compile step without
 * COMPILE_ERROR, COMPILE_ERROR without one, and cases after it.
 * Errors: as the _decode functions of wire/machine_json.h. */
checked bool judgement_decode(struct str text, struct arena *arena, struct judgement *ret_judgement,
                              struct err *err);
checked bool judgement_from_json(const struct json *object, struct arena *arena,
                                 struct judgement *ret_judgement, struct err *err);

/* What stands in a case beside what always does. */
enum case_part {                 /* bits */
                 CASE_SCORE = 1, /* scoreMicro */
                 CASE_STAFF =
                     2, /* staffMessage, when there is one: only for those who may read it */
};

/* One case, numbered from 1: index, name, sample, verdict, cpuMs, wallMs, memoryKb, message (null
 * when empty) and the `parts`, enum case_part bits. The public API shows cases in the same shape.
 */
void case_result_write(struct jw *json, const struct case_result *result, unsigned parts);
checked bool case_result_from_json(const struct json *object, unsigned parts, struct arena *arena,
                                   struct case_result *ret_result, struct err *err);

#endif
