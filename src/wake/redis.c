#include "wake/redis.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/thread.h"
#include "wake/outbox.h"
#include "wake/wake_text.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define BACKOFF_MS_MIN 100
#define BACKOFF_MS_MAX 10000
#define ANSWER_MS 3000
#define PING_MS 15000   /* when nothing was heard for so long, Redis is asked */
#define SILENT_MS 30000 /* and after so long the connection is dead */
#define BATCH_MAX 256   /* messages sent before what has come is read again */
#define CHANNEL_CHARS_MAX 100
#define BATCH_ARENA_BYTES ((size_t)(WAKE_QUEUED_BYTES_MAX + 4 * MIB))

struct redis_wake {
    struct redis_link_options link_options;
    char *texts[5]; /* what the options point to */
    char sender[WAKE_SENDER_CHARS + 1];
    struct wake *wake;
    const struct random *random;
    const struct clock *clock;
    struct outbox *outbox;
    int poke_fd; /* readable: something is in the outbox, or stop */
    atomic_bool stopping;
    pthread_t thread;

    /* the thread's own */
    struct redis_link *listening;
    struct redis_link *publishing;
    int64_t heard_ms[2]; /* of the two */
    int64_t asked_ms;
    int64_t backoff_ms;
    int64_t lost_told; /* losses that the others know of */

    struct mutex mutex; /* of state */
    struct redis_wake_state state;
};

static char *copy(struct redis_wake *redis, int index, const char *text) {
    redis->texts[index] = strdup(text);
    CHECK(redis->texts[index] != NULL);
    return redis->texts[index];
}

static const char *channel_of(const struct redis_wake *redis) {
    return redis->texts[4];
}

