#include "domain/base_url.h"

#define HOST_BYTES_MAX 253
#define PREFIX "https://"

static bool refuse(struct err *err) {
    return err_set(err, ERR_INVALID, "bad_field",
                   "field `baseUrl` must be https://HOST or https://HOST:PORT, without a path");
}

static bool is_host(struct str host) {
    if (host.len == 0 || host.len > HOST_BYTES_MAX) {
        return false;
    }
    for (size_t i = 0; i < host.len; i++) {
        unsigned char c = (unsigned char)host.ptr[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '.' || c == '-' || c == ':';
        if (!good) {
            return false;
        }
    }
    return true;
}

bool base_url_parse(struct str text, struct base_url *ret_url, struct err *err) {
    struct str head = {0};
    struct str port = {0};
    struct str host = {0};
    struct err ignored = {0};
    int64_t number = BASE_URL_PORT_DEFAULT;
    if (text.len > BASE_URL_BYTES_MAX || !str_starts(text, STR(PREFIX))) {
        return refuse(err);
    }
    struct str rest = str_of(text.ptr + sizeof PREFIX - 1, text.len - (sizeof PREFIX - 1));
    bool bracketed = rest.len > 0 && rest.ptr[0] == '[';
    if (bracketed) {
        rest = str_of(rest.ptr + 1, rest.len - 1);
        if (!str_cut(rest, ']', &host, &rest) || (rest.len > 0 && rest.ptr[0] != ':')) {
            return refuse(err);
        }
        port = rest.len > 0 ? str_of(rest.ptr + 1, rest.len - 1) : (struct str){0};
        head = rest;
    } else {
        (void)str_cut(rest, ':', &host, &port);
        head = host.len < rest.len ? STR(":") : (struct str){0};
    }
    bool has_port = head.len > 0;
    bool colons = false;
    (void)str_cut(host, ':', &head, &rest);
    colons = head.len < host.len;
    if (!is_host(host) || colons != bracketed ||
        (has_port && !str_to_i64(port, 1, 65535, &number, &ignored))) {
        return refuse(err);
    }
    *ret_url = (struct base_url){.host = host, .port = (int)number};
    return true;
}
