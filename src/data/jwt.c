/* JSON web tokens: header.payload.signature, each in base64url. */
#include "data/jwt.h"

#include "base/check.h"
#include "base/limits.h"
#include "data/digest.h"
#include "data/json.h"
#include "data/json_write.h"
#include <string.h>

#define HEADER_BYTES_MAX 256
#define PAYLOAD_BYTES_MAX 512
#define SECONDS_MAX (INT64_C(1) << 40) /* so that milliseconds cannot overflow */

static void check_kid(const char *kid) {
    CHECK(kid[0] != '\0');
    for (size_t i = 0; kid[i] != '\0'; i++) {
        char c = kid[i];
        CHECK((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '_');
    }
}

/* The one header that `key` writes, encoded. */
static void append_header(const struct jwt_key *key, struct buf *out) {
    check_kid(key->kid);
    own_buf json;
    buf_init(&json, HEADER_BYTES_MAX);
    buf_printf(&json, "{\"alg\":\"HS256\",\"kid\":\"%s\",\"typ\":\"JWT\"}", key->kid);
    base64url_encode(buf_str(&json), out);
}

static struct digest signature_of(const struct jwt_key *key, struct str signed_part) {
    return hmac_sha256(str_of(key->secret, sizeof(key->secret)), signed_part);
}

static bool append_payload(const struct jwt_claims *claims, struct buf *out, struct err *err) {
    own_buf payload;
    buf_init(&payload, PAYLOAD_BYTES_MAX);
    struct jw json;
    jw_init(&json, &payload);
    jw_object_begin(&json);
    jw_put_i64(&json, "sub", claims->sub);
    jw_put_i64(&json, "sid", claims->sid);
    jw_put_cstr(&json, "role", claims->role);
    jw_put_i64(&json, "iat", claims->iat_s);
    jw_put_i64(&json, "exp", claims->exp_s);
    jw_object_end(&json);
    if (!jw_finish(&json, "the token's claims", err)) {
        return false;
    }
    base64url_encode(buf_str(&payload), out);
    return true;
}

bool jwt_sign(const struct jwt_key *key, const struct jwt_claims *claims, struct buf *out,
              struct err *err) {
    size_t start = out->len;
    append_header(key, out);
    buf_append_char(out, '.');
    if (!append_payload(claims, out, err)) {
        return false;
    }
    struct str signed_part = str_sub(buf_str(out), start, out->len);
    struct digest signature = signature_of(key, signed_part);
    buf_append_char(out, '.');
    base64url_encode(str_of(signature.bytes, sizeof(signature.bytes)), out);
    return buf_ok(out, "the token", err);
}

static bool bad_token(struct err *err) {
    /* One text for every reason: the answer must not help to forge. */
    return err_set(err, ERR_UNAUTHENTICATED, "bad_token", "the token is not valid: sign in again");
}

static const struct jwt_key *key_with_header(const struct jwt_key *keys, size_t key_count,
                                             struct str header) {
    for (size_t i = 0; i < key_count; i++) {
        own_buf expected;
        buf_init(&expected, HEADER_BYTES_MAX);
        append_header(&keys[i], &expected);
        if (str_eq(header, buf_str(&expected))) {
            return &keys[i];
        }
    }
    return NULL;
}

static bool signature_fits(const struct jwt_key *key, struct str signed_part, struct str encoded) {
    own_buf given;
    buf_init(&given, HEADER_BYTES_MAX);
    struct digest expected = signature_of(key, signed_part);
    return base64url_decode(encoded, &given) && given.len == sizeof(expected.bytes) &&
           bytes_equal(given.ptr, expected.bytes, sizeof(expected.bytes));
}

static bool read_claims(struct str payload, struct jwt_claims *ret_claims, struct err *err) {
    own_buf text;
    buf_init(&text, PAYLOAD_BYTES_MAX);
    own(json) value = NULL;
    struct jwt_claims claims = {0};
    struct str role = STR("");
    if (!base64url_decode(payload, &text) || !jr_parse(buf_str(&text), &value, err) ||
        !jr_i64(value, "sub", 0, ID_MAX, &claims.sub, err) ||
        !jr_i64(value, "sid", 0, ID_MAX, &claims.sid, err) ||
        !jr_str(value, "role", sizeof(claims.role) - 1, &role, err) ||
        !jr_i64(value, "iat", 0, SECONDS_MAX, &claims.iat_s, err) ||
        !jr_i64(value, "exp", 0, SECONDS_MAX, &claims.exp_s, err) ||
        !str_to_c(role, claims.role, sizeof(claims.role), err)) {
        return bad_token(err);
    }
    *ret_claims = claims;
    return true;
}

bool jwt_verify(struct str token, const struct jwt_key *keys, size_t key_count, int64_t now_ms,
                struct jwt_claims *ret_claims, struct err *err) {
    struct str signed_part = STR("");
    struct str signature = STR("");
    struct str header = STR("");
    struct str payload = STR("");
    if (token.len > JWT_BYTES_MAX || !str_cut_last(token, '.', &signed_part, &signature) ||
        !str_cut(signed_part, '.', &header, &payload)) {
        return bad_token(err);
    }
    const struct jwt_key *key = key_with_header(keys, key_count, header);
    struct jwt_claims claims = {0};
    if (key == NULL || !signature_fits(key, signed_part, signature)) {
        return bad_token(err);
    }
    if (!read_claims(payload, &claims, err)) {
        return false;
    }
    if (now_ms >= claims.exp_s * 1000) {
        return err_set(err, ERR_UNAUTHENTICATED, "token_expired",
                       "the token has expired: sign in again");
    }
    *ret_claims = claims;
    return true;
}
