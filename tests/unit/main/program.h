#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

/* The built program as a child process, for tests of its commands: what it prints, how it ends. */
#include "base/clock.h"
#include "base/file.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PROGRAM_ARGS_MAX 32

struct program {
    pid_t pid;
    int out_fd; /* what it writes to standard output and standard error */
    char out[64 * KIB];
    size_t len;
};

static inline const char *program_source_root(void) {
    const char *root = getenv("ASSIZE_SOURCE_ROOT");
    assert_non_null(root);
    return root;
}

/* A folder that another user can reach, so that a program started as root can work in it. */
static inline void program_folder(char *out, size_t room) {
    (void)snprintf(out, room, "/tmp/assize-main-XXXXXX");
    assert_non_null(mkdtemp(out));
    assert_int_equal(chmod(out, 0755), 0);
}

/* In the child: nothing of the test's environment but what is named here. */
static inline void program_exec(int out_fd, const char *const args[], const char *const env[]) {
    char path[4096];
    char *argv[PROGRAM_ARGS_MAX + 2] = {path};
    char *envp[16] = {strdup("PATH=/usr/bin:/bin")};
    int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)snprintf(path, sizeof path, "%s/src/main/assize", getenv("ASSIZE_BUILD"));
    for (int i = 0; args[i] != NULL && i < PROGRAM_ARGS_MAX; i++) {
        argv[i + 1] = strdup(args[i]);
    }
    for (int i = 0; env != NULL && env[i] != NULL && i < 14; i++) {
        envp[i + 1] = strdup(env[i]);
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)dup2(null_fd, 0);
    (void)dup2(out_fd, 1);
    (void)dup2(out_fd, 2);
    (void)execve(path, argv, envp);
    _exit(127);
}

static inline void program_start(struct program *program, const char *const args[],
                                 const char *const env[]) {
    int ends[2];
    memset(program, 0, sizeof *program);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    program->pid = fork();
    assert_true(program->pid >= 0);
    if (program->pid == 0) {
        program_exec(ends[1], args, env);
    }
    close(ends[1]);
    program->out_fd = ends[0];
}

/* Reads until `until` was printed, the output ends, or wait_ms pass without a byte. */
static inline bool program_read(struct program *program, const char *until, int wait_ms) {
    while (until == NULL || strstr(program->out, until) == NULL) {
        struct pollfd ready = {.fd = program->out_fd, .events = POLLIN};
        size_t room = sizeof program->out - program->len - 1;
        if (room == 0 || poll(&ready, 1, wait_ms) <= 0) {
            return false;
        }
        ssize_t got = read(program->out_fd, program->out + program->len, room);
        if (got <= 0) {
            return false;
        }
        program->len += (size_t)got;
        program->out[program->len] = '\0';
    }
    return true;
}

/* Reads what is left and reaps it. The exit status, or 128 and the signal. */
static inline int program_end(struct program *program) {
    int status = 0;
    (void)program_read(program, NULL, 20000);
    close(program->out_fd);
    for (int i = 0; i < 2000; i++) {
        pid_t ended = waitpid(program->pid, &status, WNOHANG);
        if (ended == program->pid) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        clock_sleep_ms(&clock_real, 10);
    }
    (void)kill(program->pid, SIGKILL);
    (void)waitpid(program->pid, &status, 0);
    fail_msg("the program did not end; it printed: %s", program->out);
    return -1;
}

static inline int program_stop(struct program *program) {
    assert_int_equal(kill(program->pid, SIGTERM), 0);
    return program_end(program);
}

static inline int program_run(struct program *program, const char *const args[],
                              const char *const env[]) {
    program_start(program, args, env);
    return program_end(program);
}

#define PROGRAM_RUN(program, ...)                                                                  \
    program_run((program), (const char *const[]){__VA_ARGS__, NULL}, NULL)

static inline void program_said(const struct program *program, const char *text) {
    if (strstr(program->out, text) == NULL) {
        fail_msg("\"%s\" is not in: %s", text, program->out);
    }
}

/* Tests that start the server as root: the machine has an unprivileged user for it. */
static inline void program_need_root(void) {
    if (geteuid() != 0) {
        (void)printf("skipped: this test needs root\n");
        skip();
    }
}

#endif
