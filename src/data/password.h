#ifndef DATA_PASSWORD_H
#define DATA_PASSWORD_H

#include "base/random.h"
#include "base/str.h"

/* Argon2id in the PHC string format, salted by the library. */

#define PASSWORD_HASH_BYTES 128 /* with NUL */

struct password_cost {
    int64_t memory_bytes;
    int32_t passes;
};

/* OWASP's first choice for Argon2id: 19 MiB, two passes, one lane. */
extern const struct password_cost password_cost_default;
/* The library's minimum, for tests that sign in often. Never for stored passwords of people. */
extern const struct password_cost password_cost_test;

/* Whether a password that someone chose is acceptable: PASSWORD_BYTES_MIN to _MAX bytes of UTF-8.
 * Errors: ERR_INVALID "bad_password". */
checked bool password_check(struct str password, struct err *err);

/* Blocks for the time that the cost asks for: not on an event loop.
 * Errors: ERR_INVALID "bad_password" over PASSWORD_BYTES_MAX, ERR_SYSTEM out of memory. */
checked bool password_hash(struct str password, const struct password_cost *cost,
                           char out[PASSWORD_HASH_BYTES], struct err *err);
/* False for a wrong password and for a hash that is none. Takes as long as hashing. */
bool password_verify(const char *hash, struct str password);
/* Whether `hash` was made with another cost: hash again at the next sign-in. */
bool password_is_outdated(const char *hash, const struct password_cost *cost);

/* A password to be read aloud and typed: "k7fm-2qxd-9htr-w4ce", 16 symbols of 31, 79 bits; nothing
 * that looks like something else. */
#define PASSWORD_GENERATED_BYTES 20 /* with NUL */
void password_generate(const struct random *random, char out[PASSWORD_GENERATED_BYTES]);

#endif
