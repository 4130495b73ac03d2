#ifndef APP_ATTEMPTS_INTERNAL_H
#define APP_ATTEMPTS_INTERNAL_H

#include "base/clock.h"
#include "base/err.h"
#include "base/own.h"
#include "base/random.h"
#include "base/str.h"

/* Counts failed password checks, so that nobody can guess for long: by name and address together,
 * by name alone (many machines against one account), by address alone (one machine against many
 * accounts; generous, for a class sits behind one address). In memory and of fixed size: what is
 * forgotten when the table is full, or by a restart, only gives a guesser a few more tries. May be
 * called from any thread. */

#define ATTEMPTS_WINDOW_MS INT64_C(300000)
#define ATTEMPTS_PAIR_MAX 10
#define ATTEMPTS_NAME_MAX 100
#define ATTEMPTS_REMOTE_MAX 300

struct attempts;

struct attempts *attempts_create(const struct clock *clock, const struct random *random);
void attempts_free(struct attempts *attempts); /* accepts NULL */
OWN_DEFINE(attempts, attempts_free)

/* ERR_LIMITED "too_many_attempts" saying how long to wait. */
checked bool attempts_check(struct attempts *attempts, struct str name, struct str remote,
                            struct err *err);
void attempts_failed(struct attempts *attempts, struct str name, struct str remote);
/* Forgets the failures of this name from this address. */
void attempts_succeeded(struct attempts *attempts, struct str name, struct str remote);

#endif
