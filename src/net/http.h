#ifndef NET_HTTP_H
#define NET_HTTP_H

#include "base/arena.h"
#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

/* Our HTTP/1.1 server: a thin layer over libmicrohttpd that nobody else sees.
 *
 * A few event threads read requests and send answers and never block. For each request:
 *   begin   after the headers: set the body limit, or answer at once to refuse;
 *   handle  the whole request is here: answer now, or http_later and answer from any thread, or
 * http_work to go on in a worker thread that may block (password hashing, database reads); end
 * answered or broken off; the arena dies afterwards.
 *
 * Invariants: (1) a request is answered once; (2) between http_later and the answer the request
 * stays alive, whatever the client does; (3) requests that a proxy could read in two ways never
 * reach begin: the guard refuses them and closes the connection (docs/decisions: HTTP library). */

enum http_method {
    HTTP_NONE,
    HTTP_GET, /* HEAD arrives as GET; its body is not sent */
    HTTP_POST,
    HTTP_PUT,
    HTTP_PATCH,
    HTTP_DELETE,
    HTTP_METHOD_COUNT,
};
const char *http_method_name(enum http_method method);

struct http_server;
struct http_request;
struct http_stream;

struct http_handler {
    void *context;
    void (*begin)(void *context, struct http_request *request);
    void (*handle)(void *context, struct http_request *request);
    void (*end)(void *context, struct http_request *request);
};

struct http_server_options {
    int listen_fd; /* from http_listen; the server closes it */
    struct http_handler handler;
    const char *tls_certificate; /* PEM text: the server speaks HTTPS; NULL: it does not */
    const char *tls_key;         /* PEM text */
    int event_threads;           /* 0: as many as there are processors, at most 4 */
    int worker_threads;          /* 0: 4 */
};

/* Opens a listening socket: "host:port", ":port", "[::1]:port", "unix:/path"; port 0 takes a free
 * one. A Unix socket's stale file is replaced. *ret_port is 0 for Unix sockets. Errors: ERR_INVALID
 * "bad_listen_address"; ERR_CONFLICT "address_in_use". */
checked bool http_listen(const char *address, int *ret_fd, int *ret_port, struct err *err);
/* True for loopback addresses and Unix sockets: nobody outside this machine can connect. */
bool http_listen_is_local(const char *address);

checked bool http_server_open(const struct http_server_options *options,
                              struct http_server **ret_server, struct err *err);
/* Takes no new connections, ends the streams, answers new requests on open connections with 503.
 * Requests under way go on. */
void http_server_quiesce(struct http_server *server);
/* After quiesce, and after whoever holds requests has answered them: waits until the answers are
 * sent (at most five seconds), then closes. CHECKs that no request is parked any more. Accepts
 * NULL. */
void http_server_close(struct http_server *server);
OWN_DEFINE(http_server, http_server_close)

/* What the client sent. Texts live until end. */
enum http_method http_method(const struct http_request *request);
struct str http_path(const struct http_request *request); /* percent-decoded, without the query */
struct str http_header(const struct http_request *request, const char *name); /* empty: absent */
bool http_has_header(const struct http_request *request, const char *name);
struct str http_query(const struct http_request *request, const char *name); /* empty: absent */
bool http_has_query(const struct http_request *request, const char *name);
struct str http_cookie(const struct http_request *request, const char *name);
struct str http_peer(const struct http_request *request); /* numeric address, "unix" */
struct str http_body(const struct http_request *request);
int http_body_fd(
    const struct http_request *request); /* spooled body, offset 0; else -1; borrowed */
int64_t http_body_bytes(const struct http_request *request);
struct arena *http_arena(struct http_request *request);
int64_t http_started_mono_ms(const struct http_request *request);

/* In begin. The default limit is 0: a request with a body is refused with 413. `spool` writes the
 * body to an unnamed file instead of memory. */
void http_accept_body(struct http_request *request, int64_t bytes_max, bool spool);
/* The handler's own state for this request. */
void http_set_state(struct http_request *request, void *state);
void *http_state(const struct http_request *request);

/* The answer. Names and values are copied. A body text must live until end (the request's arena
 * does). */
void http_add_header(struct http_request *request, const char *name, const char *value);
void http_send(struct http_request *request, int status, const char *content_type, struct str body);
/* Sends `bytes` of fd from its start; takes the descriptor. */
void http_send_fd(struct http_request *request, int status, const char *content_type, int fd,
                  int64_t bytes);
bool http_answered(const struct http_request *request);
int http_status(const struct http_request *request); /* 0 until answered */

/* How an answer that was begun but cannot be given in full is refused: the 413 and 408 of this
 * layer come as application/problem+json. */

/* In handle, before the request is handed to whoever will answer it from another thread. */
void http_later(struct http_request *request);
/* Before http_later: `gone` runs at most once, in a thread of the server, when the client hangs up
 * while the request is parked; it is noticed within about a second. It may answer the request. A
 * client that only stops sending counts as gone. */
typedef void http_gone_fn(struct http_request *request);
void http_watch_gone(struct http_request *request, http_gone_fn *gone);
/* http_later, and `work` runs in a worker thread. When the queue is full the client gets 503 at
 * once. */
typedef void http_work_fn(struct http_request *request);
void http_work(struct http_request *request, http_work_fn *work);
/* The same in one of two threads of its own, for work so slow (password hashing) that a wave of it
 * must not keep the others from reading. */
void http_work_slow(struct http_request *request, http_work_fn *work);

/* Work for a worker thread that belongs to no request. The job is the caller's and stays alive
 * until `run` was called. False when the queue is full or the server stops: then nothing will run.
 */
struct http_job {
    void (*run)(void *context);
    void *context;
    struct http_job *next; /* the server's */
};
bool http_defer(struct http_server *server, struct http_job *job);

/* A stream of bytes whose end is not known (server-sent events). `read` fills at most `room` bytes
 * and returns how many, 0 for "nothing now: wait for http_stream_wake", -1 for the end. `idle` (may
 * be NULL) is asked for bytes after 15 s without any, so that a dead client is noticed. `closed`
 * runs once, when the stream is over for whatever reason; no call of `read` follows. Both run in
 * event threads and must not block. */
struct http_stream_ops {
    int64_t (*read)(void *context, char *out, size_t room);
    int64_t (*idle)(void *context, char *out, size_t room);
    void (*closed)(void *context);
};
/* Answers with a stream; the returned handle is the caller's until http_stream_release. ERR_BUSY
 * when SUBMISSION_WAITERS_MAX streams are open: then nothing was answered. */
checked bool http_send_stream(struct http_request *request, const char *content_type,
                              const struct http_stream_ops *ops, void *context,
                              struct http_stream **ret_stream, struct err *err);
void http_stream_wake(struct http_stream *stream); /* from any thread; never blocks for long */
void http_stream_release(struct http_stream *stream);

#endif
