#ifndef WAKE_REDIS_LINK_H
#define WAKE_REDIS_LINK_H

#include "base/arena.h"
#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

/* One connection to a Redis server, RESP2 in both directions. net/byte_stream.h carries the bytes,
 * since Debian's hiredis knows no TLS; hiredis spells and reads the protocol. One thread. */

struct redis_link;

/* redis://host[:port], rediss://host[:port] (TLS), unix:/path. */
struct redis_link_options {
    const char *url;
    const char *user;     /* "" for none */
    const char *password; /* "" for none; never part of an error or log line */
    const char *ca_file;  /* "" for the system's */
};

/* Says whether the address can be understood. ERR_INVALID "bad_redis_url". */
checked bool redis_url_check(const char *url, struct err *err);

/* Connects and signs in. ERR_BUSY "unreachable", ERR_DENIED "redis_refused". */
checked bool redis_link_open(const struct redis_link_options *options, struct redis_link **ret_link,
                             struct err *err);
void redis_link_close(struct redis_link *link); /* accepts NULL */
OWN_DEFINE(redis_link, redis_link_close)

int redis_link_fd(const struct redis_link *link);

/* Sends a command without waiting for its answer. Words may hold any bytes. */
checked bool redis_link_send(struct redis_link *link, const struct str words[], int count,
                             struct err *err);

enum redis_kind { REDIS_NOTHING, REDIS_MESSAGE, REDIS_OTHER };

/* The next answer that is there already; REDIS_NOTHING: poll for more. Of a message, `text` is the
 * payload, valid until the next call. Errors: ERR_BUSY "unreachable", ERR_DENIED "redis_refused"
 * (an error answer), ERR_SYSTEM "redis_protocol". */
checked bool redis_link_next(struct redis_link *link, enum redis_kind *ret_kind,
                             struct str *ret_text, struct err *err);
/* Waits for one answer, for at most `wait_ms`. ERR_DEADLINE "timeout". */
checked bool redis_link_wait(struct redis_link *link, int64_t wait_ms, struct err *err);

#endif
