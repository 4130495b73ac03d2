#include "data/jwt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "data/digest.h"
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct jwt_key keys[] = {
    {.kid = "k2", .secret = {2, 2, 2}},
    {.kid = "k1", .secret = {1, 1, 1}},
};

static const struct jwt_claims ada = {
    .sub = 42, .sid = 77, .role = "teacher", .iat_s = 1000, .exp_s = 1300};

#define NOW_MS 1100000

static struct str signed_token(const struct jwt_key *key, const struct jwt_claims *claims,
                               struct buf *out) {
    struct err err = {0};
    buf_init(out, JWT_BYTES_MAX);
    assert_true(jwt_sign(key, claims, out, &err));
    return buf_str(out);
}

static bool accepted(struct str token) {
    struct jwt_claims claims = {0};
    struct err err = {0};
    bool fine = jwt_verify(token, keys, COUNT(keys), NOW_MS, &claims, &err);
    if (!fine) {
        assert_int_equal(err.kind, ERR_UNAUTHENTICATED);
        assert_string_equal(err.code, "bad_token");
        assert_int_equal(claims.sub, 0);
    }
    return fine;
}

static void a_signed_token_gives_its_claims_back(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(keys); i++) {
        own_buf out;
        struct str token = signed_token(&keys[i], &ada, &out);
        struct jwt_claims claims = {0};
        struct err err = {0};

        assert_true(jwt_verify(token, keys, COUNT(keys), NOW_MS, &claims, &err));

        assert_int_equal(claims.sub, 42);
        assert_int_equal(claims.sid, 77);
        assert_string_equal(claims.role, "teacher");
        assert_int_equal(claims.iat_s, 1000);
        assert_int_equal(claims.exp_s, 1300);
    }
}

static void the_form_is_that_of_the_standard(void **state) {
    (void)state;
    own_buf out;
    struct str token = signed_token(&keys[1], &ada, &out);
    struct str header;
    struct str rest;
    own_buf text;
    buf_init(&text, 200);

    assert_true(str_cut(token, '.', &header, &rest));
    assert_true(base64url_decode(header, &text));
    assert_string_equal(buf_c(&text), "{\"alg\":\"HS256\",\"kid\":\"k1\",\"typ\":\"JWT\"}");

    buf_clear(&text);
    struct str payload;
    struct str signature;
    assert_true(str_cut(rest, '.', &payload, &signature));
    assert_true(base64url_decode(payload, &text));
    assert_string_equal(buf_c(&text), "{\"sub\":42,\"sid\":77,\"role\":\"teacher\",\"iat\":1000,"
                                      "\"exp\":1300}");
}

static void a_token_ends_at_its_second(void **state) {
    (void)state;
    own_buf out;
    struct str token = signed_token(&keys[0], &ada, &out);
    struct jwt_claims claims = {0};
    struct err err = {0};

    assert_true(jwt_verify(token, keys, COUNT(keys), 1299999, &claims, &err));
    assert_false(jwt_verify(token, keys, COUNT(keys), 1300000, &claims, &err));

    assert_int_equal(err.kind, ERR_UNAUTHENTICATED);
    assert_string_equal(err.code, "token_expired");
}

static void check_every_bit(struct str token, char *bytes) {
    assert_true(accepted(token));
    for (size_t i = 0; i < token.len * 8; i++) {
        bytes[i / 8] = (char)(bytes[i / 8] ^ (1 << (i % 8)));
        assert_false(accepted(token));
        bytes[i / 8] = (char)(bytes[i / 8] ^ (1 << (i % 8)));
    }
    for (size_t len = 0; len < token.len; len++) {
        assert_false(accepted(str_sub(token, 0, len)));
    }
    assert_true(accepted(token));
}

static void no_bit_of_a_token_can_be_changed(void **state) {
    (void)state;
    for (int64_t user = 1; user <= 8; user++) { /* so that every symbol occurs in some signature */
        struct jwt_claims claims = ada;
        claims.sub = user;
        own_buf out;
        struct str token = signed_token(&keys[0], &claims, &out);
        check_every_bit(token, out.ptr);
    }
}

/* A token with this header and payload, correctly signed by a key of ours. */
static struct str forged(const char *header, const char *payload, struct buf *out) {
    buf_init(out, 4000);
    base64url_encode(str_from(header), out);
    buf_append_char(out, '.');
    base64url_encode(str_from(payload), out);
    struct digest code = hmac_sha256(str_of(keys[0].secret, sizeof(keys[0].secret)), buf_str(out));
    buf_append_char(out, '.');
    base64url_encode(str_of(code.bytes, sizeof(code.bytes)), out);
    return buf_str(out);
}

