#include "net/byte_stream.h"
#include "base/check.h"
#include "base/clock.h"
#include "net/curl_internal.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#define URL_BYTES_MAX 512

struct byte_stream {
    CURL *easy;
    int fd;
};

static bool gone(struct err *err, const char *what, CURLcode code) {
    return err_set(err, ERR_BUSY, "unreachable", "cannot %s: %s", what, curl_easy_strerror(code));
}

static void set_options(CURL *easy, const struct byte_stream_options *options, const char *url) {
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PROXY, ""); /* passwords must not see an environment's proxy */
    curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)options->connect_ms);
    curl_easy_setopt(easy, CURLOPT_SSL_ENABLE_ALPN, 0L); /* it is not HTTP that follows */
    if (options->ca_file != NULL) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, options->ca_file);
    }
    if (options->unix_path != NULL) {
        curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, options->unix_path);
    }
}

bool byte_stream_open(const struct byte_stream_options *options, struct byte_stream **ret_stream,
                      struct err *err) {
    CHECK(options->connect_ms > 0);
    char url[URL_BYTES_MAX];
    const char *address = options->unix_path != NULL ? "localhost" : options->address;
    int len = snprintf(url, sizeof url, "%s://%s", options->tls ? "https" : "http", address);
    if (len < 0 || (size_t)len >= sizeof url) {
        return err_set(err, ERR_INVALID, "bad_address", "the address is too long");
    }
    curl_ready();
    CURL *easy = curl_easy_init();
    CHECK(easy != NULL);
    set_options(easy, options, url);
    curl_socket_t fd = CURL_SOCKET_BAD;
    CURLcode code = curl_easy_perform(easy);
    if (code == CURLE_OK) {
        code = curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &fd);
    }
    if (code != CURLE_OK || fd == CURL_SOCKET_BAD) {
        curl_easy_cleanup(easy);
        return gone(err, "connect", code);
    }
    struct byte_stream *stream = calloc(1, sizeof *stream);
    CHECK(stream != NULL);
    *stream = (struct byte_stream){.easy = easy, .fd = fd};
    *ret_stream = stream;
    return true;
}

void byte_stream_close(struct byte_stream *stream) {
    if (stream != NULL) {
        curl_easy_cleanup(stream->easy);
        free(stream);
    }
}

int byte_stream_fd(const struct byte_stream *stream) {
    return stream->fd;
}

bool byte_stream_send(struct byte_stream *stream, struct str bytes, int64_t timeout_ms,
                      struct err *err) {
    int64_t end_ms = clock_mono_ms(&clock_real) + timeout_ms;
    while (bytes.len > 0) {
        size_t sent = 0;
        CURLcode code = curl_easy_send(stream->easy, bytes.ptr, bytes.len, &sent);
        if (code == CURLE_OK) {
            bytes = str_sub(bytes, sent, bytes.len - sent);
            continue;
        }
        if (code != CURLE_AGAIN) {
            return gone(err, "send", code);
        }
        int64_t left_ms = end_ms - clock_mono_ms(&clock_real);
        struct pollfd socket = {.fd = stream->fd, .events = POLLOUT};
        if (left_ms <= 0 || poll(&socket, 1, (int)left_ms) == 0) {
            return err_set(err, ERR_DEADLINE, "timeout", "nothing more could be sent");
        }
    }
    return true;
}

bool byte_stream_receive(struct byte_stream *stream, char *out, size_t room, size_t *ret_count,
                         struct err *err) {
    size_t count = 0;
    CURLcode code = curl_easy_recv(stream->easy, out, room, &count);
    if (code == CURLE_AGAIN) {
        *ret_count = 0;
        return true;
    }
    if (code != CURLE_OK) {
        return gone(err, "receive", code);
    }
    if (count == 0) {
        return err_set(err, ERR_BUSY, "unreachable", "the other side has closed the connection");
    }
    *ret_count = count;
    return true;
}