static void poke(struct redis_wake *redis) {
    uint64_t one = 1;
    while (write(redis->poke_fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

static void carry(void *context, const struct wake_message *message) {
    struct redis_wake *redis = context;
    if (outbox_put(redis->outbox, message)) {
        poke(redis);
    }
}

/* ---- the state that others see ---- */

static void count_received(struct redis_wake *redis) {
    mutex_lock(&redis->mutex);
    redis->state.received++;
    mutex_unlock(&redis->mutex);
}

static void count_sent(struct redis_wake *redis, int64_t sent) {
    mutex_lock(&redis->mutex);
    redis->state.sent += sent;
    mutex_unlock(&redis->mutex);
}

/* One line when it comes and one when it goes, not one an attempt. */
static void set_connected(struct redis_wake *redis, bool connected, const struct err *why) {
    mutex_lock(&redis->mutex);
    bool changed = redis->state.connected != connected || redis->state.why[0] == '\0';
    redis->state.connected = connected;
    redis->state.connects += connected ? 1 : 0;
    (void)snprintf(redis->state.why, sizeof redis->state.why, "%s", connected ? "ok" : why->text);
    mutex_unlock(&redis->mutex);
    if (connected) {
        log_info("redis.connected", LOG_STR("url", redis->link_options.url));
    } else if (changed) {
        log_warn("redis.lost", LOG_STR("url", redis->link_options.url), LOG_ERR(why));
    }
}

void redis_wake_state(struct redis_wake *redis, struct redis_wake_state *ret_state) {
    mutex_lock(&redis->mutex);
    *ret_state = redis->state;
    mutex_unlock(&redis->mutex);
    ret_state->lost = outbox_lost(redis->outbox);
}

/* ---- sending ---- */

static bool publish(struct redis_wake *redis, const struct wake_message *message, struct err *err) {
    own_buf text = {0};
    buf_init(&text, WAKE_TEXT_BYTES_MAX);
    wake_text_write(redis->sender, message, &text);
    const struct str words[] = {STR("PUBLISH"), str_from(channel_of(redis)), buf_str(&text)};
    return redis_link_send(redis->publishing, words, 3, err);
}

static bool publish_look(struct redis_wake *redis, struct err *err) {
    const struct wake_message look = {.topic = WAKE_LOOK, .count = 1};
    redis->lost_told = outbox_lost(redis->outbox);
    return publish(redis, &look, err);
}

static bool publish_waiting(struct redis_wake *redis, struct err *err) {
    own(arena) arena = arena_create(BATCH_ARENA_BYTES);
    struct wake_message message = {0};
    int sent = 0;
    while (sent < BATCH_MAX && outbox_take(redis->outbox, arena, &message)) {
        if (!publish(redis, &message, err)) {
            return false;
        }
        sent++;
    }
    count_sent(redis, sent);
    if (sent == BATCH_MAX) {
        poke(redis); /* there may be more */
    }
    return outbox_lost(redis->outbox) == redis->lost_told || publish_look(redis, err);
}

/* ---- receiving ---- */

static bool read_link(struct redis_wake *redis, struct redis_link *link, int index,
                      struct err *err) {
    for (;;) {
        enum redis_kind kind = REDIS_NOTHING;
        struct str text = {0};
        struct wake_message message = {0};
        if (!redis_link_next(link, &kind, &text, err)) {
            return false;
        }
        if (kind == REDIS_NOTHING) {
            return true;
        }
        redis->heard_ms[index] = clock_mono_ms(redis->clock);
        if (kind == REDIS_MESSAGE && wake_text_read(text, redis->sender, &message)) {
            count_received(redis);
            wake_tell_here(redis->wake, &message);
        }
    }
}

/* A connection that was cut in the middle says nothing by itself. */
static bool check_silence(struct redis_wake *redis, struct err *err) {
    int64_t now_ms = clock_mono_ms(redis->clock);
    const struct str ping[] = {STR("PING")};
    int64_t heard_ms =
        redis->heard_ms[0] < redis->heard_ms[1] ? redis->heard_ms[0] : redis->heard_ms[1];
    if (now_ms - heard_ms >= SILENT_MS) {
        return err_set(err, ERR_DEADLINE, "timeout", "Redis has not answered for %d seconds",
                       SILENT_MS / 1000);
    }
    if (now_ms - heard_ms < PING_MS || now_ms - redis->asked_ms < PING_MS) {
        return true;
    }
    redis->asked_ms = now_ms;
    return redis_link_send(redis->listening, ping, 1, err) &&
           redis_link_send(redis->publishing, ping, 1, err);
}

static void take_poke(struct redis_wake *redis) {
    uint64_t pokes = 0;
    (void)!read(redis->poke_fd, &pokes, sizeof pokes);
}

/* Until something breaks, or stop. */
static bool carry_messages(struct redis_wake *redis, struct err *err) {
    while (!atomic_load(&redis->stopping)) {
        struct pollfd waited[] = {
            {.fd = redis_link_fd(redis->listening), .events = POLLIN},
            {.fd = redis_link_fd(redis->publishing), .events = POLLIN},
            {.fd = redis->poke_fd, .events = POLLIN},
        };
        if (poll(waited, 3, PING_MS / 3) < 0 && errno != EINTR) {
            return err_system(err, "redis_failed", "cannot wait for Redis");
        }
        if ((waited[2].revents & POLLIN) != 0) {
            take_poke(redis); /* before emptying: what comes meanwhile pokes again */
        }
        if (!read_link(redis, redis->listening, 0, err) ||
            !read_link(redis, redis->publishing, 1, err) || !publish_waiting(redis, err) ||
            !check_silence(redis, err)) {
            return false;
        }
    }
    return true;
}

/* ---- connecting ---- */

static bool connect_both(struct redis_wake *redis, struct err *err) {
    const struct str subscribe[] = {STR("SUBSCRIBE"), str_from(channel_of(redis))};
    const struct str ping[] = {STR("PING")};
    if (!redis_link_open(&redis->link_options, &redis->listening, err) ||
        !redis_link_open(&redis->link_options, &redis->publishing, err) ||
        !redis_link_send(redis->listening, subscribe, 2, err) ||
        !redis_link_wait(redis->listening, ANSWER_MS, err) ||
        !redis_link_send(redis->publishing, ping, 1, err) ||
        !redis_link_wait(redis->publishing, ANSWER_MS, err)) {
        return false;
    }
    redis->heard_ms[0] = redis->heard_ms[1] = clock_mono_ms(redis->clock);
    redis->asked_ms = redis->heard_ms[0];
    return true;
}

static void disconnect(struct redis_wake *redis) {
    redis_link_close(redis->listening);
    redis_link_close(redis->publishing);
    redis->listening = NULL;
    redis->publishing = NULL;
}

/* One life of the connection. */
static bool session(struct redis_wake *redis, struct err *err) {
    if (!connect_both(redis, err)) {
        return false;
    }
    outbox_shut(redis->outbox, false);
    set_connected(redis, true, NULL);
    redis->backoff_ms = BACKOFF_MS_MIN;
    const struct wake_message look = {.topic = WAKE_LOOK, .count = 1};
    wake_tell_here(redis->wake, &look);
    return publish_look(redis, err) && carry_messages(redis, err);
}

/* Half of the back-off, and a random part of the other half: servers that lost the same Redis do
 * not come back in step. */
static void back_off(struct redis_wake *redis) {
    int64_t half_ms = redis->backoff_ms / 2;
    int64_t wait_ms = half_ms + random_below(redis->random, half_ms + 1);
    int64_t end_ms = clock_mono_ms(redis->clock) + wait_ms;
    for (int64_t left_ms = wait_ms; left_ms > 0 && !atomic_load(&redis->stopping);
         left_ms = end_ms - clock_mono_ms(redis->clock)) {
        struct pollfd poked = {.fd = redis->poke_fd, .events = POLLIN};
        if (poll(&poked, 1, (int)left_ms) > 0) {
            take_poke(redis);
        }
    }
    redis->backoff_ms =
        redis->backoff_ms * 2 < BACKOFF_MS_MAX ? redis->backoff_ms * 2 : BACKOFF_MS_MAX;
}

static void *redis_main(void *argument) {
    struct redis_wake *redis = argument;
    while (!atomic_load(&redis->stopping)) {
        struct err err = {0};
        bool fine = session(redis, &err);
        outbox_shut(redis->outbox, true);
        disconnect(redis);
        if (!fine) {
            set_connected(redis, false, &err);
            back_off(redis);
        }
    }
    return NULL;
}

/* ---- opening and closing ---- */

static bool check_channel(const char *channel, struct err *err) {
    struct str text = str_from(channel);
    bool fine = text.len > 0 && text.len <= CHANNEL_CHARS_MAX;
    for (size_t i = 0; i < text.len && fine; i++) {
        fine = text.ptr[i] > ' ' && text.ptr[i] < 0x7f;
    }
    return fine || err_set(err, ERR_INVALID, "bad_redis_channel",
                           "the Redis channel must be 1 to %d visible characters without spaces",
                           CHANNEL_CHARS_MAX);
}

bool redis_wake_open(const struct redis_wake_options *options, struct redis_wake **ret_redis,
                     struct err *err) {
    if (!redis_url_check(options->link.url, err) || !check_channel(options->channel, err)) {
        return false;
    }
    int poke_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (poke_fd < 0) {
        return err_system(err, "redis_failed", "cannot make an event descriptor");
    }
    struct redis_wake *redis = calloc(1, sizeof *redis);
    CHECK(redis != NULL);
    redis->link_options =
        (struct redis_link_options){.url = copy(redis, 0, options->link.url),
                                    .user = copy(redis, 1, options->link.user),
                                    .password = copy(redis, 2, options->link.password),
                                    .ca_file = copy(redis, 3, options->link.ca_file)};
    (void)copy(redis, 4, options->channel);
    uint8_t bytes[WAKE_SENDER_CHARS / 2];
    random_fill(options->random, bytes, sizeof bytes);
    hex_encode(bytes, sizeof bytes, redis->sender);
    redis->wake = options->wake;
    redis->random = options->random;
    redis->clock = options->clock;
    redis->poke_fd = poke_fd;
    redis->backoff_ms = BACKOFF_MS_MIN;
    redis->outbox = outbox_create();
    outbox_shut(redis->outbox, true);
    mutex_init(&redis->mutex);
    const struct wake_carrier carrier = {.context = redis, .send = carry};
    wake_set_carrier(redis->wake, &carrier);
    redis->thread = thread_start("redis", redis_main, redis);
    *ret_redis = redis;
    return true;
}

void redis_wake_close(struct redis_wake *redis) {
    if (redis == NULL) {
        return;
    }
    atomic_store(&redis->stopping, true);
    poke(redis);
    thread_join(redis->thread);
    wake_set_carrier(redis->wake, NULL);
    outbox_free(redis->outbox);
    mutex_done(&redis->mutex);
    (void)close(redis->poke_fd);
    for (size_t i = 0; i < sizeof redis->texts / sizeof redis->texts[0]; i++) {
        explicit_bzero(redis->texts[i], strlen(redis->texts[i]));
        free(redis->texts[i]);
    }
    free(redis);
}
