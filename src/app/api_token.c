/* API tokens. */
#include "app/api_token.h"
#include "app/app_internal.h"
#include "app/runners_internal.h"
#include "app/writer.h"
#include "base/check.h"
#include "base/limits.h"
#include "domain/node.h"
#include "store/api_token_store.h"
#include "store/audit_store.h"
#include "store/session_store.h"
#include "store/user_store.h"

#include <string.h>

#define DAY_MS (INT64_C(24) * 3600 * 1000)
#define SECRET_RANDOM_BYTES 32
#define ARENA_BYTES ((size_t)256 * KIB)

struct token_write {
    struct write_item item;
    const struct actor *actor;
    struct api_token_row row; /* to make */
    int64_t days;
    struct api_token_id revoke; /* 0: one is made */
    int64_t audit;
};

static bool note(struct app *app, struct db *db, struct token_write *write, int64_t now_ms,
                 struct err *err) {
    bool made = write->revoke.value == 0;
    write->audit = runner_take_id(app, ID_AUDIT);
    struct audit_row row = {.id = write->audit,
                            .at_ms = now_ms,
                            .actor = write->actor,
                            .action = made ? "api_token.create" : "api_token.revoke",
                            .object_kind = "api_token",
                            .object_id = made ? write->row.id.value : write->revoke.value,
                            .detail = write->row.name};
    return audit_store_add(db, &row, err);
}

/* A session's own token is good for minutes after the session was ended, and what is made here for
 * a year: asked of the database, under the user's lock, which a change of the password takes too.
 */
static bool session_stands(struct db *db, const struct actor *actor, int64_t now_ms,
                           struct arena *arena, struct err *err) {
    struct session_row session = {0};
    struct user_row user = {0};
    if (!session_store_find(db, actor->session, &session, err) ||
        !user_store_find(db, actor->user, arena, &user, err)) {
        return false;
    }
    return (session.user.value == actor->user.value && session.revoked_ms == 0 &&
            now_ms < session.expires_ms && !user.disabled) ||
           err_set(err, ERR_UNAUTHENTICATED, "no_session", "sign in first");
}

static bool make(struct app *app, struct db *db, struct token_write *write, int64_t now_ms,
                 struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES);
    struct api_token_rows rows = {0};
    if (!session_stands(db, write->actor, now_ms, arena, err) ||
        !api_token_store_prune(db, write->row.user, now_ms, err) ||
        !api_token_store_list(db, write->row.user, now_ms, arena, &rows, err)) {
        return false;
    }
    if (rows.count >= API_TOKENS_MAX) {
        return err_set(err, ERR_CONFLICT, "too_many_tokens",
                       "you have %d API tokens: revoke one that is not used any more", rows.count);
    }
    write->row.id.value = runner_take_id(app, ID_USER_SESSION); /* of one sequence with sessions */
    write->row.created_ms = now_ms;
    write->row.expires_ms = now_ms + write->days * DAY_MS;
    return api_token_store_insert(db, &write->row, err);
}

static bool revoke(struct db *db, struct token_write *write, int64_t now_ms, struct err *err) {
    bool changed = false;
    return api_token_store_revoke(db, write->row.user, write->revoke, now_ms, &changed, err) &&
           (changed || err_set(err, ERR_MISSING, "no_token", "you have no API token %lld",
                               (long long)write->revoke.value));
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    (void)count; /* one: batch_max */
    struct token_write *write = (struct token_write *)items[0];
    int64_t now_ms = 0;
    if (!db_lock(db, LOCK_USER, LOCK_EXCLUSIVE, write->row.user.value, err) ||
        !db_now(db, &now_ms, err) ||
        !(write->revoke.value == 0 ? make(app, db, write, now_ms, err)
                                   : revoke(db, write, now_ms, err)) ||
        !note(app, db, write, now_ms, err)) {
        return false;
    }
    write->item.ok = true;
    return true;
}

/* Its row in the audit log is the proof. */
static bool read_back(struct app *app, struct db *db, struct write_item *item, struct err *err) {
    bool found = false;
    (void)app;
    return audit_store_has(db, ((struct token_write *)item)->audit, &found, err) && found;
}

static const struct write_kind write_kind = {
    .name = "api_token.write", .batch_max = 1, .run = run, .read_back = read_back};

static bool need_session(const struct actor *actor, struct err *err) {
    return actor_need_person(actor, err) &&
           (actor->session.value != 0 ||
            err_set(err, ERR_DENIED, "not_allowed", "this needs somebody who has signed in"));
}

