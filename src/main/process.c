/* What the long-running processes share. */
#include "main/process.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/log.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* A descriptor's magic link does not ask for rights on the folders above. */
void pin_folder(const char *path, char out[PINNED_BYTES]) {
    int fd = path[0] == '\0' ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    out[0] = '\0';
    if (fd >= 0) {
        (void)snprintf(out, PINNED_BYTES, "/proc/self/fd/%d", fd);
    }
}

bool process_stop_fd(int *ret_fd, struct err *err) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    CHECK(sigprocmask(SIG_BLOCK, &signals, NULL) == 0);
    int fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) {
        return err_system(err, "signalfd_failed", "cannot wait for signals");
    }
    *ret_fd = fd;
    return true;
}

void process_path(const struct config *config, const char *name, char *out, size_t room) {
    int len = snprintf(out, room, "%s/%s", config_text(config, "data"), name);
    CHECK(len > 0 && (size_t)len < room);
}

#define FILES_WANTED 65535 /* connections that wait, files that are served */

void process_raise_files(void) {
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
        if (files.rlim_cur < FILES_WANTED) {
            log_warn("files.few", LOG_I64("limit", (int64_t)files.rlim_cur),
                     LOG_STR("text", "set LimitNOFILE or ulimit -n to 65535: each waiting node and "
                                     "each open page holds one"));
        }
    }
}

int process_slots(int64_t wanted) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t slots = wanted > 0 ? wanted : processors > 0 ? processors : 1;
    return slots > NODE_SLOTS_MAX ? NODE_SLOTS_MAX : (int)slots;
}
