/* What changes accounts. Each item is a transaction of its own: they are rare, and their locks
 * would have to be taken for a whole batch before the clock is read. An item that fails is rolled
 * back as a whole by the writer. */
#include "app/auth_internal.h"
#include "app/runners_internal.h"

#include "base/check.h"
#include "base/limits.h"
#include "store/api_token_store.h"
#include "store/audit_store.h"
#include "store/session_store.h"
#include <string.h>

#define DAY_MS (INT64_C(24) * 3600 * 1000)
#define RUN_ARENA_BYTES ((size_t)64 * KIB)
#define ADMINS_COUNTED 64 /* with more, one less is not the last one */

/* `row` without an id. */
static bool audit(struct app *app, struct db *db, struct audit_row row, struct err *err) {
    row.id = runner_take_id(app, ID_AUDIT);
    row.object_kind = "user";
    return audit_store_add(db, &row, err);
}

/* A token may be some minutes older than the loss of a right. */
static bool check_actor_now(struct db *db, const struct actor *actor, struct arena *arena,
                            struct err *err) {
    struct user_row row;
    if (actor->kind == ACTOR_SYSTEM) {
        return true;
    }
    if (!user_store_find(db, actor->user, arena, &row, err)) {
        return false;
    }
    return (!row.disabled && row.role == ROLE_ADMIN) ||
           err_set(err, ERR_DENIED, "not_allowed", "only administrators may do this");
}

/* ---- a session begins ---- */

struct session_begin {
    struct write_item item;
    const struct session_make *make;
    struct user_session_id session; /* out */
    int64_t expires_ms;             /* out */
};

static bool refresh_hash(struct db *db, struct user_row *user, const char *fresh_hash,
                         struct err *err) {
    if (fresh_hash == NULL) {
        return true;
    }
    user->password_hash = str_from(fresh_hash);
    return user_store_update(db, user, err);
}

static bool session_begin_run(struct app *app, struct db *db, struct write_item **items, int count,
                              struct err *err) {
    CHECK(count == 1);
    struct session_begin *begin = (struct session_begin *)items[0];
    const struct session_make *make = begin->make;
    own(arena) arena = arena_create(RUN_ARENA_BYTES);
    struct user_row user;
    int64_t now_ms = 0;
    if (!db_lock(db, LOCK_USER, LOCK_EXCLUSIVE, make->user.value, err) ||
        !db_now(db, &now_ms, err) || !user_store_find(db, make->user, arena, &user, err)) {
        return false;
    }
    if (user.disabled || !str_eq_c(user.password_hash, make->verified_hash)) {
        return err_set(err, ERR_UNAUTHENTICATED, "bad_credentials",
                       "the user name or the password is wrong");
    }
    struct session_row row = {
        .id = {runner_take_id(app, ID_USER_SESSION)},
        .user = make->user,
        .secret = make->secret,
        .created_ms = now_ms,
        .expires_ms = now_ms + app->settings.session_days * DAY_MS,
    };
    if (!refresh_hash(db, &user, make->fresh_hash, err) || !session_store_insert(db, &row, err) ||
        !session_store_prune(db, make->user, SESSIONS_LIVE_MAX, now_ms, err)) {
        return false;
    }
    begin->session = row.id;
    begin->expires_ms = row.expires_ms;
    items[0]->ok = true;
    return true;
}

/* A second run would break the uniqueness of the secret. */
static bool session_begin_read_back(struct app *app, struct db *db, struct write_item *item,
                                    struct err *err) {
    (void)app;
    struct session_begin *begin = (struct session_begin *)item;
    struct session_row row;
    if (!session_store_find_secret(db, &begin->make->secret, &row, err)) {
        return false;
    }
    begin->session = row.id;
    begin->expires_ms = row.expires_ms;
    return true;
}

static const struct write_kind session_begin_kind = {.name = "session.begin",
                                                     .batch_max = 1,
                                                     .run = session_begin_run,
                                                     .read_back = session_begin_read_back};

bool account_make_session(struct app *app, const struct session_make *make,
                          struct user_session_id *ret_session, int64_t *ret_expires_ms,
                          struct err *err) {
    struct session_begin begin = {.item.kind = &session_begin_kind, .make = make};
    if (!app_write_wait(app, &begin.item, err)) {
        return false;
    }
    *ret_session = begin.session;
    *ret_expires_ms = begin.expires_ms;
    return true;
}

/* ---- a session ends ---- */

struct session_end {
    struct write_item item;
    const struct actor *actor;
};

