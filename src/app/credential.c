#include "app/credential_internal.h"
#include "app/parts_internal.h"
#include "base/check.h"
#include "base/thread.h"
#include "store/node_store.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN_MAX 256      /* a power of two */
#define KNOWN_FOR_MS 10000 /* another server may have rotated it meanwhile */

struct known {
    struct digest digest;
    struct node_id node; /* 0: empty */
    int64_t until_mono_ms;
};

struct credential_cache {
    struct mutex mutex;
    struct known known[KNOWN_MAX]; /* by the digest's first byte */
    uint64_t round;                /* grows with credentials_forget */
};

/* base64url of random bytes, 4 characters for 3. */
static void make_secret(struct app *app, size_t chars, char *out) {
    uint8_t bytes[48];
    size_t count = chars / 4 * 3;
    CHECK(count <= sizeof bytes);
    own_buf text = {0};
    buf_init(&text, chars);
    random_fill(app->random, bytes, count);
    CHECK(base64url_encode(str_of(bytes, count), &text) && text.len == chars);
    memcpy(out, text.ptr, chars);
    out[chars] = '\0';
}

void credential_make(struct app *app, char out[CREDENTIAL_BYTES]) {
    make_secret(app, 44, out); /* 264 bits */
}

void join_code_make(struct app *app, char out[JOIN_CODE_BYTES]) {
    make_secret(app, 32, out); /* 192 bits */
}

static struct known *place_of(struct credential_cache *cache, const struct digest *digest) {
    return &cache->known[digest->bytes[0] & (KNOWN_MAX - 1)];
}

static bool recall(struct app *app, const struct digest *digest, struct node_id *ret_node,
                   uint64_t *ret_round) {
    struct credential_cache *cache = app->credentials;
    mutex_lock(&cache->mutex);
    const struct known *known = place_of(cache, digest);
    bool found = known->node.value != 0 && digest_equal(&known->digest, digest) &&
                 clock_mono_ms(app->clock) < known->until_mono_ms;
    *ret_node = found ? known->node : (struct node_id){0};
    *ret_round = cache->round;
    mutex_unlock(&cache->mutex);
    return found;
}

/* Not what was read before a change that has become known meanwhile. */
static void remember(struct app *app, const struct digest *digest, struct node_id node,
                     uint64_t round) {
    struct credential_cache *cache = app->credentials;
    mutex_lock(&cache->mutex);
    if (cache->round == round) {
        *place_of(cache, digest) =
            (struct known){.digest = *digest,
                           .node = node,
                           .until_mono_ms = clock_mono_ms(app->clock) + KNOWN_FOR_MS};
    }
    mutex_unlock(&cache->mutex);
}

void credentials_forget(struct app *app) {
    struct credential_cache *cache = app->credentials;
    mutex_lock(&cache->mutex);
    memset(cache->known, 0, sizeof cache->known);
    cache->round++;
    mutex_unlock(&cache->mutex);
}

static bool look_up(struct app *app, const struct digest *digest, struct node_id *ret_node,
                    bool *ret_found, struct err *err) {
    own(db_reader) reader = NULL;
    return db_pool_take(app->readers, &reader, err) &&
           node_store_find_credential(reader->db, digest->bytes, ret_node, ret_found, err);
}

bool dispatch_authenticate(struct app *app, struct str credential, struct actor *ret_actor,
                           struct err *err) {
    struct digest digest = digest_of(credential);
    struct node_id node = {0};
    uint64_t round = 0;
    bool found = recall(app, &digest, &node, &round);
    if (!found) {
        if (!look_up(app, &digest, &node, &found, err)) {
            return false;
        }
        if (!found) {
            return err_set(err, ERR_UNAUTHENTICATED, "bad_credential",
                           "the node's credential is unknown or revoked");
        }
        remember(app, &digest, node, round);
    }
    *ret_actor = (struct actor){.kind = ACTOR_NODE, .node = node};
    return true;
}

bool credentials_part_open(struct app *app, struct err *err) {
    (void)err;
    app->credentials = calloc(1, sizeof *app->credentials);
    CHECK(app->credentials != NULL);
    mutex_init(&app->credentials->mutex);
    return true;
}

void credentials_part_close(struct app *app) {
    if (app->credentials != NULL) {
        mutex_done(&app->credentials->mutex);
        free(app->credentials);
    }
}
