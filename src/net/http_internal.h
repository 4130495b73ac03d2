#ifndef NET_HTTP_INTERNAL_H
#define NET_HTTP_INTERNAL_H

#include "base/buf.h"
#include "base/limits.h"
#include "base/thread.h"
#include "net/http.h"

#include <microhttpd.h>
#include <stdatomic.h>

#define HTTP_WORK_QUEUE_MAX 1024
#define HTTP_IDLE_MS 15000
#define HTTP_TICK_MS 500
#define HTTP_DRAIN_BYTES_MAX (16 * MIB)

struct http_worker_pool;

struct http_server {
    struct http_handler handler;
    struct MHD_Daemon *daemon;
    int listen_fd;
    struct http_worker_pool *workers;
    struct http_worker_pool *slow_workers;
    struct mutex lock; /* streams, stopping */
    struct cond wakeup;
    struct http_stream *streams; /* open ones, linked by stream->next */
    int stream_count;
    bool stopping;
    pthread_t ticker;
    struct http_request *watched;  /* parked ones whose hanging up is looked for */
    struct http_request *gone_now; /* whose callback runs */
    pthread_t gone_thread;         /* in which thread */
    struct cond gone_done;
    bool ticker_runs;
    atomic_bool refusing;       /* new requests on open connections get 503 */
    atomic_int open_requests;   /* begun and not ended */
    atomic_int parked_requests; /* between http_later and the answer */
};

struct http_header_row {
    const char *name;
    const char *value;
    struct http_header_row *next;
};

struct http_request {
    struct http_server *server;
    struct MHD_Connection *connection;
    struct arena *arena;
    enum http_method method;
    struct str path;
    struct str peer;
    int64_t started_mono_ms;
    void *state;
    bool begun; /* handler.begin ran, so handler.end must */
    bool complete;
    bool close_after;
    int64_t body_bytes_max;
    int64_t body_bytes;
    bool spool;
    int body_fd;
    struct buf body;
    /* The answer: written once, by one thread, before the connection is resumed. */
    atomic_bool parked;
    http_gone_fn *gone;
    struct http_request *watched_next;
    int socket_fd; /* the library's */
    bool queued;   /* the library has the response now */
    struct MHD_Response *response;
    int status;
    struct http_header_row *headers;
    http_work_fn *work;
    struct http_job job;
};

/* http_guard.c: NULL when the request is plain, else what is wrong with it. */
const char *http_guard_check(struct MHD_Connection *connection, const char *version);

/* http_request.c */
struct http_request *http_request_create(struct http_server *server,
                                         struct MHD_Connection *connection, const char *url,
                                         const char *method);
void http_request_free(struct http_request *request);
/* Takes more of the body. False when it is over the limit: the request is then answered with 413.
 */
bool http_request_take(struct http_request *request, const char *data, size_t bytes);
void http_refuse(struct http_request *request, int status, const char *code, const char *detail);
/* Hands the response over: queues it at once, or resumes the parked connection. */
void http_request_give(struct http_request *request, int status, struct MHD_Response *response,
                       const char *content_type);

/* http_gone.c */
/* Before an answer is given: no callback runs after it returned. */
void http_gone_forget(struct http_request *request);
void http_gone_tick_locked(struct http_server *server);

/* http_worker.c */
struct http_worker_pool *http_workers_start(int count);
bool http_workers_push(struct http_worker_pool *pool, struct http_job *job);
void http_workers_stop(struct http_worker_pool *pool); /* finishes what is queued; push refuses */
void http_workers_free(struct http_worker_pool *pool); /* after stop; accepts NULL */

/* http_stream.c */
void http_streams_end(struct http_server *server);
void *http_streams_tick(void *server); /* ticker thread */

#endif
