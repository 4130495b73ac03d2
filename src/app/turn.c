#include "domain/turn.h"
#include "app/held_internal.h"
#include "app/queues_internal.h"
#include "app/turn_internal.h"
#include "base/check.h"

static bool is_same(const struct turn_owner *a, const struct turn_owner *b) {
    return a->queue.value == b->queue.value && a->priority == b->priority &&
           a->user.value == b->user.value;
}

static struct turn *find(struct turns *turns, const struct turn_owner *owner) {
    for (int i = 0; i < turns->count; i++) {
        if (is_same(&turns->rows[i].owner, owner)) {
            return &turns->rows[i];
        }
    }
    return NULL;
}

void turns_init(struct turns *turns, int room, struct arena *arena) {
    *turns = (struct turns){.rows = arena_array(arena, (size_t)room + 1, sizeof turns->rows[0]),
                            .room = room,
                            .arena = arena};
}

void turns_add(struct turns *turns, const struct turn_owner *owner) {
    if (find(turns, owner) == NULL) {
        CHECK(turns->count < turns->room);
        turns->rows[turns->count++] = (struct turn){.owner = *owner};
    }
}

static void take_row(void *context, struct db_stmt *row) {
    struct turn_owner owner = {.queue = {db_i64(row, 0)},
                               .priority = (enum job_priority)db_i64(row, 1),
                               .user = {db_i64(row, 2)}};
    struct turn *turn = find(context, &owner);
    CHECK(turn != NULL);
    turn->last_key = db_i64(row, 3);
    turn->found = true;
}

void turns_reads(struct turns *turns, struct rows_read reads[TURNS_READS]) {
    size_t room = (size_t)turns->count + 1;
    int64_t *users = arena_array(turns->arena, room, sizeof users[0]);
    struct rows_value *locks = arena_array(turns->arena, room, sizeof locks[0]);
    struct rows_value *keys = arena_array(turns->arena, 3 * room, sizeof keys[0]);
    int user_count = turns->count;
    for (int i = 0; i < turns->count; i++) {
        const struct turn_owner *owner = &turns->rows[i].owner;
        users[i] = owner->user.value;
        keys[3 * i] = rows_i64(owner->queue.value);
        keys[3 * i + 1] = rows_i64(owner->priority);
        keys[3 * i + 2] = rows_i64(owner->user.value);
    }
    ids_sort(users, &user_count);
    for (int i = 0; i < user_count; i++) {
        locks[i] = rows_i64(users[i]);
    }
    reads[0] = (struct rows_read){
        .values = locks, .count = user_count, .level = LOCK_USER_TURN, .mode = LOCK_EXCLUSIVE};
    reads[1] = (struct rows_read){.select = &turn_select,
                                  .values = keys,
                                  .count = turns->count,
                                  .row = take_row,
                                  .context = turns};
}

bool turns_take(struct app *app, struct db *db, struct turns *turns, const struct turn_owner *owner,
                int64_t *ret_key, struct err *err) {
    CHECK(db_has_lock(db, LOCK_USER_TURN, LOCK_EXCLUSIVE, owner->user.value));
    struct turn *turn = find(turns, owner);
    CHECK(turn != NULL);
    *ret_key = turn_key(queues_virtual_key(app, owner->queue, owner->priority), turn->last_key);
    bool found = turn->found;
    turn->last_key = *ret_key;
    turn->found = true;
    return turn_store_set(db, owner, *ret_key, found, err);
}