static bool session_end_run(struct app *app, struct db *db, struct write_item **items, int count,
                            struct err *err) {
    (void)app;
    CHECK(count == 1);
    const struct actor *actor = ((struct session_end *)items[0])->actor;
    int64_t now_ms = 0;
    if (!db_lock(db, LOCK_USER, LOCK_EXCLUSIVE, actor->user.value, err) ||
        !db_now(db, &now_ms, err) ||
        !session_store_revoke(db, actor->user, actor->session, now_ms, err)) {
        return false;
    }
    items[0]->ok = true;
    return true;
}

static const struct write_kind session_end_kind = {
    .name = "session.end", .batch_max = 1, .run = session_end_run};

bool account_end_session(struct app *app, const struct actor *actor, struct err *err) {
    struct session_end end = {.item.kind = &session_end_kind, .actor = actor};
    return app_write_wait(app, &end.item, err);
}

/* ---- a password changes ---- */

struct password_write {
    struct write_item item;
    const struct password_change *change;
};

static bool password_write_run(struct app *app, struct db *db, struct write_item **items, int count,
                               struct err *err) {
    CHECK(count == 1);
    const struct password_change *change = ((struct password_write *)items[0])->change;
    own(arena) arena = arena_create(RUN_ARENA_BYTES);
    struct user_row user;
    int64_t now_ms = 0;
    if (!db_lock(db, LOCK_USER, LOCK_EXCLUSIVE, change->user.value, err) ||
        !db_now(db, &now_ms, err) || !user_store_find(db, change->user, arena, &user, err)) {
        return false;
    }
    /* Run again after an unknown commit: the new one is there already. */
    if (change->verified_hash != NULL && !str_eq_c(user.password_hash, change->verified_hash) &&
        !str_eq_c(user.password_hash, change->fresh_hash)) {
        return err_set(err, ERR_DENIED, "wrong_password", "the current password is wrong");
    }
    user.password_hash = str_from(change->fresh_hash);
    user.password_changed_ms = now_ms;
    const struct audit_row event = {.at_ms = now_ms,
                                    .actor = change->actor,
                                    .action = "user.password",
                                    .object_id = user.id.value};
    if (!user_store_update(db, &user, err) ||
        !session_store_revoke_all(db, user.id, change->keep, now_ms, err) ||
        (change->keep.value == 0 && !api_token_store_revoke_all(db, user.id, now_ms, err)) ||
        !audit(app, db, event, err)) {
        return false;
    }
    items[0]->ok = true;
    return true;
}

static const struct write_kind password_write_kind = {
    .name = "user.password", .batch_max = 1, .run = password_write_run};

bool account_change_password(struct app *app, const struct password_change *change,
                             struct err *err) {
    struct password_write write = {.item.kind = &password_write_kind, .change = change};
    return app_write_wait(app, &write.item, err);
}

/* ---- an account is made ---- */

struct account_make {
    struct write_item item;
    const struct actor *actor;
    struct user_row user; /* in and out */
    struct arena *arena;
};

static bool account_make_run(struct app *app, struct db *db, struct write_item **items, int count,
                             struct err *err) {
    CHECK(count == 1);
    struct account_make *make = (struct account_make *)items[0];
    int64_t now_ms = 0;
    if (!db_now(db, &now_ms, err) || !check_actor_now(db, make->actor, make->arena, err)) {
        return false;
    }
    make->user.id = (struct user_id){runner_take_id(app, ID_USER)};
    make->user.revision = 1;
    make->user.created_ms = now_ms;
    make->user.password_changed_ms = now_ms;
    const struct audit_row event = {.at_ms = now_ms,
                                    .actor = make->actor,
                                    .action = "user.create",
                                    .object_id = make->user.id.value,
                                    .detail = make->user.username};
    if (!user_store_insert(db, &make->user, err) || !audit(app, db, event, err)) {
        return false;
    }
    items[0]->ok = true;
    return true;
}

static bool account_make_read_back(struct app *app, struct db *db, struct write_item *item,
                                   struct err *err) {
    (void)app;
    struct account_make *make = (struct account_make *)item;
    struct user_row found;
    return user_store_find(db, make->user.id, make->arena, &found, err) &&
           str_eq(found.username_key, make->user.username_key);
}

static const struct write_kind account_make_kind = {.name = "user.create",
                                                    .batch_max = 1,
                                                    .run = account_make_run,
                                                    .read_back = account_make_read_back};

bool account_create(struct app *app, const struct actor *actor, const struct user_row *user,
                    struct arena *arena, struct user_row *ret_user, struct err *err) {
    struct account_make make = {
        .item.kind = &account_make_kind, .actor = actor, .user = *user, .arena = arena};
    if (!app_write_wait(app, &make.item, err)) {
        return false;
    }
    *ret_user = make.user;
    return true;
}

/* ---- an account changes ---- */

