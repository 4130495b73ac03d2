/* Listening sockets: TCP over IPv4 and IPv6, and Unix sockets. */
#include "base/file.h"
#include "net/http.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define LISTEN_BACKLOG 1024

static bool split_address(const char *address, char host[256], char port[16], struct err *err) {
    struct str whole = str_from(address);
    struct str left = {0};
    struct str right = {0};
    int64_t number = 0;
    if (!str_cut_last(whole, ':', &left, &right) || !str_to_i64(right, 0, 65535, &number, err)) {
        return err_set(err, ERR_INVALID, "bad_listen_address",
                       "\"%s\" is no address to listen on: write host:port, :port, [::]:port or "
                       "unix:/path",
                       address);
    }
    if (left.len >= 2 && left.ptr[0] == '[' && left.ptr[left.len - 1] == ']') {
        left = str_sub(left, 1, left.len - 2);
    }
    if (!str_to_c(left, host, 256, err)) {
        return err_wrap(err, "listen address");
    }
    snprintf(port, 16, "%lld", (long long)number);
    return true;
}

static bool bind_one(const struct addrinfo *info, const char *address, int *ret_fd,
                     struct err *err) {
    own_fd fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return err_system(err, "listen_failed", "cannot make a socket for %s", address);
    }
    int on = 1;
    int off = 0;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (info->ai_family == AF_INET6) {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    }
    if (bind(fd, info->ai_addr, info->ai_addrlen) != 0 || listen(fd, LISTEN_BACKLOG) != 0) {
        if (errno == EADDRINUSE) {
            return err_set(err, ERR_CONFLICT, "address_in_use",
                           "%s is in use by another program: stop it or listen elsewhere "
                           "(--listen)",
                           address);
        }
        return err_system(err, "listen_failed", "cannot listen on %s", address);
    }
    *ret_fd = take_fd(&fd);
    return true;
}

static int bound_port(int fd) {
    struct sockaddr_storage bound = {0};
    socklen_t len = sizeof bound;
    if (getsockname(fd, (struct sockaddr *)&bound, &len) != 0) {
        return 0;
    }
    if (bound.ss_family == AF_INET) {
        return ntohs(((const struct sockaddr_in *)&bound)->sin_port);
    }
    return ntohs(((const struct sockaddr_in6 *)&bound)->sin6_port);
}

static bool listen_tcp(const char *address, int *ret_fd, int *ret_port, struct err *err) {
    char host[256];
    char port[16];
    if (!split_address(address, host, port, err)) {
        return false;
    }
    struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                             .ai_family = host[0] == '\0' ? AF_INET6 : AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int code = getaddrinfo(host[0] == '\0' ? NULL : host, port, &hints, &found);
    if (code != 0) {
        return err_set(err, ERR_INVALID, "bad_listen_address", "cannot resolve %s: %s", address,
                       gai_strerror(code));
    }
    bool ok = bind_one(found, address, ret_fd, err);
    freeaddrinfo(found);
    if (!ok && host[0] == '\0' && err->kind == ERR_SYSTEM) { /* a kernel without IPv6 */
        char ipv4[32];
        snprintf(ipv4, sizeof ipv4, "0.0.0.0:%s", port);
        return listen_tcp(ipv4, ret_fd, ret_port, err);
    }
    if (ok) {
        *ret_port = bound_port(*ret_fd);
    }
    return ok;
}

static bool unix_socket_is_alive(const struct sockaddr_un *address) {
    own_fd probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return probe >= 0 && connect(probe, (const struct sockaddr *)address, sizeof *address) == 0;
}

static bool listen_unix(const char *path, int *ret_fd, struct err *err) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!str_to_c(str_from(path), address.sun_path, sizeof address.sun_path, err)) {
        return err_wrap(err, "socket path");
    }
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISSOCK(info.st_mode)) {
        if (unix_socket_is_alive(&address)) {
            return err_set(err, ERR_CONFLICT, "address_in_use", "unix:%s is in use", path);
        }
        (void)unlink(path);
    }
    own_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, LISTEN_BACKLOG) != 0) {
        return err_system(err, "listen_failed", "cannot listen on unix:%s", path);
    }
    *ret_fd = take_fd(&fd);
    return true;
}

bool http_listen(const char *address, int *ret_fd, int *ret_port, struct err *err) {
    if (strncmp(address, "unix:", 5) == 0) {
        *ret_port = 0;
        return listen_unix(address + 5, ret_fd, err);
    }
    return listen_tcp(address, ret_fd, ret_port, err);
}

bool http_listen_is_local(const char *address) {
    struct str whole = str_from(address);
    return str_starts(whole, STR("unix:")) || str_starts(whole, STR("127.")) ||
           str_starts(whole, STR("[::1]:")) || str_starts(whole, STR("localhost:"));
}
