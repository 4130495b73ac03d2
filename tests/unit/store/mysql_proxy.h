#ifndef MYSQL_PROXY_H
#define MYSQL_PROXY_H

/* A database that reads SKIP LOCKED otherwise: a Unix socket before the real one's, which replaces
 * one text by another of the same length in what is sent to it, or in what it says. That is how
 * TiDB (takes no lock) and Vitess (a syntax error) look to us. Connections are served one thread
 * each until both ends are closed. */
#include "../test_database.h"
#include "base/thread.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

struct mysql_proxy {
    const char *from;
    const char *to; /* as long */
    bool greeting;  /* in what comes from it instead */
    char path[MYDB_TEXT_BYTES];
    char real[MYDB_TEXT_BYTES];
    int listener;
    pthread_t thread;
};

struct proxied {
    const struct mysql_proxy *proxy;
    int client;
    int server;
};

static inline struct sockaddr_un proxy_address(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    CHECK(strlen(path) < sizeof address.sun_path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    return address;
}

static inline void proxy_replace(const struct mysql_proxy *proxy, char *bytes, size_t len) {
    size_t size = strlen(proxy->from);
    char *at = bytes;
    while ((at = memmem(at, len - (size_t)(at - bytes), proxy->from, size)) != NULL) {
        memcpy(at, proxy->to, size);
    }
}

/* A statement of these tests comes in one piece. False: the connection has ended. */
static inline bool proxy_pass(const struct mysql_proxy *proxy, int from, int to, bool replace) {
    char bytes[65536];
    ssize_t got = recv(from, bytes, sizeof bytes, 0);
    if (got <= 0) {
        return got < 0 && errno == EINTR;
    }
    if (replace) {
        proxy_replace(proxy, bytes, (size_t)got);
    }
    for (ssize_t sent = 0, part = 0; sent < got; sent += part) {
        part = send(to, bytes + sent, (size_t)(got - sent), MSG_NOSIGNAL);
        if (part <= 0) {
            return false;
        }
    }
    return true;
}

static inline void *proxy_serve(void *argument) {
    struct proxied *own_part = argument;
    struct pollfd ends[2] = {{own_part->client, POLLIN, 0}, {own_part->server, POLLIN, 0}};
    bool open = true;
    while (open && poll(ends, 2, -1) > 0) {
        open = (ends[0].revents == 0 || proxy_pass(own_part->proxy, own_part->client,
                                                   own_part->server, !own_part->proxy->greeting)) &&
               (ends[1].revents == 0 || proxy_pass(own_part->proxy, own_part->server,
                                                   own_part->client, own_part->proxy->greeting));
    }
    (void)close(own_part->client);
    (void)close(own_part->server);
    free(own_part);
    return NULL;
}

static inline void *proxy_listen(void *argument) {
    struct mysql_proxy *proxy = argument;
    struct sockaddr_un real = proxy_address(proxy->real);
    for (int client = -1; (client = accept4(proxy->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        struct proxied *part = malloc(sizeof *part);
        CHECK(part != NULL);
        *part = (struct proxied){proxy, client, socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        CHECK(connect(part->server, (struct sockaddr *)&real, sizeof real) == 0);
        CHECK(pthread_detach(thread_start("proxied", proxy_serve, part)) == 0);
    }
    return NULL;
}

/* Then *target leads through it. */
static inline void mysql_proxy_start(struct mysql_proxy *proxy, const char *folder,
                                     struct mydb_target *target) {
    CHECK(target != NULL && strlen(proxy->from) == strlen(proxy->to));
    (void)snprintf(proxy->path, sizeof proxy->path, "%s/proxy.sock", folder);
    (void)snprintf(proxy->real, sizeof proxy->real, "%s", target->socket);
    struct sockaddr_un address = proxy_address(proxy->path);
    proxy->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(proxy->listener, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(listen(proxy->listener, 64) == 0);
    proxy->thread = thread_start("proxy", proxy_listen, proxy);
    (void)snprintf(target->socket, sizeof target->socket, "%s", proxy->path);
}

/* After all connections through it are closed. */
static inline void mysql_proxy_stop(struct mysql_proxy *proxy) {
    (void)shutdown(proxy->listener, SHUT_RDWR);
    thread_join(proxy->thread);
    (void)close(proxy->listener);
    (void)unlink(proxy->path);
}

#endif
