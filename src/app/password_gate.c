/* Password checks cost 19 MiB and 50 ms of a core each, by design. A whole class that signs in at
 * once must not take the machine's memory: a few run, some wait, the rest is sent away. */
#include "app/auth_internal.h"

#include "base/check.h"

static bool enter(struct auth *auth, struct err *err) {
    mutex_lock(&auth->mutex);
    bool full = auth->waiting >= PASSWORDS_WAITING_MAX;
    if (!full) {
        auth->waiting++;
        while (auth->running >= PASSWORDS_RUNNING_MAX) {
            cond_wait(&auth->freed, &auth->mutex);
        }
        auth->waiting--;
        auth->running++;
    }
    mutex_unlock(&auth->mutex);
    return !full ||
           err_set(err, ERR_BUSY, "busy", "too many people are signing in: try again in a moment");
}

static void leave(struct auth *auth) {
    mutex_lock(&auth->mutex);
    CHECK(auth->running > 0);
    auth->running--;
    cond_signal(&auth->freed);
    mutex_unlock(&auth->mutex);
}

bool password_gate_verify(struct app *app, const char *hash, struct str password, bool *ret_right,
                          struct err *err) {
    if (!enter(app->auth, err)) {
        return false;
    }
    *ret_right = password_verify(hash, password);
    leave(app->auth);
    return true;
}

bool password_gate_hash(struct app *app, struct str password, char ret_hash[PASSWORD_HASH_BYTES],
                        struct err *err) {
    if (!enter(app->auth, err)) {
        return false;
    }
    bool hashed = password_hash(password, app->auth->cost, ret_hash, err);
    leave(app->auth);
    return hashed;
}