static void new_secret(struct app *app, char ret_secret[API_TOKEN_CHARS + 1]) {
    uint8_t bytes[SECRET_RANDOM_BYTES];
    own_buf text = {0};
    struct err err = {0};
    buf_init(&text, API_TOKEN_CHARS);
    random_fill(app->random, bytes, sizeof bytes);
    bool made = buf_append(&text, STR(API_TOKEN_PREFIX)) &&
                base64url_encode(str_of(bytes, sizeof bytes), &text) &&
                str_to_c(buf_str(&text), ret_secret, API_TOKEN_CHARS + 1, &err);
    CHECK(made && strlen(ret_secret) == API_TOKEN_CHARS);
    explicit_bzero(bytes, sizeof bytes);
}

static void view_of(const struct api_token_row *row, struct api_token_view *ret_view) {
    *ret_view = (struct api_token_view){.id = row->id,
                                        .name = row->name,
                                        .scope = row->scope,
                                        .created_ms = row->created_ms,
                                        .expires_ms = row->expires_ms};
}

static bool check(const struct api_token_request *request, struct err *err) {
    if (!node_is_name(request->name, API_TOKEN_NAME_BYTES_MAX)) {
        return err_set(err, ERR_INVALID, "bad_field", "field `name` must have 1 to %d bytes",
                       API_TOKEN_NAME_BYTES_MAX);
    }
    return (request->days >= 1 && request->days <= API_TOKEN_DAYS_MAX) ||
           err_set(err, ERR_INVALID, "bad_field", "field `days` must be 1 to %d",
                   API_TOKEN_DAYS_MAX);
}

bool api_token_create(struct app *app, const struct actor *actor,
                      const struct api_token_request *request, struct arena *arena,
                      struct api_token_made *ret_made, struct err *err) {
    if (!need_session(actor, err) || !check(request, err)) {
        return false;
    }
    new_secret(app, ret_made->secret);
    struct token_write write = {.item.kind = &write_kind,
                                .actor = actor,
                                .days = request->days,
                                .row = {.user = actor->user,
                                        .name = arena_str(arena, request->name),
                                        .scope = request->scope,
                                        .secret = digest_of(str_from(ret_made->secret))}};
    if (!app_write_wait(app, &write.item, err)) {
        return false;
    }
    view_of(&write.row, &ret_made->token);
    return true;
}

bool api_token_list(struct app *app, const struct actor *actor, struct arena *arena,
                    struct api_token_view **ret_tokens, int *ret_count, struct err *err) {
    own(db_reader) reader = NULL;
    struct api_token_rows rows = {0};
    int64_t now_ms = 0;
    if (!need_session(actor, err) || !db_pool_take(app->readers, &reader, err) ||
        !db_now(reader->db, &now_ms, err) ||
        !api_token_store_list(reader->db, actor->user, now_ms, arena, &rows, err)) {
        return false;
    }
    *ret_tokens = arena_array(arena, API_TOKENS_MAX, sizeof **ret_tokens);
    for (int i = 0; i < rows.count; i++) {
        view_of(&rows.rows[i], &(*ret_tokens)[i]);
    }
    *ret_count = rows.count;
    return true;
}

bool api_token_revoke(struct app *app, const struct actor *actor, struct api_token_id id,
                      struct err *err) {
    struct token_write write = {.item.kind = &write_kind,
                                .actor = actor,
                                .revoke = id,
                                .row = {.user = actor->user, .name = STR("")}};
    return need_session(actor, err) && app_write_wait(app, &write.item, err);
}

bool api_token_check(struct app *app, struct str secret, struct actor *ret_actor,
                     enum token_scope *ret_scope, struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES);
    own(db_reader) reader = NULL;
    struct digest digest = digest_of(secret);
    struct api_token_row row = {0};
    struct user_row user = {0};
    int64_t now_ms = 0;
    bool found = false;
    if (!db_pool_take(app->readers, &reader, err) || !db_now(reader->db, &now_ms, err) ||
        !api_token_store_find(reader->db, &digest, arena, &row, &found, err)) {
        return false;
    }
    if (found && !user_store_find(reader->db, row.user, arena, &user, err)) {
        if (err->kind != ERR_MISSING) {
            return false;
        }
        found = false;
    }
    if (!found || row.revoked_ms != 0 || now_ms >= row.expires_ms || user.disabled) {
        return err_set(err, ERR_UNAUTHENTICATED, "no_session",
                       "the API token is unknown, revoked or over");
    }
    *ret_actor =
        (struct actor){.kind = ACTOR_USER, .role = user.role, .user = row.user, .by_token = true};
    *ret_scope = row.scope;
    return true;
}
