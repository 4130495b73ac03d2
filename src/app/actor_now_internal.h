#ifndef APP_ACTOR_NOW_INTERNAL_H
#define APP_ACTOR_NOW_INTERNAL_H

#include "domain/actor.h"
#include "store/db.h"

/* A token may be some minutes older than the loss of a right: what changes things on others' behalf
 * asks the database. ERR_DENIED "not_allowed". */
checked bool actor_need_role_now(struct db *db, const struct actor *actor, enum role role,
                                 struct err *err);

#endif
