#include "wake/redis_link.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/limits.h"
#include "net/byte_stream.h"

#include <hiredis/hiredis.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_MS 2000
#define ANSWER_MS 3000
#define STEP_BYTES ((size_t)16 * KIB)
#define PENDING_BYTES_MAX (1 * MIB) /* of one answer: nobody of ours sends as much */
#define WORDS_MAX 4
#define ADDRESS_BYTES 300

struct redis_link {
    struct byte_stream *stream;
    redisReader *reader;
    redisReply *reply; /* what redis_link_next gave last */
    size_t pending;
};

struct place {
    bool tls;
    const char *unix_path;
    char address[ADDRESS_BYTES];
};

static bool bad_url(struct err *err) {
    return err_set(err, ERR_INVALID, "bad_redis_url",
                   "the address of Redis must be redis://host:port, rediss://host:port or "
                   "unix:/path; user and password are settings of their own");
}

static bool parse_url(const char *url, struct place *place, struct err *err) {
    struct str rest = str_from(url);
    if (str_starts(rest, STR("unix:/"))) {
        place->unix_path = url + strlen("unix:");
        return true;
    }
    place->tls = str_starts(rest, STR("rediss://"));
    if (!place->tls && !str_starts(rest, STR("redis://"))) {
        return bad_url(err);
    }
    size_t scheme = place->tls ? strlen("rediss://") : strlen("redis://");
    rest = str_sub(rest, scheme, rest.len - scheme);
    if (str_ends(rest, STR("/"))) {
        rest = str_sub(rest, 0, rest.len - 1);
    }
    for (size_t i = 0; i < rest.len; i++) {
        if (strchr("/@?# ", rest.ptr[i]) != NULL) {
            return bad_url(err);
        }
    }
    struct str host = {0};
    struct str port = {0};
    bool has_port =
        str_cut_last(rest, ':', &host, &port) && memchr(port.ptr, ']', port.len) == NULL;
    int len = snprintf(place->address, sizeof place->address, STR_FMT "%s", STR_ARG(rest),
                       has_port ? "" : ":6379");
    return (rest.len > 0 && (size_t)len < sizeof place->address) || bad_url(err);
}

bool redis_url_check(const char *url, struct err *err) {
    struct place place = {0};
    return parse_url(url, &place, err);
}

void redis_link_close(struct redis_link *link) {
    if (link != NULL) {
        if (link->reply != NULL) {
            freeReplyObject(link->reply);
        }
        redisReaderFree(link->reader);
        byte_stream_close(link->stream);
        free(link);
    }
}

int redis_link_fd(const struct redis_link *link) {
    return byte_stream_fd(link->stream);
}

bool redis_link_send(struct redis_link *link, const struct str words[], int count,
                     struct err *err) {
    CHECK(count > 0 && count <= WORDS_MAX);
    const char *starts[WORDS_MAX];
    size_t lengths[WORDS_MAX];
    for (int i = 0; i < count; i++) {
        starts[i] = words[i].ptr;
        lengths[i] = words[i].len;
    }
    char *command = NULL;
    int len = redisFormatCommandArgv(&command, count, starts, lengths);
    CHECK(len > 0);
    bool sent = byte_stream_send(link->stream, str_of(command, (size_t)len), ANSWER_MS, err);
    redisFreeCommand(command);
    return sent;
}

static struct str text_of(const redisReply *reply) {
    return str_of(reply->str, reply->len);
}

static bool is_text(const redisReply *reply) {
    return reply->type == REDIS_REPLY_STRING || reply->type == REDIS_REPLY_STATUS;
}

static bool classify(const redisReply *reply, enum redis_kind *ret_kind, struct str *ret_text,
                     struct err *err) {
    if (reply->type == REDIS_REPLY_ERROR) {
        return err_set(err, ERR_DENIED, "redis_refused", "Redis says: " STR_FMT,
                       STR_ARG(str_utf8_prefix(text_of(reply), 150)));
    }
    *ret_kind = REDIS_OTHER;
    if (reply->type == REDIS_REPLY_ARRAY && reply->elements == 3 && is_text(reply->element[0]) &&
        is_text(reply->element[2]) && str_eq(text_of(reply->element[0]), STR("message"))) {
        *ret_kind = REDIS_MESSAGE;
        *ret_text = text_of(reply->element[2]);
    }
    return true;
}

