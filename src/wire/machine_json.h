#ifndef WIRE_MACHINE_JSON_H
#define WIRE_MACHINE_JSON_H

#include "base/buf.h"
#include "wire/machine_api.h"

/* JSON of the messages in wire/machine_api.h. `_encode` appends the JSON text, `_decode` reads it;
 * every message has both, so that either side and the tests use the same code.
 *
 * Requests are read strictly: an unknown member is refused. In answers unknown members are skipped,
 * so that an older node understands a newer server. Texts and lists of what was decoded live in
 * `arena`; `text` may die after the call.
 *
 * Errors of _encode: ERR_TOO_LARGE when the buffer is full. Values that the contract does not allow
 *                    are our own mistake and abort.
 * Errors of _decode: ERR_INVALID "bad_json", "unknown_field", "missing_field", "bad_field";
 *                    ERR_TOO_LARGE "field_too_long". The text names the field. */

/* Join, session, heartbeat, claim, renew, failure and release. */
#define MACHINE_MESSAGE_BYTES_MAX (64 * KIB)
#define MACHINE_CLAIM_ANSWER_BYTES_MAX (256 * KIB)
#define MACHINE_PROGRESS_BYTES_MAX (1 * MIB)
#define MACHINE_RESULT_BYTES_MAX (RESULT_BYTES_MAX + 4 * KIB)

/* POST /api/v1/internal/judgers/join */
checked bool machine_join_encode(const struct machine_join *message, struct buf *out,
                                 struct err *err);
checked bool machine_join_decode(struct str text, struct arena *arena, struct machine_join *ret,
                                 struct err *err);
checked bool machine_join_answer_encode(const struct machine_join_answer *message, struct buf *out,
                                        struct err *err);
checked bool machine_join_answer_decode(struct str text, struct arena *arena,
                                        struct machine_join_answer *ret, struct err *err);

/* POST .../session */
checked bool machine_session_encode(const struct machine_session *message, struct buf *out,
                                    struct err *err);
checked bool machine_session_decode(struct str text, struct arena *arena,
                                    struct machine_session *ret, struct err *err);
checked bool machine_session_answer_encode(const struct machine_session_answer *message,
                                           struct buf *out, struct err *err);
checked bool machine_session_answer_decode(struct str text, struct machine_session_answer *ret,
                                           struct err *err);

/* POST .../heartbeat */
checked bool machine_heartbeat_encode(const struct machine_heartbeat *message, struct buf *out,
                                      struct err *err);
checked bool machine_heartbeat_decode(struct str text, struct machine_heartbeat *ret,
                                      struct err *err);
checked bool machine_heartbeat_answer_encode(const struct machine_heartbeat_answer *message,
                                             struct buf *out, struct err *err);
checked bool machine_heartbeat_answer_decode(struct str text, struct machine_heartbeat_answer *ret,
                                             struct err *err);

/* POST .../checks/{id}/result */
#define MACHINE_CHECK_BYTES_MAX (256 * KIB)
checked bool machine_check_result_encode(const struct machine_check_result *message,
                                         struct buf *out, struct err *err);
checked bool machine_check_result_decode(struct str text, int64_t check, struct arena *arena,
                                         struct machine_check_result *ret, struct err *err);
/* POST .../out-of-service */
checked bool machine_out_encode(const struct machine_out *message, struct buf *out,
                                struct err *err);
checked bool machine_out_decode(struct str text, struct arena *arena, struct machine_out *ret,
                                struct err *err);

/* POST .../jobs/claim */
checked bool machine_claim_encode(const struct machine_claim *message, struct buf *out,
                                  struct err *err);
checked bool machine_claim_decode(struct str text, struct machine_claim *ret, struct err *err);
checked bool machine_claim_answer_encode(const struct machine_claim_answer *message,
                                         struct buf *out, struct err *err);
checked bool machine_claim_answer_decode(struct str text, struct arena *arena,
                                         struct machine_claim_answer *ret, struct err *err);

/* POST .../jobs/renew */
checked bool machine_renew_encode(const struct machine_renew *message, struct buf *out,
                                  struct err *err);
checked bool machine_renew_decode(struct str text, struct arena *arena, struct machine_renew *ret,
                                  struct err *err);
checked bool machine_renew_answer_encode(const struct machine_renew_answer *message,
                                         struct buf *out, struct err *err);
checked bool machine_renew_answer_decode(struct str text, struct arena *arena,
                                         struct machine_renew_answer *ret, struct err *err);

/* POST .../jobs/progress; answered by 204 */
checked bool machine_progress_encode(const struct machine_progress *message, struct buf *out,
                                     struct err *err);
checked bool machine_progress_decode(struct str text, struct arena *arena,
                                     struct machine_progress *ret, struct err *err);

/* POST .../jobs/{id}/result: `job` is the one of the address. */
checked bool machine_result_encode(const struct machine_result *message, struct buf *out,
                                   struct err *err);
/* ret->text borrows from `text`: the result's bytes as they were sent. *ret_judgement is what they
 * say, by the rules of judgement_decode. Whether the digest is right is not checked here. */
checked bool machine_result_decode(struct str text, struct job_id job, struct arena *arena,
                                   struct machine_result *ret, struct judgement *ret_judgement,
                                   struct err *err);
checked bool machine_result_answer_encode(const struct machine_result_answer *message,
                                          struct buf *out, struct err *err);
checked bool machine_result_answer_decode(struct str text, struct machine_result_answer *ret,
                                          struct err *err);

/* POST .../jobs/{id}/failure */
checked bool machine_failure_encode(const struct machine_failure *message, struct buf *out,
                                    struct err *err);
checked bool machine_failure_decode(struct str text, struct job_id job, struct arena *arena,
                                    struct machine_failure *ret, struct err *err);
checked bool machine_failure_answer_encode(const struct machine_failure_answer *message,
                                           struct buf *out, struct err *err);
checked bool machine_failure_answer_decode(struct str text, struct machine_failure_answer *ret,
                                           struct err *err);

/* POST .../jobs/release */
checked bool machine_release_encode(const struct machine_release *message, struct buf *out,
                                    struct err *err);
checked bool machine_release_decode(struct str text, struct arena *arena,
                                    struct machine_release *ret, struct err *err);
checked bool machine_release_answer_encode(const struct machine_release_answer *message,
                                           struct buf *out, struct err *err);
checked bool machine_release_answer_decode(struct str text, struct machine_release_answer *ret,
                                           struct err *err);

/* GET .../jobs/{id}/artifacts/{digest}: the lease stands in headers. */
#define MACHINE_HEADER_SESSION "X-Assize-Session"
#define MACHINE_HEADER_LEASE_EPOCH "X-Assize-Lease-Epoch"
#define MACHINE_HEADER_LEASE_TOKEN "X-Assize-Lease-Token"
#define MACHINE_TOKEN_CHARS 16 /* lease tokens and claim ids: lower-case hex */
void machine_token_hex(uint64_t token, char out[MACHINE_TOKEN_CHARS + 1]);
bool machine_token_parse(struct str text, uint64_t *ret_token);

#endif