struct account_change {
    struct write_item item;
    const struct account_update *update;
    struct arena *arena;
    struct user_row user; /* out */
};

static bool takes_admin_away(const struct user_update_request *request) {
    return (request->role != NULL && *request->role != ROLE_ADMIN) ||
           (request->disabled != NULL && *request->disabled);
}

/* Locks the user, and all administrators when one of them may be lost: two of them could each make
 * the other one the last. */
static bool lock_for_change(struct db *db, const struct user_update_request *request,
                            struct arena *arena, struct err *err) {
    struct user_id *admins = NULL;
    int count = 0;
    if (takes_admin_away(request) &&
        !user_store_admins(db, ADMINS_COUNTED, arena, &admins, &count, err)) {
        return false;
    }
    bool locked = false;
    for (int i = 0; i < count; i++) {
        if (!locked && admins[i].value >= request->id.value) {
            locked = true;
            if (!db_lock(db, LOCK_USER, LOCK_EXCLUSIVE, request->id.value, err)) {
                return false;
            }
        }
        if (!db_lock(db, LOCK_USER, LOCK_EXCLUSIVE, admins[i].value, err)) {
            return false;
        }
    }
    return locked || db_lock(db, LOCK_USER, LOCK_EXCLUSIVE, request->id.value, err);
}

/* Whether an enabled administrator beside `user` is left. */
static bool check_others_left(struct db *db, const struct user_row *user, struct arena *arena,
                              struct err *err) {
    struct user_id *admins = NULL;
    int count = 0;
    if (!user_store_admins(db, ADMINS_COUNTED, arena, &admins, &count, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (admins[i].value != user->id.value) {
            return true;
        }
    }
    return err_set(err, ERR_CONFLICT, "conflict_last_admin",
                   "this is the last administrator: make another one first");
}

static void apply_change(const struct account_change *change, int64_t now_ms,
                         struct user_row *user) {
    const struct user_update_request *request = change->update->request;
    user->display_name =
        request->display_name != NULL ? *request->display_name : user->display_name;
    user->role = request->role != NULL ? *request->role : user->role;
    user->disabled = request->disabled != NULL ? *request->disabled : user->disabled;
    if (change->update->fresh_hash != NULL) {
        user->password_hash = str_from(change->update->fresh_hash);
        user->password_changed_ms = now_ms;
    }
}

static bool write_change(struct app *app, struct db *db, struct account_change *change,
                         int64_t now_ms, struct err *err) {
    struct user_row user = change->user;
    bool was_admin = user.role == ROLE_ADMIN && !user.disabled;
    apply_change(change, now_ms, &user);
    bool is_admin = user.role == ROLE_ADMIN && !user.disabled;
    if (was_admin && !is_admin && !check_others_left(db, &user, change->arena, err)) {
        return false;
    }
    bool password = change->update->fresh_hash != NULL;
    bool sessions_end = user.disabled || password;
    const char *detail =
        arena_printf(change->arena, "role %s%s%s", role_name(user.role),
                     user.disabled ? ", disabled" : "", password ? ", password" : "");
    const struct audit_row event = {.at_ms = now_ms,
                                    .actor = change->update->actor,
                                    .action = "user.update",
                                    .object_id = user.id.value,
                                    .detail = str_from(detail)};
    const struct user_session_id none = {0};
    if (!user_store_update(db, &user, err) ||
        (sessions_end && (!session_store_revoke_all(db, user.id, none, now_ms, err) ||
                          !api_token_store_revoke_all(db, user.id, now_ms, err))) ||
        !audit(app, db, event, err)) {
        return false;
    }
    user.revision++;
    change->user = user;
    return true;
}

static bool account_change_run(struct app *app, struct db *db, struct write_item **items, int count,
                               struct err *err) {
    CHECK(count == 1);
    struct account_change *change = (struct account_change *)items[0];
    int64_t now_ms = 0;
    if (!lock_for_change(db, change->update->request, change->arena, err) ||
        !db_now(db, &now_ms, err) ||
        !check_actor_now(db, change->update->actor, change->arena, err) ||
        !user_store_find(db, change->update->request->id, change->arena, &change->user, err) ||
        !write_change(app, db, change, now_ms, err)) {
        return false;
    }
    items[0]->ok = true;
    return true;
}

static const struct write_kind account_change_kind = {
    .name = "user.update", .batch_max = 1, .run = account_change_run};

bool account_update(struct app *app, const struct account_update *update, struct arena *arena,
                    struct user_row *ret_user, struct err *err) {
    struct account_change change = {
        .item.kind = &account_change_kind, .update = update, .arena = arena};
    if (!app_write_wait(app, &change.item, err)) {
        return false;
    }
    *ret_user = change.user;
    return true;
}
