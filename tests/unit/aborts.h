#ifndef UNIT_ABORTS_H
#define UNIT_ABORTS_H

/* Include after cmocka.h. Runs `expr` in a child process and demands that it aborts there: a CHECK
 * that never fails does not count. */

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define assert_aborts(expr)                                                                        \
    do {                                                                                           \
        pid_t child_ = fork();                                                                     \
        assert_true(child_ >= 0);                                                                  \
        if (child_ == 0) {                                                                         \
            aborts_silence();                                                                      \
            (void)(expr);                                                                          \
            _exit(0);                                                                              \
        }                                                                                          \
        assert_int_equal(aborts_signal(child_), SIGABRT);                                          \
    } while (0)

static inline void aborts_silence(void) {
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
}

static inline int aborts_signal(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

#endif
