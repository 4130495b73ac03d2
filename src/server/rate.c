/* Token buckets in a table of fixed size. A key that falls into another's place takes it over with
 * a full bucket: that way a limit can be passed, but is never put on the wrong client. */
#include "base/check.h"
#include "base/thread.h"
#include "server/server_internal.h"

#include <stdlib.h>

#define RATE_PLACES 8192

struct rate_row {
    int64_t burst;      /* requests at once */
    int64_t per_minute; /* and then */
};

/* An exam hand-in is a write; a class of fifty behind one address signs in within a minute. */
static const struct rate_row rates[RATE_CLASS_COUNT] = {
    [RATE_READ] = {600, 3000},    [RATE_WRITE] = {120, 240},
    [RATE_LOGIN] = {120, 120},    [RATE_MACHINE] = {0, 0}, /* not limited: nodes have credentials */
    [RATE_STRANGER] = {300, 300}, /* a class whose sessions have ended asks a few times each */
};

struct bucket {
    uint64_t key;
    int64_t milli_tokens;
    int64_t at_mono_ms;
};

struct rate_table {
    const struct clock *clock;
    struct mutex lock;
    struct bucket buckets[RATE_PLACES];
};

struct rate_table *rate_create(const struct clock *clock) {
    struct rate_table *table = calloc(1, sizeof *table);
    CHECK(table != NULL);
    table->clock = clock;
    mutex_init(&table->lock);
    return table;
}

void rate_free(struct rate_table *table) {
    if (table != NULL) {
        mutex_done(&table->lock);
        free(table);
    }
}

static uint64_t hash_key(enum rate_class rate, struct str key) {
    uint64_t hash = UINT64_C(14695981039346656037) ^ (uint64_t)rate;
    for (size_t i = 0; i < key.len; i++) {
        hash = (hash ^ (unsigned char)key.ptr[i]) * UINT64_C(1099511628211);
    }
    return hash == 0 ? 1 : hash;
}

static void refill(struct bucket *bucket, const struct rate_row *row, int64_t now_ms) {
    int64_t gained = (now_ms - bucket->at_mono_ms) * row->per_minute / 60;
    if (gained > 0) {
        bucket->milli_tokens += gained;
        bucket->at_mono_ms = now_ms;
    }
    if (bucket->milli_tokens > row->burst * 1000) {
        bucket->milli_tokens = row->burst * 1000;
    }
}

static bool take_or_look(struct rate_table *table, enum rate_class rate, struct str key,
                         int64_t milli_tokens, int64_t *ret_retry_s) {
    const struct rate_row *row = &rates[rate];
    if (row->per_minute == 0) {
        return true;
    }
    uint64_t hash = hash_key(rate, key);
    int64_t now_ms = clock_mono_ms(table->clock);
    mutex_lock(&table->lock);
    struct bucket *bucket = &table->buckets[hash % RATE_PLACES];
    if (bucket->key != hash) {
        *bucket = (struct bucket){hash, row->burst * 1000, now_ms};
    }
    refill(bucket, row, now_ms);
    bool taken = bucket->milli_tokens >= 1000;
    if (taken) {
        bucket->milli_tokens -= milli_tokens;
    } else {
        *ret_retry_s = 1 + (1000 - bucket->milli_tokens) * 60 / row->per_minute / 1000;
    }
    mutex_unlock(&table->lock);
    return taken;
}

bool rate_take(struct rate_table *table, enum rate_class rate, struct str key,
               int64_t *ret_retry_s) {
    return take_or_look(table, rate, key, 1000, ret_retry_s);
}

bool rate_has(struct rate_table *table, enum rate_class rate, struct str key,
              int64_t *ret_retry_s) {
    return take_or_look(table, rate, key, 0, ret_retry_s);
}
