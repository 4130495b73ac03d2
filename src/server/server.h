#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "app/app.h"
#include "base/own.h"
#include "net/probe.h"

/* The HTTP side: routes as tables, authentication, live events, the machine API, the web pages'
 * files. */

struct server;

struct server_options {
    struct app *app; /* borrowed; stopped after server_quiesce, closed after server_close */
    const struct random *random; /* borrowed */
    int listen_fd;               /* from http_listen; taken */
    /* Where nodes connect when that is apart: then the machine API, metrics and readiness are here
     * and nowhere else. From http_listen, taken; 0 or less: everything is on listen_fd. */
    int machine_fd;
    const char
        *web_folder; /* the built web pages; NULL or missing: a page that says how to build them */
    const char
        *trusted_proxies; /* addresses separated by spaces whose X-Forwarded-* is believed; NULL */
    const struct probe_rules *probe_rules; /* copied; which nodes may be looked at; NULL: none */
    const char *probe_ca_file;             /* copied; NULL: the system's */
    int worker_threads;                    /* 0: the default */
};

checked bool server_open(const struct server_options *options, struct server **ret_server,
                         struct err *err);
/* Takes no new connections and ends the live streams. Requests that the app still holds are
 * answered when it stops (app_stop). */
void server_quiesce(struct server *server);
void server_close(struct server *server); /* accepts NULL */
OWN_DEFINE(server, server_close)

#endif
