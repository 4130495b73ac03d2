/* One request: what came in, its body, and the one answer. */
#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "net/http_internal.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const method_names[HTTP_METHOD_COUNT] = {
    [HTTP_NONE] = "NONE", [HTTP_GET] = "GET",     [HTTP_POST] = "POST",
    [HTTP_PUT] = "PUT",   [HTTP_PATCH] = "PATCH", [HTTP_DELETE] = "DELETE",
};

const char *http_method_name(enum http_method method) {
    CHECK(method >= HTTP_NONE && method < HTTP_METHOD_COUNT);
    return method_names[method];
}

static enum http_method method_of(const char *name) {
    for (int method = HTTP_GET; method < HTTP_METHOD_COUNT; method++) {
        if (strcmp(name, method_names[method]) == 0) {
            return (enum http_method)method;
        }
    }
    return strcmp(name, "HEAD") == 0 ? HTTP_GET : HTTP_NONE;
}

static struct str peer_of(struct MHD_Connection *connection, struct arena *arena) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    char text[INET6_ADDRSTRLEN] = "unix";
    if (info != NULL && info->client_addr != NULL) {
        const struct sockaddr *address = info->client_addr;
        if (address->sa_family == AF_INET) {
            struct sockaddr_in v4;
            memcpy(&v4, address, sizeof v4);
            (void)inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
        } else if (address->sa_family == AF_INET6) {
            struct sockaddr_in6 v6;
            memcpy(&v6, address, sizeof v6);
            (void)inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
        }
    }
    struct str plain = str_from(text);
    if (str_starts(plain, STR("::ffff:"))) { /* an IPv4 client on a dual-stack socket */
        plain = str_sub(plain, 7, plain.len);
    }
    return arena_str(arena, plain);
}

static int socket_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

struct http_request *http_request_create(struct http_server *server,
                                         struct MHD_Connection *connection, const char *url,
                                         const char *method) {
    struct http_request *request = calloc(1, sizeof *request);
    CHECK(request != NULL);
    request->server = server;
    request->connection = connection;
    request->arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    request->method = method_of(method);
    request->path = arena_str(request->arena, str_from(url));
    request->peer = peer_of(connection, request->arena);
    request->socket_fd = socket_of(connection);
    request->started_mono_ms = clock_mono_ms(&clock_real);
    request->body_fd = -1;
    atomic_fetch_add(&server->open_requests, 1);
    return request;
}

void http_request_free(struct http_request *request) {
    CHECK(!request->parked || request->response != NULL);
    http_gone_forget(request);
    if (request->begun && request->server->handler.end != NULL) {
        request->server->handler.end(request->server->handler.context, request);
    }
    if (request->response != NULL && !request->queued) { /* the client left before it was sent */
        MHD_destroy_response(request->response);
    }
    atomic_fetch_sub(&request->server->open_requests, 1);
    fd_cleanup(&request->body_fd);
    buf_done(&request->body);
    arena_free(request->arena);
    free(request);
}

/* ---- what came in ---- */

enum http_method http_method(const struct http_request *request) {
    return request->method;
}

struct str http_path(const struct http_request *request) {
    return request->path;
}

static struct str lookup(const struct http_request *request, enum MHD_ValueKind kind,
                         const char *name, bool *ret_found) {
    const char *value = NULL;
    size_t len = 0;
    enum MHD_Result found =
        MHD_lookup_connection_value_n(request->connection, kind, name, strlen(name), &value, &len);
    *ret_found = found == MHD_YES;
    return *ret_found && value != NULL ? str_of(value, len) : (struct str){0};
}

struct str http_header(const struct http_request *request, const char *name) {
    bool found = false;
    return lookup(request, MHD_HEADER_KIND, name, &found);
}

bool http_has_header(const struct http_request *request, const char *name) {
    bool found = false;
    (void)lookup(request, MHD_HEADER_KIND, name, &found);
    return found;
}

struct str http_query(const struct http_request *request, const char *name) {
    bool found = false;
    return lookup(request, MHD_GET_ARGUMENT_KIND, name, &found);
}

bool http_has_query(const struct http_request *request, const char *name) {
    bool found = false;
    (void)lookup(request, MHD_GET_ARGUMENT_KIND, name, &found);
    return found;
}

struct str http_cookie(const struct http_request *request, const char *name) {
    bool found = false;
    return lookup(request, MHD_COOKIE_KIND, name, &found);
}

struct str http_peer(const struct http_request *request) {
    return request->peer;
}

struct str http_body(const struct http_request *request) {
    return buf_str(&request->body);
}

int http_body_fd(const struct http_request *request) {
    return request->body_fd;
}

int64_t http_body_bytes(const struct http_request *request) {
    return request->body_bytes;
}

struct arena *http_arena(struct http_request *request) {
    return request->arena;
}

int64_t http_started_mono_ms(const struct http_request *request) {
    return request->started_mono_ms;
}

