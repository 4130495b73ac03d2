/* The keys of access tokens. */
#include "app/token_keys_internal.h"

#include "base/check.h"
#include "base/thread.h"
#include "store/server_key_store.h"
#include <stdlib.h>
#include <string.h>

#define DAY_MS (INT64_C(24) * 3600 * 1000)
#define ACCEPT_MARGIN_MS INT64_C(300000) /* clocks of servers differ */
#define RELOAD_MS 10000

struct token_keys {
    struct mutex mutex; /* all below */
    struct server_key_row rows[SERVER_KEYS_MAX];
    int count;
    bool loaded;
    int64_t loaded_mono_ms;
};

struct token_keys *token_keys_create(void) {
    struct token_keys *keys = calloc(1, sizeof(*keys));
    CHECK(keys != NULL);
    mutex_init(&keys->mutex);
    return keys;
}

void token_keys_free(struct token_keys *keys) {
    if (keys != NULL) {
        mutex_done(&keys->mutex);
        explicit_bzero(keys, sizeof(*keys));
        free(keys);
    }
}

/* ---- making a key ---- */

struct key_make {
    struct write_item item;
    struct server_key_row row;
};

static bool signs(const struct server_key_row *row, int64_t now_ms) {
    return now_ms >= row->created_ms && now_ms < row->signs_until_ms;
}

/* Another server, or another thread of this one, may have been quicker: then there is nothing to
 * do. */
static bool key_make_run(struct app *app, struct db *db, struct write_item **items, int count,
                         struct err *err) {
    CHECK(count == 1);
    struct key_make *make = (struct key_make *)items[0];
    struct server_key_row rows[SERVER_KEYS_MAX];
    int known = 0;
    int64_t now_ms = 0;
    if (!db_now(db, &now_ms, err) || !server_key_store_delete_expired(db, now_ms, err) ||
        !server_key_store_list(db, now_ms, rows, &known, err)) {
        return false;
    }
    bool made = known > 0 && signs(&rows[0], now_ms);
    explicit_bzero(rows, sizeof(rows));
    make->row.created_ms = now_ms;
    make->row.signs_until_ms = now_ms + TOKEN_KEY_DAYS * DAY_MS;
    make->row.accepted_until_ms =
        make->row.signs_until_ms + app->settings.token_ms + ACCEPT_MARGIN_MS;
    if (!made && !server_key_store_insert(db, &make->row, err)) {
        return false;
    }
    items[0]->ok = true;
    return true;
}

static const struct write_kind key_make_kind = {
    .name = "token_key.make", .batch_max = 1, .run = key_make_run};

static bool make_key(struct app *app, struct err *err) {
    struct key_make make = {.item.kind = &key_make_kind};
    uint8_t name[8];
    random_fill(app->random, name, sizeof(name));
    hex_encode(name, sizeof(name), make.row.key.kid);
    random_fill(app->random, make.row.key.secret, sizeof(make.row.key.secret));
    bool made = app_write_wait(app, &make.item, err);
    explicit_bzero(&make, sizeof(make));
    return made;
}

/* ---- reading them ---- */

static bool reload(struct app *app, struct token_keys *keys, struct err *err) {
    struct server_key_row rows[SERVER_KEYS_MAX];
    int count = 0;
    own(db_reader) reader = NULL;
    if (!db_pool_take(app->readers, &reader, err) ||
        !server_key_store_list(reader->db, clock_utc_ms(app->clock), rows, &count, err)) {
        return err_wrap(err, "read the keys of access tokens");
    }
    mutex_lock(&keys->mutex);
    memcpy(keys->rows, rows, sizeof(rows));
    keys->count = count;
    keys->loaded = true;
    keys->loaded_mono_ms = clock_mono_ms(app->clock);
    mutex_unlock(&keys->mutex);
    explicit_bzero(rows, sizeof(rows));
    return true;
}

/* False when no known key signs now. */
static bool take_signing(struct app *app, struct token_keys *keys, struct jwt_key *ret_key) {
    int64_t now_ms = clock_utc_ms(app->clock);
    bool found = false;
    mutex_lock(&keys->mutex);
    for (int i = 0; i < keys->count && !found; i++) {
        found = signs(&keys->rows[i], now_ms);
        if (found) {
            *ret_key = keys->rows[i].key;
        }
    }
    mutex_unlock(&keys->mutex);
    return found;
}

static bool signing_key(struct app *app, struct token_keys *keys, struct jwt_key *ret_key,
                        struct err *err) {
    if (take_signing(app, keys, ret_key)) {
        return true;
    }
    if (!reload(app, keys, err)) {
        return false;
    }
    if (take_signing(app, keys, ret_key)) {
        return true;
    }
    if (!make_key(app, err) || !reload(app, keys, err)) {
        return false;
    }
    return take_signing(app, keys, ret_key) ||
           err_set(err, ERR_SYSTEM, "internal", "no key can sign: is the server's clock right?");
}

bool token_keys_sign(struct app *app, struct token_keys *keys, const struct jwt_claims *claims,
                     struct buf *out, struct err *err) {
    struct jwt_key key;
    bool made = signing_key(app, keys, &key, err) && jwt_sign(&key, claims, out, err);
    explicit_bzero(&key, sizeof(key));
    return made;
}

static bool verify_once(struct app *app, struct token_keys *keys, struct str token,
                        struct jwt_claims *ret_claims, struct err *err) {
    struct jwt_key accepted[SERVER_KEYS_MAX];
    size_t count = 0;
    int64_t now_ms = clock_utc_ms(app->clock);
    mutex_lock(&keys->mutex);
    for (int i = 0; i < keys->count; i++) {
        if (now_ms < keys->rows[i].accepted_until_ms) {
            accepted[count++] = keys->rows[i].key;
        }
    }
    mutex_unlock(&keys->mutex);
    bool verified = jwt_verify(token, accepted, count, now_ms, ret_claims, err);
    explicit_bzero(accepted, sizeof(accepted));
    return verified;
}

static bool may_reload(struct app *app, struct token_keys *keys) {
    mutex_lock(&keys->mutex);
    bool may = !keys->loaded || clock_mono_ms(app->clock) - keys->loaded_mono_ms >= RELOAD_MS;
    mutex_unlock(&keys->mutex);
    return may;
}

bool token_keys_verify(struct app *app, struct token_keys *keys, struct str token,
                       struct jwt_claims *ret_claims, struct err *err) {
    if (verify_once(app, keys, token, ret_claims, err)) {
        return true;
    }
    struct err reload_err = {0};
    bool expired = str_eq_c(STR("token_expired"), err->code);
    return !expired && may_reload(app, keys) && reload(app, keys, &reload_err) &&
           verify_once(app, keys, token, ret_claims, err);
}
