/* Clients that hang up while their request is parked. A suspended connection is deaf: the library
 * does not notice, and whoever holds the request would go on for nobody. So the ticker looks at the
 * sockets of those requests that asked for it.
 *
 * The request must live while its callback runs, though another thread may answer it meanwhile:
 * http_gone_forget, which every answer calls first, waits for the callback; unless it is the
 * callback itself that answers. After that the ticker touches the request no more. */
#include "base/check.h"
#include "net/http_internal.h"

#include <poll.h>

void http_watch_gone(struct http_request *request, http_gone_fn *gone) {
    struct http_server *server = request->server;
    CHECK(!request->parked && request->response == NULL && request->gone == NULL);
    mutex_lock(&server->lock);
    request->gone = gone;
    request->watched_next = server->watched;
    server->watched = request;
    mutex_unlock(&server->lock);
}

static void unlist_locked(struct http_server *server, const struct http_request *request) {
    for (struct http_request **at = &server->watched; *at != NULL; at = &(*at)->watched_next) {
        if (*at == request) {
            *at = request->watched_next;
            return;
        }
    }
}

void http_gone_forget(struct http_request *request) {
    struct http_server *server = request->server;
    if (request->gone == NULL) {
        return;
    }
    mutex_lock(&server->lock);
    unlist_locked(server, request);
    if (server->gone_now == request && pthread_equal(server->gone_thread, pthread_self())) {
        server->gone_now = NULL;
    }
    while (server->gone_now == request) {
        cond_wait(&server->gone_done, &server->lock);
    }
    mutex_unlock(&server->lock);
}

static bool has_hung_up(const struct http_request *request) {
    struct pollfd socket = {.fd = request->socket_fd, .events = POLLRDHUP};
    return poll(&socket, 1, 0) == 1 && (socket.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

static struct http_request *find_gone_locked(struct http_server *server) {
    for (struct http_request *at = server->watched; at != NULL; at = at->watched_next) {
        if (at->parked && has_hung_up(at)) {
            return at;
        }
    }
    return NULL;
}

void http_gone_tick_locked(struct http_server *server) {
    for (struct http_request *request = find_gone_locked(server); request != NULL;
         request = find_gone_locked(server)) {
        unlist_locked(server, request);
        server->gone_now = request;
        server->gone_thread = pthread_self();
        mutex_unlock(&server->lock);
        request->gone(request);
        mutex_lock(&server->lock);
        if (server->gone_now == request) {
            server->gone_now = NULL;
            cond_broadcast(&server->gone_done);
        }
    }
}
