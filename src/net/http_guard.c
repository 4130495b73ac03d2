/* Refuses requests that two programs in a row could read differently (request smuggling) or that no
 * honest client sends. libmicrohttpd alone accepts all of these; each line has a raw-socket test.
 */
#include "net/http_internal.h"

#include <string.h>
#include <strings.h>

struct guard {
    int headers;
    int content_lengths;
    int transfer_encodings;
    int hosts;
    const char *problem;
};

static bool value_is_plain(const char *value, size_t len) {
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)value[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

static bool name_is_token(const char *name) {
    static const char others[] = "!#$%&'*+-.^_`|~";
    if (*name == '\0') {
        return false;
    }
    for (; *name; name++) {
        char c = *name;
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && strchr(others, c) == NULL) {
            return false;
        }
    }
    return true;
}

static bool digits_only(const char *value) {
    return *value != '\0' && strspn(value, "0123456789") == strlen(value) && strlen(value) <= 15;
}

static void guard_special(struct guard *guard, const char *name, const char *value) {
    if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
        guard->content_lengths++;
        if (!digits_only(value)) {
            guard->problem = "Content-Length must be a plain number";
        }
    } else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        guard->transfer_encodings++;
        if (strcasecmp(value, "chunked") != 0) {
            guard->problem = "Transfer-Encoding must be chunked or absent";
        }
    } else if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) {
        guard->hosts++;
    }
}

static enum MHD_Result guard_header(void *context, enum MHD_ValueKind kind, const char *name,
                                    size_t name_len, const char *value, size_t value_len) {
    (void)kind;
    struct guard *guard = context;
    guard->headers++;
    if (strlen(name) != name_len || !name_is_token(name)) {
        guard->problem = "a header name has a character that is not allowed";
    } else if (value == NULL || !value_is_plain(value, value_len)) {
        guard->problem = "a header value has a control character";
    } else {
        guard_special(guard, name, value);
    }
    return guard->problem == NULL ? MHD_YES : MHD_NO;
}

const char *http_guard_check(struct MHD_Connection *connection, const char *version) {
    struct guard guard = {0};
    (void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, guard_header, &guard);
    if (guard.problem != NULL) {
        return guard.problem;
    }
    if (guard.headers > HTTP_HEADERS_MAX) {
        return "too many headers";
    }
    if (guard.content_lengths > 1 || guard.transfer_encodings > 1) {
        return "Content-Length or Transfer-Encoding is given twice";
    }
    if (guard.content_lengths > 0 && guard.transfer_encodings > 0) {
        return "Content-Length and Transfer-Encoding exclude each other";
    }
    if (guard.hosts > 1 || (guard.hosts == 0 && strcmp(version, "HTTP/1.0") != 0)) {
        return "exactly one Host header is needed";
    }
    return NULL;
}
