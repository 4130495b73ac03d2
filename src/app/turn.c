#include "domain/turn.h"
#include "app/queues_internal.h"
#include "app/turn_internal.h"
#include "base/check.h"

bool turn_take(struct app *app, struct db *db, const struct turn_owner *owner, int64_t *ret_key,
               struct err *err) {
    CHECK(db_has_lock(db, LOCK_USER_TURN, LOCK_EXCLUSIVE, owner->user.value));
    int64_t last_key = 0;
    bool found = false;
    if (!turn_store_get(db, owner, &last_key, &found, err)) {
        return false;
    }
    *ret_key = turn_key(queues_virtual_key(app, owner->queue, owner->priority), last_key);
    return turn_store_set(db, owner, *ret_key, found, err);
}
