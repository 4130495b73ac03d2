#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include "base/arena.h"
#include "data/json.h"
#include "net/http_client.h"

/* A signed-in connection to a server. */
struct client;

struct client_options {
    const char *server; /* "http://127.0.0.1:8080" */
    const char *user;
    const char *password; /* never on a command line: others would see it in ps */
    const char *token;    /* an API token, likewise: then nobody signs in; NULL or empty: none */
};

/* Errors: ERR_UNAUTHENTICATED "bad_credentials"; ERR_BUSY "unreachable". */
checked bool client_open(const struct client_options *options, struct client **ret_client,
                         struct err *err);
void client_close(struct client *client); /* accepts NULL */
OWN_DEFINE(client, client_close)

struct client_call {
    enum http_method method;
    const char *path;
    const char *content_type; /* NULL: no body */
    struct str body;
    int body_fd; /* with body_fd_bytes > 0 */
    int64_t body_fd_bytes;
    const char *const *headers;
    int64_t timeout_ms; /* 0: 30 s */
    struct buf *raw;    /* NULL, or takes a good answer as it came */
};
/* The JSON of a 2xx answer; *ret_json NULL when it has no body. A problem becomes its error, with
 * the fields that are wrong in its text. */
checked bool client_call(struct client *client, const struct client_call *call,
                         struct json **ret_json, struct err *err);

/* Percent-encodes one part of a path or query. */
const char *client_escape(struct arena *arena, struct str text);

#endif
