#ifndef DATA_JWT_H
#define DATA_JWT_H

#include "base/buf.h"

/* JSON web tokens, HS256 and nothing else. The header is not parsed: a token must begin with
 * exactly the header that one of our keys would write, so there is no algorithm to confuse. */

#define JWT_KID_BYTES 33 /* with NUL */
#define JWT_ROLE_BYTES 32
#define JWT_SECRET_BYTES 32

struct jwt_key {
    char kid[JWT_KID_BYTES]; /* letters, digits, '-' and '_' */
    uint8_t secret[JWT_SECRET_BYTES];
};

struct jwt_claims {
    int64_t sub; /* user */
    int64_t sid; /* user session */
    char role[JWT_ROLE_BYTES];
    int64_t iat_s; /* seconds since 1970, as RFC 7519 wants */
    int64_t exp_s;
};

/* Appends the token to `out`.
 * Errors: ERR_TOO_LARGE when `out` is full. */
checked bool jwt_sign(const struct jwt_key *key, const struct jwt_claims *claims, struct buf *out,
                      struct err *err);

/* Accepts a token signed by any of the keys (rotation keeps old ones for a while).
 * Errors: ERR_UNAUTHENTICATED "bad_token" (malformed, other algorithm, unknown key, wrong
 *         signature), "token_expired" (now_ms is at or past exp). */
checked bool jwt_verify(struct str token, const struct jwt_key *keys, size_t key_count,
                        int64_t now_ms, struct jwt_claims *ret_claims, struct err *err);

#endif
