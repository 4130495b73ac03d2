#ifndef BLOB_S3_CLIENT_H
#define BLOB_S3_CLIENT_H

#include "base/arena.h"
#include "base/clock.h"
#include "data/digest.h"
#include "net/http_client.h"

/* Calls to an S3-compatible store, by path-style addresses and Signature Version 4. Any thread; a
 * few connections are shared. What may pass by itself (no connection, 5xx, 429) is tried again a
 * few times: every call that is made here can be repeated. */

struct s3_client;

struct s3_options {       /* all texts are copied */
    const char *endpoint; /* "https://s3.example.org:9000" */
    const char *bucket;
    const char *prefix; /* before every key; "" or ending in "/" */
    const char *region;
    const char *access_key;
    const char *secret_key;
    const char *ca_file; /* "" for the system's */
    const struct clock *clock;
};

/* Errors: ERR_INVALID "bad_s3_setting". Nothing is called yet. */
checked bool s3_client_open(const struct s3_options *options, struct s3_client **ret_client,
                            struct err *err);
void s3_client_close(struct s3_client *client); /* accepts NULL */
OWN_DEFINE(s3_client, s3_client_close)

struct s3_call {
    enum http_method method;
    const char *key;        /* NULL: the bucket itself */
    const char *query;      /* "?a=b&c=d", or NULL */
    const char *headers[3]; /* further ones, NULL-terminated */
    struct str body;        /* of PUT */
    int body_fd;            /* with body_fd_bytes > 0 */
    int64_t body_fd_bytes;
    const struct digest *digest; /* of the body; NULL: of nothing */
    int64_t answer_bytes_max;
    int answer_fd; /* with answer_to_fd; cut to nothing before each try */
    bool answer_to_fd;
};

/* True for 2xx and 404. Errors: ERR_BUSY "blob_unavailable", ERR_DENIED "blob_refused" with the
 * store's code, ERR_TOO_LARGE. */
checked bool s3_client_call(struct s3_client *client, const struct s3_call *call,
                            struct arena *arena, struct http_answer *ret_answer, struct err *err);

const char *s3_client_prefix(const struct s3_client *client);

#endif
