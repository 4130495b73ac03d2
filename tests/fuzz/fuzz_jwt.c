/* Tokens as data/jwt.h checks them, and base64url below it.
 *
 * Holds: a token that is accepted is the very text that jwt_sign writes for its claims, so there is
 * no second spelling; a claim that is accepted lies within its range, even when someone who has the
 * key signed rubbish; a refusal is ERR_UNAUTHENTICATED and leaves the claims alone; what base64url
 * decodes is encoded to the same text. */
#include "base/check.h"
#include "base/limits.h"
#include "data/digest.h"
#include "data/jwt.h"
#include <string.h>

#define NOW_MS INT64_C(1796032991042)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const struct jwt_key key = {.kid = "fuzz", .secret = {'s', 'e', 'c', 'r', 'e', 't'}};

static bool verify(struct str token, struct jwt_claims *claims) {
    struct err err = {0};
    *claims = (struct jwt_claims){.sub = -5};
    if (!jwt_verify(token, &key, 1, NOW_MS, claims, &err)) {
        CHECK(err.kind == ERR_UNAUTHENTICATED);
        CHECK(claims->sub == -5);
        return false;
    }
    CHECK(claims->sub >= 0 && claims->sub <= ID_MAX);
    CHECK(claims->sid >= 0 && claims->sid <= ID_MAX);
    CHECK(claims->exp_s * 1000 > NOW_MS);
    CHECK(memchr(claims->role, '\0', sizeof(claims->role)) != NULL);
    return true;
}

static void check_token(struct str token) {
    struct jwt_claims claims;
    if (!verify(token, &claims)) {
        return;
    }
    own_buf again = {0};
    struct err err = {0};
    buf_init(&again, JWT_BYTES_MAX);
    CHECK(jwt_sign(&key, &claims, &again, &err));
    CHECK(str_eq(buf_str(&again), token));
}

/* The bytes as a payload under the right header, signed by the right key. */
static void check_signed_rubbish(struct str payload) {
    own_buf token = {0};
    struct jwt_claims claims;
    buf_init(&token, 4 * MIB);
    base64url_encode(STR("{\"alg\":\"HS256\",\"kid\":\"fuzz\",\"typ\":\"JWT\"}"), &token);
    buf_append_char(&token, '.');
    base64url_encode(payload, &token);
    struct digest code = hmac_sha256(str_of(key.secret, sizeof(key.secret)), buf_str(&token));
    buf_append_char(&token, '.');
    base64url_encode(str_of(code.bytes, sizeof(code.bytes)), &token);
    verify(buf_str(&token), &claims);
}

static void check_base64url(struct str text) {
    own_buf bytes = {0};
    own_buf again = {0};
    buf_init(&bytes, 4 * MIB);
    buf_init(&again, 4 * MIB);
    if (base64url_decode(text, &bytes)) {
        CHECK(base64url_encode(buf_str(&bytes), &again));
        CHECK(str_eq(buf_str(&again), text));
    }
    buf_clear(&bytes);
    buf_clear(&again);
    CHECK(base64url_encode(text, &again));
    CHECK(base64url_decode(buf_str(&again), &bytes));
    CHECK(str_eq(buf_str(&bytes), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct str text = str_of(bytes, count < MIB ? count : MIB);
    check_token(text);
    check_signed_rubbish(text);
    check_base64url(text);
    return 0;
}
