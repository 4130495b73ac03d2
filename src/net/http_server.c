/* The daemon's life, and libmicrohttpd's callbacks mapped to begin, handle and end.
 *
 * libmicrohttpd calls request_step once after the headers, once for each piece of the body, once
 * when all is there, and once more after a parked connection is resumed. */
#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "net/http_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTION_MEMORY_BYTES (32 * KIB)
#define CONNECTION_IDLE_SECONDS 60
#define CLOSE_WAIT_MS 5000
#define SLOW_WORKERS 2
#define FILES_RESERVED 256 /* for the database, blobs and packages, beside the connections */

static enum MHD_Result queue_answer(struct http_request *request) {
    request->queued = true;
    enum MHD_Result queued =
        MHD_queue_response(request->connection, (unsigned)request->status, request->response);
    MHD_destroy_response(request->response);
    return queued;
}

static bool is_over_limit(const struct http_request *request) {
    struct str declared = http_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    struct err err = {0};
    int64_t bytes = 0;
    return declared.len > 0 &&
           (!str_to_i64(declared, 0, INT64_MAX, &bytes, &err) || bytes > request->body_bytes_max);
}

/* A client that is still sending when the connection closes sees a reset instead of the refusal. So
 * a refused body is read to its end and dropped, unless it is very long or the client waits to be
 * asked for it. */
static bool worth_draining(const struct http_request *request) {
    struct str declared = http_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    struct err err = {0};
    int64_t bytes = 0;
    if (http_has_header(request, MHD_HTTP_HEADER_EXPECT)) {
        return false;
    }
    if (declared.len > 0) {
        return str_to_i64(declared, 1, HTTP_DRAIN_BYTES_MAX, &bytes, &err);
    }
    return http_has_header(request, MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

static enum MHD_Result request_begin(struct http_request *request, const char *version) {
    const char *problem = http_guard_check(request->connection, version);
    if (problem != NULL) {
        http_refuse(request, MHD_HTTP_BAD_REQUEST, "bad_parameter", problem);
        return queue_answer(request);
    }
    if (atomic_load(&request->server->refusing)) {
        http_add_header(request, MHD_HTTP_HEADER_RETRY_AFTER, "2");
        http_refuse(request, MHD_HTTP_SERVICE_UNAVAILABLE, "busy", "the server is stopping");
        return queue_answer(request);
    }
    request->begun = true;
    request->server->handler.begin(request->server->handler.context, request);
    if (request->response == NULL && is_over_limit(request)) {
        http_refuse(request, MHD_HTTP_CONTENT_TOO_LARGE, "too_large",
                    "the request's body is over its limit");
    }
    return request->response != NULL && !worth_draining(request) ? queue_answer(request) : MHD_YES;
}

static enum MHD_Result request_handle(struct http_request *request) {
    request->complete = true;
    if (request->body_fd >= 0 && lseek(request->body_fd, 0, SEEK_SET) != 0) {
        return MHD_NO;
    }
    if (request->response == NULL) { /* else the body was refused on its way */
        request->server->handler.handle(request->server->handler.context, request);
        if (request->parked) {
            return MHD_YES; /* another thread owns the request from here on */
        }
        CHECK(request->response != NULL);
    }
    return queue_answer(request);
}

static enum MHD_Result request_body(struct http_request *request, const char *data, size_t *bytes) {
    if (request->response != NULL) {
        request->body_bytes += (int64_t)*bytes;
        if (request->body_bytes > HTTP_DRAIN_BYTES_MAX) {
            return MHD_NO;
        }
    } else {
        (void)http_request_take(request, data, *bytes);
    }
    *bytes = 0;
    return MHD_YES;
}

static enum MHD_Result request_step(void *context, struct MHD_Connection *connection,
                                    const char *url, const char *method, const char *version,
                                    const char *upload, size_t *upload_bytes, void **state) {
    struct http_request *request = *state;
    if (request == NULL) {
        request = http_request_create(context, connection, url, method);
        *state = request;
        return request_begin(request, version);
    }
    if (*upload_bytes > 0) {
        return request_body(request, upload, upload_bytes);
    }
    if (request->complete && request->parked) {
        return queue_answer(request); /* resumed: the answer is here */
    }
    return request_handle(request);
}

static void request_completed(void *context, struct MHD_Connection *connection, void **state,
                              enum MHD_RequestTerminationCode code) {
    (void)context;
    (void)connection;
    (void)code;
    if (*state != NULL) {
        struct http_request *request = *state;
        *state = NULL;
        http_request_free(request);
    }
}

/* The library writes a line for each dropped connection: at most one a second reaches our log. */
__attribute__((format(printf, 2, 0))) static void library_log(void *context, const char *format,
                                                              va_list arguments) {
    static _Atomic int64_t last_mono_ms;
    (void)context;
    int64_t now_ms = clock_mono_ms(&clock_real);
    int64_t last_ms = atomic_load(&last_mono_ms);
    if (now_ms - last_ms < 1000 ||
        !atomic_compare_exchange_strong(&last_mono_ms, &last_ms, now_ms)) {
        return;
    }
    char text[256];
    (void)vsnprintf(text, sizeof text, format, arguments);
    log_debug("http.library", LOG_TEXT("text", str_trim(str_from(text))));
}

static int default_threads(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 2 ? 2 : processors > 4 ? 4 : (int)processors;
}

/* A connection that cannot be had must not cost the database its file. */
static unsigned connections_max(void) {
    struct rlimit files;
    CHECK(getrlimit(RLIMIT_NOFILE, &files) == 0);
    rlim_t room =
        files.rlim_cur > 2 * FILES_RESERVED ? files.rlim_cur - FILES_RESERVED : files.rlim_cur / 2;
    return room < HTTP_CONNECTIONS_MAX ? (unsigned)room : HTTP_CONNECTIONS_MAX;
}

static struct MHD_Daemon *start_daemon(struct http_server *server,
                                       const struct http_server_options *options, int threads) {
    bool tls = options->tls_certificate != NULL;
    const struct MHD_OptionItem secured[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)options->tls_certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)options->tls_key},
        {MHD_OPTION_END, 0, NULL}};
    const struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC |
                     MHD_USE_ERROR_LOG | (tls ? MHD_USE_TLS : 0);
    return MHD_start_daemon(
        flags, 0, NULL, NULL, request_step, server, MHD_OPTION_EXTERNAL_LOGGER, library_log, NULL,
        MHD_OPTION_LISTEN_SOCKET, server->listen_fd, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)threads,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_CONNECTION_LIMIT, connections_max(),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY_BYTES,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CONNECTION_IDLE_SECONDS,
        MHD_OPTION_NOTIFY_COMPLETED, request_completed, NULL, MHD_OPTION_ARRAY,
        tls ? secured : plain, MHD_OPTION_END);
}

