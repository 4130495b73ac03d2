/* Signing in and out. */
#include "app/auth_internal.h"

#include "base/check.h"
#include "base/limits.h"
#include "domain/username.h"
#include "store/session_store.h"
#include <stdlib.h>
#include <string.h>

#define SECRET_RANDOM_BYTES 32
#define SECRET_CHARS (SESSION_SECRET_BYTES - 1)
#define FIRST_ADMIN "admin"

struct auth *auth_create(const struct app_options *options) {
    struct auth *auth = calloc(1, sizeof(*auth));
    CHECK(auth != NULL);
    mutex_init(&auth->mutex);
    cond_init(&auth->freed);
    bool fast = options->settings.password_hash_fast;
    auth->cost = fast ? &password_cost_test : &password_cost_default;
    auth->attempts = attempts_create(options->clock, options->random);
    auth->keys = token_keys_create();
    char nobody[PASSWORD_GENERATED_BYTES];
    struct err err = {0};
    password_generate(options->random, nobody);
    bool hashed = password_hash(str_from(nobody), auth->cost, auth->nobody_hash, &err);
    CHECK(hashed); /* nothing but memory can be missing */
    return auth;
}

void auth_free(struct auth *auth) {
    if (auth != NULL) {
        attempts_free(auth->attempts);
        token_keys_free(auth->keys);
        cond_done(&auth->freed);
        mutex_done(&auth->mutex);
        free(auth);
    }
}

/* ---- tokens ---- */

void user_view_from_row(const struct user_row *row, struct user_view *ret_view) {
    *ret_view = (struct user_view){
        .id = row->id,
        .username = row->username,
        .display_name = row->display_name,
        .role = row->role,
        .disabled = row->disabled,
        .created_ms = row->created_ms,
    };
}

/* Fills access_token and expires_ms from user and id. */
static bool give_token(struct app *app, struct session_view *session, struct err *err) {
    int64_t now_ms = clock_utc_ms(app->clock);
    int64_t expires_s = (now_ms + app->settings.token_ms) / 1000;
    struct jwt_claims claims = {
        .sub = session->user.id.value,
        .sid = session->id.value,
        .iat_s = now_ms / 1000,
        .exp_s = expires_s,
    };
    own_buf token = {0};
    buf_init(&token, ACCESS_TOKEN_BYTES_MAX - 1);
    if (!str_to_c(str_from(role_name(session->user.role)), claims.role, sizeof(claims.role), err) ||
        !token_keys_sign(app, app->auth->keys, &claims, &token, err) ||
        !str_to_c(buf_str(&token), session->access_token, sizeof(session->access_token), err)) {
        return false;
    }
    session->expires_ms = expires_s * 1000;
    return true;
}

static bool no_session(struct err *err) {
    return err_set(err, ERR_UNAUTHENTICATED, "no_session", "sign in first");
}

bool auth_check_token(struct app *app, struct str access_token, struct actor *ret_actor,
                      struct err *err) {
    struct jwt_claims claims;
    struct actor actor = {.kind = ACTOR_USER};
    if (access_token.len >= ACCESS_TOKEN_BYTES_MAX ||
        !token_keys_verify(app, app->auth->keys, access_token, &claims, err) ||
        !role_parse(claims.role, &actor.role)) {
        return no_session(err);
    }
    actor.user = (struct user_id){claims.sub};
    actor.session = (struct user_session_id){claims.sid};
    *ret_actor = actor;
    return true;
}

/* ---- signing in ---- */

static bool bad_credentials(struct err *err) {
    return err_set(err, ERR_UNAUTHENTICATED, "bad_credentials",
                   "the user name or the password is wrong");
}

/* Finds the account of a name as people type it. *ret_found false: nobody. */
static bool find_by_name(struct app *app, struct str username, struct arena *arena,
                         struct user_row *ret_user, bool *ret_found, struct err *err) {
    own(db_reader) reader = NULL;
    own_buf folded = {0};
    buf_init(&folded, USERNAME_BYTES_MAX);
    text_fold(username, &folded);
    *ret_found = false;
    if (username.len > USERNAME_BYTES_MAX || str_has_nul(username)) {
        return true;
    }
    if (!db_pool_take(app->readers, &reader, err)) {
        return false;
    }
    *ret_found = user_store_find_name(reader->db, buf_str(&folded), arena, ret_user, err);
    return *ret_found || err->kind == ERR_MISSING;
}

static void new_secret(struct app *app, char ret_secret[SESSION_SECRET_BYTES]) {
    uint8_t bytes[SECRET_RANDOM_BYTES];
    own_buf text = {0};
    struct err err = {0};
    buf_init(&text, SECRET_CHARS);
    random_fill(app->random, bytes, sizeof(bytes));
    bool made = base64url_encode(str_of(bytes, sizeof(bytes)), &text) &&
                str_to_c(buf_str(&text), ret_secret, SESSION_SECRET_BYTES, &err);
    CHECK(made);
    explicit_bzero(bytes, sizeof(bytes));
}

