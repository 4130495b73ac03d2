/* Failed password checks. A set-associative table: the key's digest chooses a set of WAYS entries,
 * and the entry whose window began first makes room. The digest is keyed, so that nobody can choose
 * names that push a certain entry out. */
#include "app/attempts_internal.h"

#include "base/check.h"
#include "base/thread.h"
#include "data/digest.h"
#include <stdlib.h>
#include <string.h>

#define SETS 1024
#define WAYS 8
#define SALT_BYTES 32

struct entry {
    uint64_t key; /* 0: free */
    int64_t begun_ms;
    int32_t count;
};

struct attempts {
    struct mutex mutex;
    const struct clock *clock;
    char salt[SALT_BYTES];
    struct entry entries[SETS][WAYS];
};

enum scope { SCOPE_PAIR, SCOPE_NAME, SCOPE_REMOTE, SCOPE_COUNT };

static const int32_t failures_max[SCOPE_COUNT] = {
    [SCOPE_PAIR] = ATTEMPTS_PAIR_MAX,
    [SCOPE_NAME] = ATTEMPTS_NAME_MAX,
    [SCOPE_REMOTE] = ATTEMPTS_REMOTE_MAX,
};

struct attempts *attempts_create(const struct clock *clock, const struct random *random) {
    struct attempts *attempts = calloc(1, sizeof(*attempts));
    CHECK(attempts != NULL);
    mutex_init(&attempts->mutex);
    attempts->clock = clock;
    random_fill(random, attempts->salt, sizeof(attempts->salt));
    return attempts;
}

void attempts_free(struct attempts *attempts) {
    if (attempts != NULL) {
        mutex_done(&attempts->mutex);
        free(attempts);
    }
}

static uint64_t key_of(const struct attempts *attempts, enum scope scope, struct str name,
                       struct str remote) {
    char mark = (char)scope;
    struct digest_stream stream;
    digest_begin(&stream);
    digest_add(&stream, str_of(attempts->salt, sizeof(attempts->salt)));
    digest_add(&stream, str_of(&mark, 1));
    if (scope != SCOPE_REMOTE) {
        digest_add(&stream, name);
    }
    digest_add(&stream, str_of("", 1)); /* a NUL, which neither text has */
    if (scope != SCOPE_NAME) {
        digest_add(&stream, remote);
    }
    struct digest digest = digest_end(&stream);
    uint64_t key = 0;
    memcpy(&key, digest.bytes, sizeof(key));
    return key == 0 ? 1 : key;
}

/* NULL when the key has no running window. */
static struct entry *find(struct attempts *attempts, uint64_t key, int64_t now_ms) {
    struct entry *set = attempts->entries[key % SETS];
    for (int i = 0; i < WAYS; i++) {
        if (set[i].key == key && now_ms - set[i].begun_ms < ATTEMPTS_WINDOW_MS) {
            return &set[i];
        }
    }
    return NULL;
}

static struct entry *oldest(struct attempts *attempts, uint64_t key) {
    struct entry *set = attempts->entries[key % SETS];
    struct entry *found = &set[0];
    for (int i = 0; i < WAYS; i++) {
        if (set[i].key == key || set[i].key == 0) {
            return &set[i];
        }
        found = set[i].begun_ms < found->begun_ms ? &set[i] : found;
    }
    return found;
}

bool attempts_check(struct attempts *attempts, struct str name, struct str remote,
                    struct err *err) {
    int64_t now_ms = clock_mono_ms(attempts->clock);
    int64_t wait_ms = 0;
    mutex_lock(&attempts->mutex);
    for (int scope = 0; scope < SCOPE_COUNT; scope++) {
        uint64_t key = key_of(attempts, (enum scope)scope, name, remote);
        const struct entry *entry = find(attempts, key, now_ms);
        if (entry != NULL && entry->count >= failures_max[scope]) {
            int64_t left_ms = entry->begun_ms + ATTEMPTS_WINDOW_MS - now_ms;
            wait_ms = left_ms > wait_ms ? left_ms : wait_ms;
        }
    }
    mutex_unlock(&attempts->mutex);
    if (wait_ms > 0) {
        (void)err_set(err, ERR_LIMITED, "too_many_attempts",
                      "too many failed sign-ins: try again in %lld seconds",
                      (long long)((wait_ms + 999) / 1000));
        err->retry_ms = (int)wait_ms;
        return false;
    }
    return true;
}

void attempts_failed(struct attempts *attempts, struct str name, struct str remote) {
    int64_t now_ms = clock_mono_ms(attempts->clock);
    mutex_lock(&attempts->mutex);
    for (int scope = 0; scope < SCOPE_COUNT; scope++) {
        uint64_t key = key_of(attempts, (enum scope)scope, name, remote);
        struct entry *entry = find(attempts, key, now_ms);
        if (entry == NULL) {
            entry = oldest(attempts, key);
            *entry = (struct entry){.key = key, .begun_ms = now_ms};
        }
        entry->count++;
    }
    mutex_unlock(&attempts->mutex);
}

void attempts_succeeded(struct attempts *attempts, struct str name, struct str remote) {
    mutex_lock(&attempts->mutex);
    uint64_t key = key_of(attempts, SCOPE_PAIR, name, remote);
    struct entry *entry = find(attempts, key, clock_mono_ms(attempts->clock));
    if (entry != NULL) {
        *entry = (struct entry){0};
    }
    mutex_unlock(&attempts->mutex);
}