bool http_server_open(const struct http_server_options *options, struct http_server **ret_server,
                      struct err *err) {
    CHECK(options->handler.begin != NULL && options->handler.handle != NULL);
    struct http_server *server = calloc(1, sizeof *server);
    CHECK(server != NULL);
    server->handler = options->handler;
    server->listen_fd = options->listen_fd;
    mutex_init(&server->lock);
    cond_init(&server->wakeup);
    cond_init(&server->gone_done);
    server->slow_workers = http_workers_start(SLOW_WORKERS);
    server->workers = http_workers_start(options->worker_threads > 0 ? options->worker_threads : 4);
    server->daemon = start_daemon(
        server, options, options->event_threads > 0 ? options->event_threads : default_threads());
    if (server->daemon == NULL) {
        http_workers_stop(server->workers);
        http_workers_stop(server->slow_workers);
        http_workers_free(server->workers);
        http_workers_free(server->slow_workers);
        cond_done(&server->gone_done);
        cond_done(&server->wakeup);
        mutex_done(&server->lock);
        fd_cleanup(&server->listen_fd);
        free(server);
        return err_system(err, "http_failed", "cannot start the HTTP server");
    }
    server->ticker = thread_start("http-tick", http_streams_tick, server);
    server->ticker_runs = true;
    *ret_server = server;
    return true;
}

void http_server_quiesce(struct http_server *server) {
    atomic_store(&server->refusing, true);
    mutex_lock(&server->lock);
    bool first = !server->stopping;
    server->stopping = true;
    cond_broadcast(&server->wakeup);
    mutex_unlock(&server->lock);
    if (!first) {
        return;
    }
    thread_join(server->ticker);
    server->ticker_runs = false;
    (void)MHD_quiesce_daemon(server->daemon); /* the socket stays ours to close */
    http_streams_end(server);
}

void http_server_close(struct http_server *server) {
    if (server == NULL) {
        return;
    }
    http_server_quiesce(server);
    http_workers_stop(server->workers);
    http_workers_stop(server->slow_workers);
    /* A request that came in just before the refusing may be on its way between two threads. */
    int64_t until_ms = clock_mono_ms(&clock_real) + CLOSE_WAIT_MS;
    while (atomic_load(&server->open_requests) > 0 && clock_mono_ms(&clock_real) < until_ms) {
        clock_sleep_ms(&clock_real, 2);
    }
    CHECK(atomic_load(&server->parked_requests) == 0);
    MHD_stop_daemon(server->daemon);
    http_workers_free(server->slow_workers);
    http_workers_free(server->workers); /* until here a late request could still ask it */
    fd_cleanup(&server->listen_fd);
    cond_done(&server->gone_done);
    cond_done(&server->wakeup);
    mutex_done(&server->lock);
    free(server);
}
