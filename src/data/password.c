/* Argon2id by libsodium: hashing, checking, and passwords made for people to type. */
#include "data/password.h"

#include "base/check.h"
#include "base/limits.h"
#include <sodium.h>

const struct password_cost password_cost_default = {.memory_bytes = 19 * MIB, .passes = 2};
const struct password_cost password_cost_test = {.memory_bytes = 8 * KIB, .passes = 1};

static_assert(PASSWORD_HASH_BYTES == crypto_pwhash_STRBYTES, "the library's size is ours");

#define GROUPS 4
#define GROUP_SYMBOLS 4

bool password_check(struct str password, struct err *err) {
    if (password.len < PASSWORD_BYTES_MIN || password.len > PASSWORD_BYTES_MAX) {
        return err_set(err, ERR_INVALID, "bad_password", "a password must have %d to %d bytes",
                       PASSWORD_BYTES_MIN, PASSWORD_BYTES_MAX);
    }
    if (!str_is_utf8(password) || str_has_nul(password)) {
        return err_set(err, ERR_INVALID, "bad_password", "a password must be text in UTF-8");
    }
    return true;
}

bool password_hash(struct str password, const struct password_cost *cost,
                   char out[PASSWORD_HASH_BYTES], struct err *err) {
    CHECK(sodium_init() >= 0); /* picks the random source; harmless when done before */
    if (password.len > PASSWORD_BYTES_MAX) {
        return err_set(err, ERR_INVALID, "bad_password", "a password has at most %d bytes",
                       PASSWORD_BYTES_MAX);
    }
    char hash[PASSWORD_HASH_BYTES];
    if (crypto_pwhash_str_alg(hash, password.ptr, password.len, (unsigned long long)cost->passes,
                              (size_t)cost->memory_bytes, crypto_pwhash_ALG_ARGON2ID13) != 0) {
        return err_system(err, "no_memory", "cannot hash a password with %lld bytes of memory",
                          (long long)cost->memory_bytes);
    }
    for (size_t i = 0; i < sizeof(hash); i++) {
        out[i] = hash[i];
    }
    return true;
}

/* Copies a hash into the fixed space that the library reads; false when it cannot be one. */
static bool hash_fits(const char *hash, char out[PASSWORD_HASH_BYTES]) {
    struct err ignored = {0};
    return hash != NULL && str_to_c(str_from(hash), out, PASSWORD_HASH_BYTES, &ignored);
}

bool password_verify(const char *hash, struct str password) {
    char fixed[PASSWORD_HASH_BYTES] = {0};
    if (password.len > PASSWORD_BYTES_MAX || !hash_fits(hash, fixed)) {
        return false;
    }
    return crypto_pwhash_str_verify(fixed, password.ptr, password.len) == 0;
}

bool password_is_outdated(const char *hash, const struct password_cost *cost) {
    char fixed[PASSWORD_HASH_BYTES] = {0};
    return !hash_fits(hash, fixed) ||
           crypto_pwhash_str_needs_rehash(fixed, (unsigned long long)cost->passes,
                                          (size_t)cost->memory_bytes) != 0;
}

void password_generate(const struct random *random, char out[PASSWORD_GENERATED_BYTES]) {
    static const char symbols[] = "abcdefghjkmnpqrstuvwxyz23456789"; /* no i, l, o, 0, 1 */
    size_t at = 0;
    for (int group = 0; group < GROUPS; group++) {
        if (group > 0) {
            out[at++] = '-';
        }
        for (int i = 0; i < GROUP_SYMBOLS; i++) {
            out[at++] = symbols[random_below(random, (int64_t)sizeof(symbols) - 1)];
        }
    }
    out[at] = '\0';
    CHECK(at == PASSWORD_GENERATED_BYTES - 1);
}
