/* See supervisor.h. */
#include "main/supervisor.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/command.h"
#include "base/log.h"
#include "main/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS 100
#define PAUSE_MS_MIN 500
#define PAUSE_MS_MAX 30000
#define GIVE_UP_MS 500  /* without the essential child the others can finish nothing */
#define STEADY_MS 60000 /* having run this long, a child's next end is a first one again */

/* The child must not outlive a killed supervisor (run_user_become keeps the flag). It is in a
 * process group of its own: Ctrl-C on the terminal reaches the supervisor alone, which then ends
 * the children in order. */
static void start(struct supervised *child) {
    pid_t supervisor = getpid();
    (void)fflush(stdout);
    (void)fflush(stderr);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        sigset_t none;
        sigemptyset(&none);
        (void)sigprocmask(SIG_SETMASK, &none, NULL);
        (void)setpgid(0, 0);
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != supervisor) {
            _exit(EXIT_STATUS_FAILED);
        }
        int status = child->run(child->context);
        (void)fflush(stdout);
        _exit(status);
    }
    child->pid = pid;
    child->starts++;
    child->started_ms = clock_mono_ms(&clock_real);
}

static void note_end(struct supervised *child, int status) {
    int64_t now_ms = clock_mono_ms(&clock_real);
    bool steady = now_ms - child->started_ms >= STEADY_MS;
    child->pid = 0;
    child->pause_ms = steady || child->pause_ms == 0 ? PAUSE_MS_MIN : 2 * child->pause_ms;
    if (child->pause_ms > PAUSE_MS_MAX) {
        child->pause_ms = PAUSE_MS_MAX;
    }
    child->start_at_ms = now_ms + child->pause_ms;
    log_warn("process.ended", LOG_STR("process", child->name),
             LOG_I64("exitStatus", WIFEXITED(status) ? WEXITSTATUS(status) : -1),
             LOG_I64("signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0),
             LOG_I64("restartInMs", child->pause_ms));
}

/* False when an essential child failed at its first start. */
static bool reap(struct supervised *children, int count) {
    for (int i = 0; i < count; i++) {
        int status = 0;
        if (children[i].pid > 0 && waitpid(children[i].pid, &status, WNOHANG) == children[i].pid) {
            bool failed_first = children[i].essential && children[i].starts == 1 &&
                                WIFEXITED(status) && WEXITSTATUS(status) != EXIT_STATUS_OK;
            if (failed_first) { /* it has said why itself */
                children[i].pid = 0;
                return false;
            }
            note_end(&children[i], status);
        }
    }
    return true;
}

static void start_due(struct supervised *children, int count) {
    int64_t now_ms = clock_mono_ms(&clock_real);
    for (int i = 0; i < count; i++) {
        if (children[i].pid == 0 && now_ms >= children[i].start_at_ms) {
            start(&children[i]);
        }
    }
}

static void end(struct supervised *child, int64_t stop_ms) {
    if (child->pid <= 0) {
        return;
    }
    int64_t until_ms = clock_mono_ms(&clock_real) + stop_ms;
    (void)kill(child->pid, SIGTERM);
    while (waitpid(child->pid, NULL, WNOHANG) == 0) {
        if (clock_mono_ms(&clock_real) > until_ms) {
            log_warn("process.killed", LOG_STR("process", child->name));
            (void)kill(child->pid, SIGKILL);
            (void)waitpid(child->pid, NULL, 0);
            break;
        }
        clock_sleep_ms(&clock_real, 10);
    }
    child->pid = 0;
}

/* True when told to stop; false after a tick. */
static bool wait_tick(int stop_fd) {
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    return poll(&stop, 1, TICK_MS) > 0;
}

int supervisor_run(struct supervised *children, int count, int64_t stop_ms) {
    struct err err = {0};
    own_fd stop_fd = -1;
    if (!process_stop_fd(&stop_fd, &err)) {
        log_error("supervisor.failed", LOG_ERR(&err));
        return EXIT_STATUS_FAILED;
    }
    bool good = true;
    do {
        start_due(children, count);
        good = reap(children, count);
    } while (good && !wait_tick(stop_fd));
    for (int i = count - 1; i >= 0; i--) {
        end(&children[i], good ? stop_ms : GIVE_UP_MS);
    }
    return good ? EXIT_STATUS_OK : EXIT_STATUS_FAILED;
}
