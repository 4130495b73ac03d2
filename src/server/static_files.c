/* The built web pages: files with a digest in their name never change and are cached for ever;
 * every other page address is index.html, whose script finds the page. */
#include "base/check.h"
#include "base/limits.h"
#include "server/server_internal.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char content_security_policy[] =
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; "
    "object-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'";

static const char not_built[] =
    "<!doctype html><meta charset=\"utf-8\"><title>Assize</title>"
    "<h1>Assize</h1><p>The server runs, but its web pages are not built. In the checkout run "
    "<code>script/server</code>, which builds them, or <code>npm ci && npm run build</code> in "
    "<code>web/</code>, and start the server with <code>--web web/dist</code>.</p>";

static const struct {
    const char *ending;
    const char *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".json", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
    {".webmanifest", "application/manifest+json"},
};

static const char *type_of(struct str path) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (str_ends(path, str_from(types[i].ending))) {
            return types[i].type;
        }
    }
    return NULL;
}

/* Beneath the folder only, no links: the kernel refuses the rest. -1 when there is no such plain
 * file. */
static int open_beneath(int folder, const char *path, struct stat *ret_info) {
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    int fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (fd >= 0 && (fstat(fd, ret_info) != 0 || !S_ISREG(ret_info->st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

struct variant {
    const char *coding; /* Content-Encoding, NULL: as it is */
    const char *ending;
};
static const struct variant variants[] = {{"br", ".br"}, {"gzip", ".gz"}, {NULL, ""}};

/* "q=0", "q=0.000" */
static bool is_zero_weight(struct str weight) {
    bool zero = str_starts(weight, STR("q=0"));
    for (size_t i = 3; i < weight.len && zero; i++) {
        zero = weight.ptr[i] == '0' || weight.ptr[i] == '.';
    }
    return zero;
}

static bool accepts(const struct call *call, const char *coding) {
    struct str rest = http_header(call->http, "Accept-Encoding");
    struct str item = {0};
    bool more = rest.len > 0;
    while (more) {
        more = str_cut(rest, ',', &item, &rest);
        struct str name = {0};
        struct str weight = {0};
        (void)str_cut(item, ';', &name, &weight);
        if (str_eq_nocase(str_trim(name), str_from(coding))) {
            return !is_zero_weight(str_trim(weight));
        }
    }
    return false;
}

static void add_page_headers(struct call *call, bool immutable, const char *tag) {
    http_add_header(call->http, "Content-Security-Policy", content_security_policy);
    http_add_header(call->http, "X-Content-Type-Options", "nosniff");
    http_add_header(call->http, "Referrer-Policy", "same-origin");
    http_add_header(call->http, "Vary", "Accept-Encoding");
    http_add_header(call->http, "ETag", tag);
    http_add_header(call->http, "Cache-Control",
                    immutable ? "public, max-age=31536000, immutable" : "no-cache");
}

/* A proxy that compresses makes the tag weak, and a client may name several. */
static bool client_has(const struct call *call, const char *tag) {
    struct str rest = http_header(call->http, "If-None-Match");
    struct str item = {0};
    bool more = rest.len > 0;
    while (more) {
        more = str_cut(rest, ',', &item, &rest);
        item = str_trim(item);
        item = str_starts(item, STR("W/")) ? str_sub(item, 2, item.len) : item;
        if (str_eq_c(item, tag)) {
            return true;
        }
    }
    return false;
}

static void send_file(struct call *call, int fd, const struct stat *info, const char *type,
                      const struct variant *variant) {
    const char *tag =
        arena_printf(call->arena, "\"%llx-%llx%s\"", (unsigned long long)info->st_size,
                     (unsigned long long)info->st_mtim.tv_sec * 1000000000 +
                         (unsigned long long)info->st_mtim.tv_nsec,
                     variant->ending);
    bool immutable = str_starts(http_path(call->http), STR("/assets/"));
    add_page_headers(call, immutable, tag);
    if (variant->coding != NULL) {
        http_add_header(call->http, "Content-Encoding", variant->coding);
    }
    if (client_has(call, tag)) {
        close(fd);
        http_send(call->http, 304, NULL, STR(""));
        return;
    }
    http_send_fd(call->http, 200, type, fd, info->st_size);
}

/* No part of the path is empty or begins with a dot: no hidden file, no way up. */
static bool is_plain_path(struct str path) {
    struct str part = {0};
    bool more = true;
    while (more) {
        more = str_cut(path, '/', &part, &path);
        if (part.len == 0 || part.ptr[0] == '.') {
            return false;
        }
    }
    return true;
}

static bool try_file(struct call *call, struct str path) {
    const char *type = type_of(path);
    if (type == NULL || call->server->web_fd < 0 || str_has_nul(path) || !is_plain_path(path)) {
        return false;
    }
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        if (variants[i].coding != NULL && !accepts(call, variants[i].coding)) {
            continue;
        }
        struct stat info;
        const char *name =
            arena_printf(call->arena, STR_FMT "%s", STR_ARG(path), variants[i].ending);
        int fd = open_beneath(call->server->web_fd, name, &info);
        if (fd >= 0) {
            send_file(call, fd, &info, type, &variants[i]);
            return true;
        }
    }
    return false;
}

void static_files_answer(struct call *call) {
    struct str path = http_path(call->http);
    if (try_file(call, str_sub(path, 1, path.len))) {
        return;
    }
    if (type_of(path) != NULL) { /* a file that is not there must not be answered with a page */
        call_fail_at(call, ERR_MISSING, "not_found", "there is nothing at this address");
        return;
    }
    if (!try_file(call, STR("index.html"))) {
        add_page_headers(call, false, "\"not-built\"");
        http_send(call->http, 200, "text/html; charset=utf-8",
                  str_of(not_built, sizeof not_built - 1));
    }
}
