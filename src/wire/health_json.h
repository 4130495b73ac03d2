#ifndef WIRE_HEALTH_JSON_H
#define WIRE_HEALTH_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "data/digest.h"

/* What a node's own HTTPS address says to a server that looks at it. It proves that it has the
 * node's credential without showing it: both sides know the credential's SHA-256. */

#define HEALTH_PATH "/assize/health"
#define HEALTH_CHALLENGE_HEADER "X-Assize-Challenge"
#define HEALTH_CHALLENGE_CHARS 64 /* hex digits, fresh for each look */

struct health {
    struct str name;
    int32_t protocol_min;
    int32_t protocol_max;
    struct str config_digest; /* hex, as the node's session said */
    struct digest proof;
};

/* HMAC-SHA256 of the challenge, by the SHA-256 of the credential. */
struct digest health_proof(const struct digest *credential_digest, const char *challenge);

checked bool health_encode(const struct health *health, struct buf *out, struct err *err);
/* Unknown members are skipped. Errors as in machine_json.h. */
checked bool health_decode(struct str text, struct arena *arena, struct health *ret_health,
                           struct err *err);

#endif
