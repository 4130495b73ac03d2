#include "app/actor_now_internal.h"
#include "base/limits.h"
#include "store/user_store.h"

bool actor_need_role_now(struct db *db, const struct actor *actor, enum role role,
                         struct err *err) {
    own(arena) arena = arena_create((size_t)64 * KIB);
    struct user_row row;
    if (actor->kind == ACTOR_SYSTEM) {
        return true;
    }
    if (!actor_need_role(actor, role, err) || !user_store_find(db, actor->user, arena, &row, err)) {
        return false;
    }
    return (!row.disabled && row.role >= role) ||
           err_set(err, ERR_DENIED, "not_allowed", "the account has lost the right to do this");
}
