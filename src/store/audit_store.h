#ifndef STORE_AUDIT_STORE_H
#define STORE_AUDIT_STORE_H

#include "base/arena.h"
#include "domain/actor.h"
#include "store/db.h"

/* Who did what. Written in the transaction of what was done. Never a secret, never a source. */

struct audit_row {
    int64_t id;
    int64_t at_ms;
    const struct actor *actor;
    const char *action;      /* "user.create" */
    const char *object_kind; /* "user" */
    int64_t object_id;
    struct str detail; /* cut at AUDIT_DETAIL_BYTES_MAX */
};

#define AUDIT_DETAIL_BYTES_MAX 1024

checked bool audit_store_add(struct db *db, const struct audit_row *row, struct err *err);

/* Whether the row is there: the proof of a transaction whose commit nobody could tell. */
checked bool audit_store_has(struct db *db, int64_t id, bool *ret_found, struct err *err);

struct audit_found {
    enum actor_kind actor_kind;
    int64_t actor; /* of that kind; 0: the system */
    struct str detail;
};
/* The row of the action on the object at the time that `wanted` says; *ret_found false: there is
 * none, or it was old enough to be removed. The text lives in `arena`. */
checked bool audit_store_find(struct db *db, const struct audit_row *wanted, struct arena *arena,
                              struct audit_found *ret_row, bool *ret_found, struct err *err);

#endif
