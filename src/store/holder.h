#ifndef STORE_HOLDER_H
#define STORE_HOLDER_H

#include "base/clock.h"
#include "base/err.h"
#include "base/own.h"

/* One server per SQLite file: the holder keeps an flock on "<database>.lock", whose text says who
 * it is. The kernel frees the lock when the process ends, however it ends, so a file left behind is
 * no obstacle. */

struct holder;

/* `who` is "assize server, pid 71"; host and time are added.
 * Errors: ERR_CONFLICT "database_in_use" with the holder's text; ERR_SYSTEM. */
checked bool holder_lock(const char *database_path, const char *who, const struct clock *clock,
                         struct holder **ret_holder, struct err *err);
void holder_free(struct holder *holder); /* lets go; accepts NULL */
OWN_DEFINE(holder, holder_free)

#endif
