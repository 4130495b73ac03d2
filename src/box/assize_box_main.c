/* assize-box: the only privileged program. Started by the client with one end of a socket pair as
 * descriptor 3; everything else it needs to know comes as the first message. */
#include "base/process.h"
#include "box/supervisor.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENT_FD 3
#define FILES_MAX 65536 /* every run holds a dozen descriptors */
#define ANSWER_BUFFER_BYTES (8 * 1024 * 1024)

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
}

static bool prepare(struct supervisor *box, struct err *err) {
    int buffer = ANSWER_BUFFER_BYTES;
    box->cpu_count = (int)sysconf(_SC_NPROCESSORS_ONLN);
    box->epoll = epoll_create1(EPOLL_CLOEXEC);
    box->empty = memfd_create("empty", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (box->epoll < 0 || box->empty < 0 ||
        fcntl(box->empty, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        /* Without root of the machine at most what anybody may have, which holds some hundred. */
        (setsockopt(box->client, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof(buffer)) != 0 &&
         setsockopt(box->client, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer)) != 0) ||
        fcntl(box->client, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(box->client, F_SETFD, FD_CLOEXEC) != 0) {
        return err_system(err, message_codes[CODE_FAILED], "set up the box");
    }
    uint64_t source = supervisor_source(SOURCE_CLIENT, 0, 0, 0);
    return cgroups_find(&box->groups, err) &&
           cgroups_open(&box->groups, box->setup.cgroup, &box->setup.caps, err) &&
           supervisor_watch(box, box->client, EPOLLIN, source, err);
}

int main(void) {
    static struct supervisor box = {.client = CLIENT_FD};
    struct box_answer ready = {.kind = ANSWER_READY};
    struct err err = {0};
    size_t none = 0;
    if (packet_receive(box.client, &box.setup, sizeof(box.setup), NULL, 0, &none) != PACKET_GOT ||
        !message_setup_is_right(&box.setup)) {
        fputs("assize-box is started by assize; use `assize box` to run a command in it\n", stderr);
        return 2;
    }
    leave_client();
    process_raise_limits(FILES_MAX);
    process_prefer();
    bool prepared = prepare(&box, &err);
    if (!prepared) { /* or err is of a step that went well in the end */
        message_error_to(&err, &ready);
        ready.error_code = CODE_UNAVAILABLE; /* whatever it was that failed */
    }
    supervisor_answer(&box, &ready, NULL, 0);
    if (!prepared) {
        cgroups_close(&box.groups);
        return 3;
    }
    supervisor_serve(&box);
    return 0;
}
