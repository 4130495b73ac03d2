/* assize-box: the only privileged program. Started by the client with one end of a socket pair as
 * descriptor 3; everything else it has comes from its own arguments:
 *
 *     assize-box --slots N --cgroup NAME [--root PATH]...
 */
#include "box/supervisor.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENT_FD 3
#define ANSWER_BUFFER_BYTES (8 * 1024 * 1024)
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* What a run may ask for; --root adds to it. */
static const char *const built_in_roots[] = {
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/sbin",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/java-17-openjdk",
    "/etc/mono",
    "/var/lib/ghc",
};

static bool read_arguments(int argc, char **argv, struct supervisor *box, const char **ret_cgroup) {
    size_t roots = COUNT(built_in_roots);
    memcpy(box->allowed_roots, built_in_roots, sizeof(built_in_roots));
    for (int i = 1; i + 1 < argc; i += 2) {
        int64_t number = 0;
        struct err err = {0};
        if (strcmp(argv[i], "--slots") == 0 &&
            str_to_i64(str_from(argv[i + 1]), 1, BOX_SLOTS_MAX, &number, &err)) {
            box->slot_count = (int)number;
        } else if (strcmp(argv[i], "--cgroup") == 0) {
            *ret_cgroup = argv[i + 1];
        } else if (strcmp(argv[i], "--root") == 0 && roots < SUPERVISOR_ROOTS_MAX) {
            box->allowed_roots[roots++] = argv[i + 1];
        } else {
            return false;
        }
    }
    return argc % 2 == 1 && box->slot_count > 0 && *ret_cgroup != NULL;
}

/* Nothing of the client's surroundings may reach a run or end us: only the client's closing its
 * end of the socket does. */
static void leave_client(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL); /* SIGKILL and the signals of our own faults remain */
    (void)setsid();
    close_range(CLIENT_FD + 1, ~0u, 0);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd < 2; fd++) {
        dup2(null, fd);
    }
    /* Limits are watched in time even where hundreds of processes of a run want the processors. The
     * work of this process is small and bounded; what it starts is ordinary again. */
    struct sched_param priority = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &priority) != 0) {
        (void)setpriority(PRIO_PROCESS, 0, -15);
    }
}

/* A run's limits can only be as high as ours. Every run holds a dozen descriptors. */
static void raise_limits(void) {
    static const int resources[] = {RLIMIT_STACK, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_CORE};
    struct rlimit files = {.rlim_cur = 65536, .rlim_max = 65536};
    struct rlimit none = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    (void)setrlimit(RLIMIT_NOFILE, &files);
    for (size_t i = 0; i < COUNT(resources); i++) {
        (void)setrlimit(resources[i], &none);
    }
}

static bool prepare(struct supervisor *box, const char *cgroup, struct err *err) {
    int buffer = ANSWER_BUFFER_BYTES;
    box->cpu_count = (int)sysconf(_SC_NPROCESSORS_ONLN);
    box->epoll = epoll_create1(EPOLL_CLOEXEC);
    box->empty = memfd_create("empty", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (box->epoll < 0 || box->empty < 0 ||
        fcntl(box->empty, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        setsockopt(box->client, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof(buffer)) != 0 ||
        fcntl(box->client, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(box->client, F_SETFD, FD_CLOEXEC) != 0) {
        return err_system(err, message_codes[CODE_FAILED], "set up the box");
    }
    uint64_t source = supervisor_source(SOURCE_CLIENT, 0, 0, 0);
    return cgroups_find(&box->groups, err) && cgroups_open(&box->groups, cgroup, err) &&
           supervisor_prove(box, err) && supervisor_watch(box, box->client, EPOLLIN, source, err);
}

int main(int argc, char **argv) {
    static struct supervisor box = {.client = CLIENT_FD};
    struct box_answer ready = {.kind = ANSWER_READY};
    const char *cgroup = NULL;
    struct err err = {0};
    if (!read_arguments(argc, argv, &box, &cgroup) || fcntl(CLIENT_FD, F_GETFD) < 0) {
        fputs("assize-box is started by assize; use `assize box` to run a command in it\n", stderr);
        return 2;
    }
    leave_client();
    raise_limits();
    bool prepared = prepare(&box, cgroup, &err);
    message_error_to(&err, &ready);
    ready.error_code = CODE_UNAVAILABLE; /* whatever it was that failed */
    supervisor_answer(&box, &ready, NULL, 0);
    if (!prepared) {
        cgroups_close(&box.groups);
        return 3;
    }
    supervisor_serve(&box);
    return 0;
}
