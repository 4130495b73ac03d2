#ifndef NET_HTTP_CLIENT_H
#define NET_HTTP_CLIENT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/own.h"
#include "net/http.h"

/* HTTP for nodes and commands, over libcurl: one client has one connection and is used by one
 * thread at a time; http_client_abort may come from any thread. Only http and https, no redirects,
 * certificates verified, everything bounded. */

struct http_client;

struct http_aws {
    const char *region;
    const char *service; /* "s3" */
    const char *access_key;
    const char *secret_key;
};

struct http_client_options {
    const char *base_url;   /* "http://127.0.0.1:8080", copied; a trailing slash is dropped */
    const char *bearer;     /* NULL: none; copied */
    const char *ca_file;    /* NULL: the system's */
    const char *user_agent; /* copied */
    int64_t connect_ms;     /* 0: 5000 */
    /* Requests are signed as AWS Signature Version 4 asks; NULL: not. The caller adds the header
     * x-amz-content-sha256 with the body's digest, and writes queries in the order of their names.
     */
    const struct http_aws *aws; /* copied */
};

checked bool http_client_open(const struct http_client_options *options,
                              struct http_client **ret_client, struct err *err);
void http_client_close(struct http_client *client); /* accepts NULL */
OWN_DEFINE(http_client, http_client_close)

void http_client_set_bearer(struct http_client *client, const char *bearer);
/* Breaks off the call that is running, and every later one: ERR_CANCELLED "aborted". */
void http_client_abort(struct http_client *client);

struct http_call {
    enum http_method method;
    const char *path;         /* "/api/v1/..."; percent-encoded by the caller */
    const char *content_type; /* NULL: no body */
    struct str body;          /* borrowed */
    int body_fd;              /* with body_fd_bytes > 0: sent instead of `body`; borrowed */
    int64_t body_fd_bytes;
    const char *const *headers; /* "Name: value", NULL-terminated, or NULL */
    int64_t timeout_ms;         /* whole call */
    int64_t answer_bytes_max;
    int answer_fd; /* with answer_to_fd: a 2xx body goes here instead of memory */
    bool answer_to_fd;
};

struct http_answer {
    int status;
    struct str body; /* in the arena; an error's body also when answer_to_fd */
    int64_t body_bytes;
    int64_t retry_after_ms; /* 0: none */
    struct str cookies;     /* every Set-Cookie's "name=value", joined by "; " */
};

/* True when an answer came, whatever its status.
 * Errors: ERR_BUSY "unreachable" (no connection, connection lost), ERR_BUSY "untrusted" (its
 * certificate: expired, of another name, of an unknown authority), ERR_DEADLINE "timeout",
 * ERR_TOO_LARGE "answer_too_large", ERR_CANCELLED "aborted", ERR_SYSTEM. */
checked bool http_client_call(struct http_client *client, const struct http_call *call,
                              struct arena *arena, struct http_answer *ret_answer, struct err *err);

#endif
