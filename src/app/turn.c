#include "app/queues_internal.h"
#include "app/turn_internal.h"
#include "base/check.h"
#include "store/turn_store.h"

bool turn_take(struct app *app, struct db *db, struct queue_id queue, struct user_id user,
               int64_t *ret_key, struct err *err) {
    CHECK(db_has_lock(db, LOCK_USER_TURN, LOCK_EXCLUSIVE, user.value));
    int64_t last_key = 0;
    bool found = false;
    if (!turn_store_get(db, queue, user, &last_key, &found, err)) {
        return false;
    }
    int64_t virtual_key = queues_virtual_key(app, queue);
    int64_t own_key = found ? last_key + TURN_STRIDE : 0;
    *ret_key = own_key > virtual_key ? own_key : virtual_key;
    return turn_store_set(db, queue, user, *ret_key, found, err);
}
