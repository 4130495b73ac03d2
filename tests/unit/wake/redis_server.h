#ifndef TESTS_UNIT_WAKE_REDIS_SERVER_H
#define TESTS_UNIT_WAKE_REDIS_SERVER_H

/* A real redis-server of the test's own: a Unix socket and, when asked, TLS on a free port. Its
 * folder and process end with the test. */

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define REDIS_SERVER "/usr/bin/redis-server"

struct redis_server {
    char folder[64];
    char url[128];     /* unix:... */
    char tls_url[128]; /* rediss://localhost:... */
    char ca_file[128];
    pid_t pid;
    int tls_port;
};

static inline int free_port(void) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    struct sockaddr *plain = (struct sockaddr *)(void *)&address;
    int bound = bind(fd, plain, size);
    int named = getsockname(fd, plain, &size);
    close(fd);
    return bound == 0 && named == 0 ? ntohs(address.sin_port) : -1;
}

static inline void run_here(const char *folder, const char *const argv[]) {
    char *arguments[32] = {0}; /* execve does not write into them */
    for (int i = 0; argv[i] != NULL && i < 31; i++) {
        memcpy(&arguments[i], &argv[i], sizeof arguments[i]);
    }
    if (chdir(folder) == 0) {
        (void)execve(arguments[0], arguments, environ);
    }
}

/* Runs a program to its end; its exit status. */
static inline int run_program(const char *folder, const char *const argv[]) {
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(null, 1);
        dup2(null, 2);
        run_here(folder, argv);
        _exit(127);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static inline bool redis_make(struct redis_server *server, bool tls) {
    *server = (struct redis_server){.pid = -1};
    memcpy(server->folder, "/tmp/test-redis-XXXXXX", sizeof "/tmp/test-redis-XXXXXX");
    if (mkdtemp(server->folder) == NULL) {
        return false;
    }
    snprintf(server->url, sizeof server->url, "unix:%s/redis.sock", server->folder);
    snprintf(server->ca_file, sizeof server->ca_file, "%s/cert.pem", server->folder);
    if (tls) {
        const char *const openssl[] = {"/usr/bin/openssl",
                                       "req",
                                       "-x509",
                                       "-newkey",
                                       "ec",
                                       "-pkeyopt",
                                       "ec_paramgen_curve:P-256",
                                       "-nodes",
                                       "-keyout",
                                       "key.pem",
                                       "-out",
                                       "cert.pem",
                                       "-days",
                                       "2",
                                       "-subj",
                                       "/CN=localhost",
                                       "-addext",
                                       "subjectAltName=DNS:localhost",
                                       NULL};
        server->tls_port = free_port();
        snprintf(server->tls_url, sizeof server->tls_url, "rediss://localhost:%d",
                 server->tls_port);
        return run_program(server->folder, openssl) == 0;
    }
    return true;
}

/* Starts it (again); `password` may be NULL. */
static inline bool redis_start(struct redis_server *server, const char *password) {
    pid_t parent = getpid();
    server->pid = fork();
    if (server->pid == 0) {
        char tls_port[16];
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(null, 1);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            _exit(127);
        }
        snprintf(tls_port, sizeof tls_port, "%d", server->tls_port);
        const char *arguments[] = {REDIS_SERVER,
                                   "--port",
                                   "0",
                                   "--unixsocket",
                                   "redis.sock",
                                   "--save",
                                   "",
                                   "--requirepass",
                                   password != NULL ? password : "",
                                   server->tls_port > 0 ? "--tls-port" : NULL,
                                   tls_port,
                                   "--tls-cert-file",
                                   "cert.pem",
                                   "--tls-key-file",
                                   "key.pem",
                                   "--tls-ca-cert-file",
                                   "cert.pem",
                                   "--tls-auth-clients",
                                   "no",
                                   NULL};
        run_here(server->folder, arguments);
        _exit(127);
    }
    char path[128];
    snprintf(path, sizeof path, "%s/redis.sock", server->folder);
    for (int i = 0; i < 1000; i++) { /* ten seconds */
        if (access(path, F_OK) == 0) {
            return true;
        }
        clock_sleep_ms(&clock_real, 10);
    }
    return false;
}

static inline void redis_kill(struct redis_server *server) {
    if (server->pid > 0) {
        char path[128];
        kill(server->pid, SIGKILL);
        waitpid(server->pid, NULL, 0);
        server->pid = -1;
        snprintf(path, sizeof path, "%s/redis.sock", server->folder);
        unlink(path);
    }
}

static inline void redis_remove(struct redis_server *server) {
    const char *const rm[] = {"/usr/bin/rm", "-rf", server->folder, NULL};
    redis_kill(server);
    (void)run_program("/", rm);
}

static inline bool redis_is_installed(void) {
    const char *const version[] = {REDIS_SERVER, "--version", NULL};
    return run_program("/", version) == 0;
}

#endif
