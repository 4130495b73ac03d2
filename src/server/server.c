/* From a request to its route, and what is written about it into the log.
 *
 * begin runs after the headers: it finds the route, sets the body limit and refuses early. handle
 * runs when the body is here: quick routes go on in the event thread, blocking ones in a worker. */
#include "server/server.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/log.h"
#include "server/server_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct route page_route = {HTTP_GET,  "/{page}",      ACCESS_NONE,         0,
                                        RATE_READ, ROUTE_INTERNAL, static_files_answer, "page"};

static void make_trace_id(struct call *call) {
    struct str parent = http_header(call->http, "traceparent"); /* 00-<32 hex>-<16 hex>-<flags> */
    uint8_t id[16];
    if (parent.len == 55 && str_starts(parent, STR("00-")) && parent.ptr[35] == '-' &&
        hex_decode(str_sub(parent, 3, 32), id, sizeof id)) {
        hex_encode(id, sizeof id, call->trace_id);
        return;
    }
    random_fill(call->server->random, id, sizeof id);
    hex_encode(id, sizeof id, call->trace_id);
}

static void refuse_method(struct call *call) {
    char allow[128] = "";
    struct str unused[CALL_PARAMS_MAX];
    for (int method = HTTP_GET; method < HTTP_METHOD_COUNT; method++) {
        const struct route *other = NULL;
        if (router_match((enum http_method)method, http_path(call->http), &other, unused) ==
            MATCH_FOUND) {
            size_t len = strlen(allow);
            (void)snprintf(allow + len, sizeof allow - len, "%s%s", len > 0 ? ", " : "",
                           http_method_name((enum http_method)method));
        }
    }
    http_add_header(call->http, "Allow", allow);
    call_fail_at(call, ERR_INVALID, "method_not_allowed", "this address does not take this method");
}

static bool is_api_path(struct str path) {
    return str_eq(path, STR("/api")) || str_starts(path, STR("/api/"));
}

/* What only nodes and whoever watches the servers have to do with. */
static bool is_inner_path(struct str path) {
    return str_starts(path, STR("/api/v1/internal/")) || str_eq(path, STR("/metrics")) ||
           str_eq(path, STR("/readyz"));
}

static bool door_lets_in(const struct door *door, struct str path) {
    switch (door->kind) {
    case DOOR_ALL: return true;
    case DOOR_PUBLIC: return !is_inner_path(path);
    case DOOR_MACHINE: return is_inner_path(path) || str_eq(path, STR("/healthz"));
    }
    CHECK(false);
}

static struct call *call_create(struct server *server, struct http_request *http) {
    struct arena *arena = http_arena(http);
    struct call *call = arena_new(arena, struct call);
    *call = (struct call){
        .http = http, .server = server, .app = server->app, .arena = arena, .route = &page_route};
    make_trace_id(call);
    http_set_state(http, call);
    return call;
}

static void begin(void *context, struct http_request *http) {
    const struct door *door = context;
    struct call *call = call_create(door->server, http);
    if (!door_lets_in(door, http_path(http))) {
        call_fail_at(call, ERR_MISSING, "not_found", "there is nothing at this address");
        return;
    }
    switch (router_match(http_method(http), http_path(http), &call->route, call->params)) {
    case MATCH_FOUND: break;
    case MATCH_OTHER_METHOD: refuse_method(call); return;
    case MATCH_NONE:
        call->route = &page_route;
        if (is_api_path(http_path(http)) || http_method(http) != HTTP_GET) {
            call_fail_at(call, ERR_MISSING, "not_found", "there is nothing at this address");
        }
        return;
    }
    if (call->route->access != ACCESS_NONE && !http_has_header(http, "Authorization") &&
        !http_has_header(http, "Cookie")) {
        access_refuse_unnamed(call);
        return;
    }
    if (call->route->body_bytes_max > 0 && access_check_early(call)) {
        http_accept_body(http, call->route->body_bytes_max,
                         (call->route->flags & ROUTE_SPOOL) != 0);
    }
}

