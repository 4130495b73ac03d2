#ifndef NET_BYTE_STREAM_H
#define NET_BYTE_STREAM_H

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

/* A connection that carries bytes of any protocol: TCP, TLS or a Unix socket. libcurl connects and
 * encrypts, so that host names, several addresses and certificates are treated as in the HTTP
 * client. Used by one thread at a time. */

struct byte_stream;

struct byte_stream_options {
    const char *address;   /* "host:port" or "[::1]:port"; not used with unix_path */
    const char *unix_path; /* NULL: TCP */
    bool tls;              /* the certificate must be the host's */
    const char *ca_file;   /* NULL: the system's */
    int64_t connect_ms;
};

/* Errors: ERR_BUSY "unreachable" with the reason. */
checked bool byte_stream_open(const struct byte_stream_options *options,
                              struct byte_stream **ret_stream, struct err *err);
void byte_stream_close(struct byte_stream *stream); /* accepts NULL */
OWN_DEFINE(byte_stream, byte_stream_close)

/* To poll for POLLIN, after byte_stream_receive has found nothing more. */
int byte_stream_fd(const struct byte_stream *stream);

/* Everything within `timeout_ms`. ERR_BUSY "unreachable" when the other side is gone, ERR_DEADLINE
 * "timeout". */
checked bool byte_stream_send(struct byte_stream *stream, struct str bytes, int64_t timeout_ms,
                              struct err *err);
/* What is there now; 0 bytes: nothing. ERR_BUSY "unreachable" when the other side is gone. */
checked bool byte_stream_receive(struct byte_stream *stream, char *out, size_t room,
                                 size_t *ret_count, struct err *err);

#endif
