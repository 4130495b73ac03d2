/* Streams whose end is not known, and the ticker that keeps idle ones honest.
 *
 * libmicrohttpd calls stream_read in an event thread. With nothing to send, the connection is
 * suspended inside the reader (a reader that returns 0 without that spins) and is deaf until
 * http_stream_wake resumes it; so the ticker wakes each idle stream every 15 seconds to send a few
 * bytes, which notices a client that hung up.
 *
 * A stream has two owners, libmicrohttpd's response and the caller, and is freed with the last. */
#include "base/check.h"
#include "base/clock.h"
#include "net/http_internal.h"

#include <stdlib.h>

#define STREAM_BLOCK_BYTES 4096

struct http_stream {
    struct http_server *server;
    struct MHD_Connection *connection;
    struct http_stream_ops ops;
    void *context;
    struct mutex lock;
    int owners;
    bool suspended;
    bool woken;
    bool idle_due;
    bool ended;  /* the server is stopping */
    bool closed; /* the connection is gone */
    int64_t last_bytes_mono_ms;
    struct http_stream *next;
};

static void stream_drop(struct http_stream *stream) {
    mutex_lock(&stream->lock);
    int left = --stream->owners;
    mutex_unlock(&stream->lock);
    if (left == 0) {
        mutex_done(&stream->lock);
        free(stream);
    }
}

/* With the lock held. Resuming under the lock keeps the connection alive: the event thread that
 * would free it must take the lock first. */
static void resume_locked(struct http_stream *stream) {
    if (stream->closed) {
        return;
    }
    if (stream->suspended) {
        stream->suspended = false;
        MHD_resume_connection(stream->connection);
    } else {
        stream->woken = true;
    }
}

void http_stream_wake(struct http_stream *stream) {
    mutex_lock(&stream->lock);
    resume_locked(stream);
    mutex_unlock(&stream->lock);
}

void http_stream_release(struct http_stream *stream) {
    if (stream != NULL) {
        stream_drop(stream);
    }
}

/* What the owner has to say now; a wake-up that came meanwhile asks once more. */
static int64_t read_locked(struct http_stream *stream, char *out, size_t room) {
    int64_t got = 0;
    do {
        stream->woken = false;
        mutex_unlock(&stream->lock);
        got = stream->ops.read(stream->context, out, room);
        mutex_lock(&stream->lock);
    } while (got == 0 && stream->woken && !stream->ended);
    if (got == 0 && stream->idle_due && stream->ops.idle != NULL) {
        got = stream->ops.idle(stream->context, out, room);
    }
    stream->idle_due = false;
    return got;
}

static ssize_t stream_read(void *argument, uint64_t position, char *out, size_t room) {
    (void)position;
    struct http_stream *stream = argument;
    mutex_lock(&stream->lock);
    int64_t got = stream->ended ? -1 : read_locked(stream, out, room);
    if (got > 0) {
        stream->last_bytes_mono_ms = clock_mono_ms(&clock_real);
    } else if (got == 0 && !stream->ended) {
        stream->suspended = true;
        MHD_suspend_connection(stream->connection);
    } else {
        got = -1;
    }
    mutex_unlock(&stream->lock);
    return got < 0 ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)got;
}

static void unlist(struct http_stream *stream) {
    struct http_server *server = stream->server;
    mutex_lock(&server->lock);
    for (struct http_stream **at = &server->streams; *at != NULL; at = &(*at)->next) {
        if (*at == stream) {
            *at = stream->next;
            server->stream_count--;
            break;
        }
    }
    mutex_unlock(&server->lock);
}

static void stream_closed(void *argument) {
    struct http_stream *stream = argument;
    unlist(stream);
    mutex_lock(&stream->lock);
    stream->closed = true;
    mutex_unlock(&stream->lock);
    stream->ops.closed(stream->context);
    stream_drop(stream);
}

static bool enlist(struct http_server *server, struct http_stream *stream) {
    mutex_lock(&server->lock);
    bool room = server->stream_count < SUBMISSION_WAITERS_MAX && !server->stopping;
    if (room) {
        stream->next = server->streams;
        server->streams = stream;
        server->stream_count++;
    }
    mutex_unlock(&server->lock);
    return room;
}

bool http_send_stream(struct http_request *request, const char *content_type,
                      const struct http_stream_ops *ops, void *context,
                      struct http_stream **ret_stream, struct err *err) {
    struct http_stream *stream = calloc(1, sizeof *stream);
    CHECK(stream != NULL);
    *stream = (struct http_stream){.server = request->server,
                                   .connection = request->connection,
                                   .ops = *ops,
                                   .context = context,
                                   .owners = 2,
                                   .last_bytes_mono_ms = clock_mono_ms(&clock_real)};
    mutex_init(&stream->lock);
    if (!enlist(request->server, stream)) {
        mutex_done(&stream->lock);
        free(stream);
        return err_set(err, ERR_BUSY, "too_many_streams",
                       "too many live views are open: reload the page a little later");
    }
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES, stream_read, stream, stream_closed);
    CHECK(response != NULL);
    *ret_stream = stream;
    http_request_give(request, MHD_HTTP_OK, response, content_type);
    return true;
}

/* Both walks hold the server's lock, so a listed stream cannot be unlisted and freed under them.
 * Lock order: server, then stream; stream_closed takes them one after the other. */
static void tick_locked(struct http_server *server, int64_t now_mono_ms) {
    for (struct http_stream *stream = server->streams; stream != NULL; stream = stream->next) {
        mutex_lock(&stream->lock);
        if (now_mono_ms - stream->last_bytes_mono_ms >= HTTP_IDLE_MS) {
            stream->idle_due = true;
            resume_locked(stream);
        }
        mutex_unlock(&stream->lock);
    }
}

void *http_streams_tick(void *argument) {
    struct http_server *server = argument;
    mutex_lock(&server->lock);
    while (!server->stopping) {
        (void)cond_wait_ms(&server->wakeup, &server->lock, HTTP_TICK_MS);
        tick_locked(server, clock_mono_ms(&clock_real));
        http_gone_tick_locked(server);
    }
    mutex_unlock(&server->lock);
    return NULL;
}

void http_streams_end(struct http_server *server) {
    mutex_lock(&server->lock);
    for (struct http_stream *stream = server->streams; stream != NULL; stream = stream->next) {
        mutex_lock(&stream->lock);
        stream->ended = true;
        resume_locked(stream);
        mutex_unlock(&stream->lock);
    }
    mutex_unlock(&server->lock);
}