static void run(struct call *call) {
    if (access_check(call)) {
        call->route->run(call);
    }
}

static void run_in_worker(struct http_request *http) {
    struct call *call = http_state(http);
    run(call);
}

static void handle(void *context, struct http_request *http) {
    (void)context;
    struct call *call = http_state(http);
    if ((call->route->flags & ROUTE_BLOCKING) != 0 || !access_is_quick(call)) {
        call->later = true;
        if (call->route->rate == RATE_LOGIN || (call->route->flags & ROUTE_SLOW) != 0) {
            http_work_slow(http, run_in_worker);
        } else {
            http_work(http, run_in_worker);
        }
        return;
    }
    run(call);
}

/* Writes and failures are told; reads and what nodes repeat all day only at debug. */
static void log_request(const struct call *call) {
    int status = http_status(call->http);
    bool is_read = call->route->method == HTTP_GET || call->route->access == ACCESS_NODE;
    enum log_level level = status >= 500 ? LOG_WARN : is_read ? LOG_DEBUG : LOG_INFO;
    log_write(
        level, "http.request",
        LOG_FIELDS(LOG_STR("method", http_method_name(http_method(call->http))),
                   LOG_STR("route", call->route->operation), LOG_I64("status", status),
                   LOG_I64("ms", clock_mono_ms(&clock_real) - http_started_mono_ms(call->http)),
                   LOG_I64("user", call->actor.user.value), LOG_STR("traceId", call->trace_id)));
}

static void end(void *context, struct http_request *http) {
    (void)context;
    struct call *call = http_state(http);
    log_request(call);
    jr_free(call->body);
    buf_done(&call->out);
}

static bool open_door(struct door *door, int listen_fd, int worker_threads,
                      struct http_server **ret_http, struct err *err) {
    const struct http_server_options http = {
        .listen_fd = listen_fd,
        .handler = {.context = door, .begin = begin, .handle = handle, .end = end},
        .worker_threads = worker_threads};
    return http_server_open(&http, ret_http, err);
}

bool server_open(const struct server_options *options, struct server **ret_server,
                 struct err *err) {
    struct server *server = calloc(1, sizeof *server);
    CHECK(server != NULL);
    server->app = options->app;
    server->random = options->random;
    server->web_fd = options->web_folder == NULL
                         ? -1
                         : open(options->web_folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    server->trusted_proxies =
        strdup(options->trusted_proxies == NULL ? "" : options->trusted_proxies);
    CHECK(server->trusted_proxies != NULL);
    server->probe_ca_file = strdup(options->probe_ca_file == NULL ? "" : options->probe_ca_file);
    CHECK(server->probe_ca_file != NULL);
    if (options->probe_rules != NULL) {
        server->probe_rules = *options->probe_rules;
    }
    server->rates = rate_create(app_clock(options->app));
    bool apart = options->machine_fd > 0;
    server->door = (struct door){server, apart ? DOOR_PUBLIC : DOOR_ALL};
    server->machine_door = (struct door){server, DOOR_MACHINE};
    own_fd machine_fd = apart ? options->machine_fd : -1; /* closed unless its server takes it */
    if (!open_door(&server->door, options->listen_fd, options->worker_threads, &server->http,
                   err) ||
        (apart && !open_door(&server->machine_door, take_fd(&machine_fd), options->worker_threads,
                             &server->machine_http, err))) {
        server_close(server);
        return false;
    }
    *ret_server = server;
    return true;
}

void server_quiesce(struct server *server) {
    http_server_quiesce(server->http);
    if (server->machine_http != NULL) {
        http_server_quiesce(server->machine_http);
    }
}

void server_close(struct server *server) {
    if (server == NULL) {
        return;
    }
    http_server_close(server->machine_http);
    http_server_close(server->http);
    fd_cleanup(&server->web_fd);
    rate_free(server->rates);
    free(server->trusted_proxies);
    free(server->probe_ca_file);
    free(server);
}