static bool bad_protocol(struct err *err) {
    return err_set(err, ERR_SYSTEM, "redis_protocol", "what answers there does not speak as Redis");
}

/* *ret_more false: nothing more has come. */
static bool feed(struct redis_link *link, bool *ret_more, struct err *err) {
    char bytes[STEP_BYTES];
    size_t count = 0;
    if (!byte_stream_receive(link->stream, bytes, sizeof bytes, &count, err)) {
        return false;
    }
    *ret_more = count > 0;
    link->pending += count;
    return (link->pending <= PENDING_BYTES_MAX &&
            redisReaderFeed(link->reader, bytes, count) == REDIS_OK) ||
           bad_protocol(err);
}

bool redis_link_next(struct redis_link *link, enum redis_kind *ret_kind, struct str *ret_text,
                     struct err *err) {
    if (link->reply != NULL) {
        freeReplyObject(link->reply);
        link->reply = NULL;
    }
    for (;;) {
        void *reply = NULL;
        bool more = false;
        if (redisReaderGetReply(link->reader, &reply) != REDIS_OK) {
            return bad_protocol(err);
        }
        if (reply != NULL) {
            link->reply = reply;
            link->pending = 0;
            return classify(link->reply, ret_kind, ret_text, err);
        }
        if (!feed(link, &more, err)) {
            return false;
        }
        if (!more) {
            *ret_kind = REDIS_NOTHING;
            return true;
        }
    }
}

bool redis_link_wait(struct redis_link *link, int64_t wait_ms, struct err *err) {
    int64_t end_ms = clock_mono_ms(&clock_real) + wait_ms;
    for (;;) {
        enum redis_kind kind = REDIS_NOTHING;
        struct str ignored = {0};
        if (!redis_link_next(link, &kind, &ignored, err)) {
            return false;
        }
        if (kind != REDIS_NOTHING) {
            return true;
        }
        int64_t left_ms = end_ms - clock_mono_ms(&clock_real);
        struct pollfd socket = {.fd = redis_link_fd(link), .events = POLLIN};
        if (left_ms <= 0 || poll(&socket, 1, (int)left_ms) == 0) {
            return err_set(err, ERR_DEADLINE, "timeout", "Redis does not answer");
        }
    }
}

static bool sign_in(struct redis_link *link, const struct redis_link_options *options,
                    struct err *err) {
    if (options->password[0] == '\0') {
        return true;
    }
    const struct str words[] = {STR("AUTH"), str_from(options->user), str_from(options->password)};
    const struct str without_user[] = {words[0], words[2]};
    bool named = options->user[0] != '\0';
    return redis_link_send(link, named ? words : without_user, named ? 3 : 2, err) &&
           redis_link_wait(link, ANSWER_MS, err);
}

bool redis_link_open(const struct redis_link_options *options, struct redis_link **ret_link,
                     struct err *err) {
    struct place place = {0};
    if (!parse_url(options->url, &place, err)) {
        return false;
    }
    struct byte_stream_options stream = {.address = place.address,
                                         .unix_path = place.unix_path,
                                         .tls = place.tls,
                                         .ca_file =
                                             options->ca_file[0] == '\0' ? NULL : options->ca_file,
                                         .connect_ms = CONNECT_MS};
    own(redis_link) link = calloc(1, sizeof *link);
    CHECK(link != NULL);
    link->reader = redisReaderCreate();
    CHECK(link->reader != NULL);
    if (!byte_stream_open(&stream, &link->stream, err) || !sign_in(link, options, err)) {
        return err_wrap(err, "Redis");
    }
    *ret_link = take(link);
    return true;
}