void http_set_state(struct http_request *request, void *state) {
    request->state = state;
}

void *http_state(const struct http_request *request) {
    return request->state;
}

/* ---- the body ---- */

void http_accept_body(struct http_request *request, int64_t bytes_max, bool spool) {
    CHECK(!request->complete && bytes_max >= 0);
    request->body_bytes_max = bytes_max;
    request->spool = spool;
    if (!spool) {
        buf_init(&request->body, (size_t)bytes_max);
    }
}

static bool spool_body(struct http_request *request, const char *data, size_t bytes) {
    struct err err = {0};
    if (request->body_fd < 0) {
        request->body_fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    }
    if (request->body_fd < 0 || !file_write_all(request->body_fd, str_of(data, bytes), &err)) {
        http_refuse(request, MHD_HTTP_INTERNAL_SERVER_ERROR, "internal",
                    "the server has no room for this upload: tell its administrator");
        return false;
    }
    return true;
}

bool http_request_take(struct http_request *request, const char *data, size_t bytes) {
    if ((int64_t)bytes > request->body_bytes_max - request->body_bytes) {
        http_refuse(request, MHD_HTTP_CONTENT_TOO_LARGE, "too_large",
                    "the request's body is over its limit");
        return false;
    }
    request->body_bytes += (int64_t)bytes;
    if (request->spool) {
        return spool_body(request, data, bytes);
    }
    CHECK(buf_append(&request->body, str_of(data, bytes)));
    return true;
}

/* ---- the answer ---- */

void http_add_header(struct http_request *request, const char *name, const char *value) {
    CHECK(request->response == NULL);
    struct http_header_row *row = arena_new(request->arena, struct http_header_row);
    row->name = arena_cstr(request->arena, str_from(name));
    row->value = arena_cstr(request->arena, str_from(value));
    row->next = request->headers;
    request->headers = row;
}

void http_request_give(struct http_request *request, int status, struct MHD_Response *response,
                       const char *content_type) {
    CHECK(request->response == NULL);
    http_gone_forget(request);
    for (struct http_header_row *row = request->headers; row != NULL; row = row->next) {
        CHECK(MHD_add_response_header(response, row->name, row->value) == MHD_YES);
    }
    if (content_type != NULL) {
        CHECK(MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type) ==
              MHD_YES);
    }
    if (request->close_after) {
        CHECK(MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES);
    }
    request->status = status;
    request->response = response;
    if (request->parked) {
        /* Once resumed, an event thread may end and free the request at any moment: touch nothing
         * after. */
        struct MHD_Connection *connection = request->connection;
        atomic_fetch_sub(&request->server->parked_requests, 1);
        MHD_resume_connection(connection);
    }
}

void http_send(struct http_request *request, int status, const char *content_type,
               struct str body) {
    union {
        const char *in;
        void *out;
    } bytes = {.in = body.ptr}; /* the library takes void * and only reads it */
    struct MHD_Response *response =
        MHD_create_response_from_buffer(body.len, bytes.out, MHD_RESPMEM_PERSISTENT);
    CHECK(response != NULL);
    http_request_give(request, status, response, content_type);
}

void http_send_fd(struct http_request *request, int status, const char *content_type, int fd,
                  int64_t bytes) {
    struct MHD_Response *response = MHD_create_response_from_fd64((uint64_t)bytes, fd);
    CHECK(response != NULL);
    http_request_give(request, status, response, content_type);
}

bool http_answered(const struct http_request *request) {
    return request->response != NULL;
}

int http_status(const struct http_request *request) {
    return request->status;
}

void http_refuse(struct http_request *request, int status, const char *code, const char *detail) {
    struct str body =
        str_from(arena_printf(request->arena,
                              "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d,\"code\":"
                              "\"%s\",\"detail\":\"%s\"}",
                              MHD_get_reason_phrase_for((unsigned)status), status, code, detail));
    request->close_after = true;
    http_send(request, status, "application/problem+json", body);
}

void http_later(struct http_request *request) {
    CHECK(!request->parked && request->response == NULL);
    atomic_fetch_add(&request->server->parked_requests, 1);
    MHD_suspend_connection(request->connection);
    request->parked = true; /* from here on http_gone.c may call */
}

static void run_work(void *context) {
    struct http_request *request = context;
    request->work(request);
}

static void work_in(struct http_worker_pool *pool, struct http_request *request,
                    http_work_fn *work) {
    request->work = work;
    request->job = (struct http_job){.run = run_work, .context = request};
    http_later(request);
    if (!http_workers_push(pool, &request->job)) {
        http_add_header(request, MHD_HTTP_HEADER_RETRY_AFTER, "2");
        http_refuse(request, MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
                    "the server is busy: try again in a moment");
    }
}

void http_work(struct http_request *request, http_work_fn *work) {
    work_in(request->server->workers, request, work);
}

void http_work_slow(struct http_request *request, http_work_fn *work) {
    work_in(request->server->slow_workers, request, work);
}