#define HEADER "{\"alg\":\"HS256\",\"kid\":\"k2\",\"typ\":\"JWT\"}"
#define PAYLOAD "{\"sub\":42,\"sid\":77,\"role\":\"a\",\"iat\":1000,\"exp\":1300}"

static void other_headers_are_refused_even_when_signed(void **state) {
    (void)state;
    static const char *const headers[] = {
        "{\"alg\":\"none\",\"kid\":\"k2\",\"typ\":\"JWT\"}",
        "{\"alg\":\"HS512\",\"kid\":\"k2\",\"typ\":\"JWT\"}",
        "{\"alg\":\"RS256\",\"kid\":\"k2\",\"typ\":\"JWT\"}",
        "{\"alg\":\"HS256\",\"kid\":\"k3\",\"typ\":\"JWT\"}",
        "{\"alg\":\"HS256\",\"kid\":\"k1\",\"typ\":\"JWT\"}", /* signed by k2's secret */
        "{\"alg\":\"HS256\",\"typ\":\"JWT\"}",
        "{\"alg\": \"HS256\",\"kid\":\"k2\",\"typ\":\"JWT\"}",
        "",
    };
    own_buf good;
    assert_true(accepted(forged(HEADER, PAYLOAD, &good)));
    for (size_t i = 0; i < COUNT(headers); i++) {
        own_buf out;
        assert_false(accepted(forged(headers[i], PAYLOAD, &out)));
    }
}

static void broken_claims_are_refused_even_when_signed(void **state) {
    (void)state;
    static const char *const payloads[] = {
        "",
        "{}",
        "[]",
        "null",
        "{\"sub\":\"42\",\"sid\":77,\"role\":\"a\",\"iat\":1000,\"exp\":1300}",
        "{\"sub\":42,\"sid\":77,\"role\":\"a\",\"iat\":1000}",
        "{\"sub\":42,\"sid\":77,\"role\":\"a\",\"iat\":1000,\"exp\":9223372036854775807}",
        "{\"sub\":-1,\"sid\":77,\"role\":\"a\",\"iat\":1000,\"exp\":1300}",
        "{\"sub\":42,\"sid\":77,\"role\":\"a\",\"iat\":1000,\"exp\":1300,\"exp\":9999}",
    };
    for (size_t i = 0; i < COUNT(payloads); i++) {
        own_buf out;
        assert_false(accepted(forged(HEADER, payloads[i], &out)));
    }
    char long_role[200];
    snprintf(long_role, sizeof(long_role),
             "{\"sub\":1,\"sid\":1,\"role\":\"%032d\",\"iat\":1,\"exp\":1300}", 7);
    own_buf out;
    assert_false(accepted(forged(HEADER, long_role, &out)));
}

static void what_is_no_token_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"", ".", "..", "...", "a.b.c", "a.b", "eyJ.eyJ."};
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_false(accepted(str_from(texts[i])));
    }
    own_buf out;
    struct str token = signed_token(&keys[0], &ada, &out);
    struct jwt_claims claims = {0};
    struct err err = {0};
    assert_false(jwt_verify(token, keys, 0, NOW_MS, &claims, &err));

    char endless[JWT_BYTES_MAX + 1];
    memset(endless, 'a', sizeof(endless));
    assert_false(accepted(str_of(endless, sizeof(endless))));
}

static void a_buffer_too_small_is_reported(void **state) {
    (void)state;
    own_buf out;
    buf_init(&out, 50);
    struct err err = {0};

    assert_false(jwt_sign(&keys[0], &ada, &out, &err));

    assert_int_equal(err.kind, ERR_TOO_LARGE);
}

static void the_largest_claims_fit(void **state) {
    (void)state;
    struct jwt_claims most = {.sub = ID_MAX, .sid = ID_MAX, .iat_s = 1, .exp_s = 4102444800};
    memset(most.role, '"', sizeof(most.role) - 1);
    struct jwt_key key = {.kid = "01234567890123456789012345678901"};
    own_buf out;
    struct jwt_claims claims = {0};
    struct err err = {0};

    struct str token = signed_token(&key, &most, &out);

    assert_true(jwt_verify(token, &key, 1, NOW_MS, &claims, &err));
    assert_string_equal(claims.role, most.role);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signed_token_gives_its_claims_back),
        cmocka_unit_test(the_form_is_that_of_the_standard),
        cmocka_unit_test(a_token_ends_at_its_second),
        cmocka_unit_test(no_bit_of_a_token_can_be_changed),
        cmocka_unit_test(other_headers_are_refused_even_when_signed),
        cmocka_unit_test(broken_claims_are_refused_even_when_signed),
        cmocka_unit_test(what_is_no_token_is_refused),
        cmocka_unit_test(a_buffer_too_small_is_reported),
        cmocka_unit_test(the_largest_claims_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