/* A session for a user whose password was right. */
static bool begin_session(struct app *app, const struct user_row *user, struct str password,
                          struct session_view *session, struct err *err) {
    char fresh_hash[PASSWORD_HASH_BYTES];
    bool outdated = password_is_outdated(user->password_hash.ptr, app->auth->cost);
    if (outdated && !password_gate_hash(app, password, fresh_hash, err)) {
        return false;
    }
    new_secret(app, session->secret);
    struct session_make make = {
        .user = user->id,
        .verified_hash = user->password_hash.ptr,
        .fresh_hash = outdated ? fresh_hash : NULL,
        .secret = digest_of(str_from(session->secret)),
    };
    user_view_from_row(user, &session->user);
    return account_make_session(app, &make, &session->id, &session->session_expires_ms, err) &&
           give_token(app, session, err);
}

bool auth_sign_in(struct app *app, const struct sign_in_request *request, struct arena *arena,
                  struct session_view *ret_session, struct err *err) {
    struct attempts *attempts = app->auth->attempts;
    struct str name = str_trim(request->username);
    struct session_view session = {0};
    struct user_row user = {0};
    bool found = false;
    bool right = false;
    if (!attempts_check(attempts, name, request->remote, err) ||
        !find_by_name(app, name, arena, &user, &found, err)) {
        return false;
    }
    /* Nobody's password takes as long to be wrong as somebody's. */
    const char *hash = found ? user.password_hash.ptr : app->auth->nobody_hash;
    if (!password_gate_verify(app, hash, request->password, &right, err)) {
        return false;
    }
    if (!found || !right || user.disabled) {
        attempts_failed(attempts, name, request->remote);
        return bad_credentials(err);
    }
    if (!begin_session(app, &user, request->password, &session, err)) {
        return false;
    }
    attempts_succeeded(attempts, name, request->remote);
    *ret_session = session;
    return true;
}

/* ---- while signed in ---- */

static bool is_live(struct app *app, const struct session_row *session) {
    return session->revoked_ms == 0 && clock_utc_ms(app->clock) < session->expires_ms;
}

static bool find_session_user(struct app *app, struct str secret, struct arena *arena,
                              struct session_row *ret_session, struct user_row *ret_user,
                              struct err *err) {
    own(db_reader) reader = NULL;
    struct digest digest = digest_of(secret);
    if (!db_pool_take(app->readers, &reader, err) ||
        !session_store_find_secret(reader->db, &digest, ret_session, err)) {
        return false;
    }
    if (!user_store_find(reader->db, ret_session->user, arena, ret_user, err)) {
        return err->kind == ERR_MISSING ? no_session(err) : false;
    }
    return true;
}

bool auth_renew(struct app *app, struct str secret, struct arena *arena,
                struct session_view *ret_session, struct err *err) {
    struct session_row row;
    struct user_row user;
    if (secret.len != SECRET_CHARS) {
        return no_session(err);
    }
    if (!find_session_user(app, secret, arena, &row, &user, err)) {
        return false;
    }
    if (!is_live(app, &row) || user.disabled) {
        return no_session(err);
    }
    struct session_view session = {.id = row.id, .session_expires_ms = row.expires_ms};
    user_view_from_row(&user, &session.user);
    if (!give_token(app, &session, err)) {
        return false;
    }
    *ret_session = session;
    return true;
}

bool auth_sign_out(struct app *app, const struct actor *actor, struct err *err) {
    if (!actor_need_user(actor, err)) {
        return false;
    }
    return actor->kind != ACTOR_USER || account_end_session(app, actor, err);
}

/* The account behind a token, as it is now. */
static bool load_self(struct app *app, const struct actor *actor, struct arena *arena,
                      struct user_row *ret_user, struct err *err) {
    own(db_reader) reader = NULL;
    struct session_row session;
    if (!actor_need_user(actor, err) || !db_pool_take(app->readers, &reader, err) ||
        !session_store_find(reader->db, actor->session, &session, err) ||
        !user_store_find(reader->db, actor->user, arena, ret_user, err)) {
        return false;
    }
    bool own_session = session.user.value == actor->user.value;
    return (own_session && is_live(app, &session) && !ret_user->disabled) || no_session(err);
}

static bool check_fresh(struct str fresh, struct err *err) {
    if (password_check(fresh, err)) {
        return true;
    }
    return err_set(err, ERR_INVALID, "bad_field",
                   "field `newPassword` must have %d to %d bytes of text", PASSWORD_BYTES_MIN,
                   PASSWORD_BYTES_MAX);
}

bool auth_change_password(struct app *app, const struct actor *actor, struct str current,
                          struct str fresh, struct err *err) {
    struct attempts *attempts = app->auth->attempts;
    own(arena) arena = arena_create((size_t)64 * KIB);
    struct user_row user;
    char fresh_hash[PASSWORD_HASH_BYTES];
    bool right = false;
    if (!load_self(app, actor, arena, &user, err) || !check_fresh(fresh, err) ||
        !attempts_check(attempts, user.username_key, STR("password"), err) ||
        !password_gate_verify(app, user.password_hash.ptr, current, &right, err)) {
        return false;
    }
    if (!right) {
        attempts_failed(attempts, user.username_key, STR("password"));
        return err_set(err, ERR_DENIED, "wrong_password", "the current password is wrong");
    }
    if (!password_gate_hash(app, fresh, fresh_hash, err)) {
        return false;
    }
    struct password_change change = {
        .actor = actor,
        .user = user.id,
        .verified_hash = user.password_hash.ptr,
        .fresh_hash = fresh_hash,
        .keep = actor->session,
    };
    if (!account_change_password(app, &change, err)) {
        return false;
    }
    attempts_succeeded(attempts, user.username_key, STR("password"));
    return true;
}

/* ---- the local administrator, with the database at hand ---- */

static const struct actor system_actor = {.kind = ACTOR_SYSTEM};

static bool generate(struct app *app, struct arena *arena, struct str *ret_password,
                     char ret_hash[PASSWORD_HASH_BYTES], struct err *err) {
    char password[PASSWORD_GENERATED_BYTES];
    password_generate(app->random, password);
    *ret_password = arena_str(arena, str_from(password));
    return password_gate_hash(app, *ret_password, ret_hash, err);
}

static bool make_admin(struct app *app, struct arena *arena, struct str *ret_password,
                       struct err *err) {
    char hash[PASSWORD_HASH_BYTES];
    if (!generate(app, arena, ret_password, hash, err)) {
        return false;
    }
    struct user_row made;
    const struct user_row admin = {
        .username = STR(FIRST_ADMIN),
        .username_key = STR(FIRST_ADMIN),
        .display_name = STR("Administrator"),
        .role = ROLE_ADMIN,
        .password_hash = str_from(hash),
    };
    return account_create(app, &system_actor, &admin, arena, &made, err);
}

static bool has_admin(struct app *app, struct arena *arena, bool *ret_has, struct err *err) {
    own(db_reader) reader = NULL;
    struct user_id *ids = NULL;
    int count = 0;
    if (!db_pool_take(app->readers, &reader, err) ||
        !user_store_admins(reader->db, 1, arena, &ids, &count, err)) {
        return false;
    }
    *ret_has = count > 0;
    return true;
}

/* Somebody called "admin" who is none, or may not sign in, becomes one again. */
static bool promote(struct app *app, const struct user_row *user, struct arena *arena,
                    struct str *ret_password, struct err *err) {
    char hash[PASSWORD_HASH_BYTES];
    const enum role role = ROLE_ADMIN;
    const bool disabled = false;
    struct user_row changed;
    if (!generate(app, arena, ret_password, hash, err)) {
        return false;
    }
    const struct user_update_request request = {
        .id = user->id, .role = &role, .disabled = &disabled, .password = ret_password};
    const struct account_update update = {
        .actor = &system_actor, .request = &request, .fresh_hash = hash};
    return account_update(app, &update, arena, &changed, err);
}

bool auth_ensure_admin(struct app *app, struct arena *arena, bool *ret_created,
                       struct str *ret_password, struct err *err) {
    struct user_row user;
    bool has = false;
    bool found = false;
    *ret_created = false;
    if (!has_admin(app, arena, &has, err)) {
        return false;
    }
    if (has) {
        return true;
    }
    if (!find_by_name(app, STR(FIRST_ADMIN), arena, &user, &found, err)) {
        return false;
    }
    *ret_created = found ? promote(app, &user, arena, ret_password, err)
                         : make_admin(app, arena, ret_password, err);
    return *ret_created;
}

bool auth_reset_password(struct app *app, struct str username, struct arena *arena,
                         struct str *ret_password, struct err *err) {
    struct user_row user;
    char hash[PASSWORD_HASH_BYTES];
    bool found = false;
    if (!find_by_name(app, username, arena, &user, &found, err)) {
        return false;
    }
    if (!found && str_eq_c(username, FIRST_ADMIN)) {
        return make_admin(app, arena, ret_password, err);
    }
    if (!found) {
        return err_set(err, ERR_MISSING, "no_user", "there is no user called `" STR_FMT "`",
                       STR_ARG(str_utf8_prefix(username, USERNAME_BYTES_MAX)));
    }
    struct str password = {0};
    if (!generate(app, arena, &password, hash, err)) {
        return false;
    }
    const struct password_change change = {
        .actor = &system_actor, .user = user.id, .fresh_hash = hash};
    if (!account_change_password(app, &change, err)) {
        return false;
    }
    *ret_password = password;
    return true;
}
