/* One message with its descriptors, in one packet. */
#include "base/packet.h"

#include "base/check.h"
#include "base/own.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union packet_control {
    char bytes[CMSG_SPACE(sizeof(int) * PACKET_FDS_MAX)];
    struct cmsghdr align;
};

void fds_close(int *fds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fd_cleanup(&fds[i]);
        fds[i] = -1;
    }
}

bool packet_send(int socket, const void *bytes, size_t size, const int *fds, size_t fd_count,
                 struct err *err) {
    CHECK(fd_count <= PACKET_FDS_MAX);
    union packet_control control = {0};
    /* sendmsg does not write through iov_base. */
    struct iovec iov = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = size};
    struct msghdr header = {.msg_iov = &iov, .msg_iovlen = 1};
    if (fd_count > 0) {
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
        struct cmsghdr *part = CMSG_FIRSTHDR(&header);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
        memcpy(CMSG_DATA(part), fds, sizeof(int) * fd_count);
    }
    ssize_t sent = 0;
    do {
        sent = sendmsg(socket, &header, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0) {
        return err_system(err, "packet_send", "send a packet");
    }
    CHECK((size_t)sent == size); /* SOCK_SEQPACKET: all or nothing */
    return true;
}

/* Takes the descriptors out of a received packet; too many are closed. */
static bool take_fds(struct msghdr *header, int *fds, size_t fds_max, size_t *ret_count) {
    bool fits = (header->msg_flags & MSG_CTRUNC) == 0;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part != NULL;
         part = CMSG_NXTHDR(header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd = -1;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
            if (*ret_count < fds_max) {
                fds[(*ret_count)++] = fd;
            } else {
                fits = false;
                close(fd);
            }
        }
    }
    return fits;
}

enum packet_got packet_receive(int socket, void *bytes, size_t size, int *fds, size_t fds_max,
                               size_t *ret_count) {
    union packet_control control = {0};
    struct iovec iov = {.iov_base = bytes, .iov_len = size};
    struct msghdr header = {
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes),
    };
    *ret_count = 0;
    ssize_t got = 0;
    do {
        got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return errno == EAGAIN ? PACKET_NONE : PACKET_END;
    }
    if (got == 0 && header.msg_controllen == 0) {
        return PACKET_END;
    }
    bool fits = take_fds(&header, fds, fds_max, ret_count);
    if (!fits || (size_t)got != size || (header.msg_flags & MSG_TRUNC) != 0) {
        fds_close(fds, *ret_count);
        *ret_count = 0;
        return PACKET_BAD;
    }
    return PACKET_GOT;
}

bool fd_copy(int fd, int *ret_fd, struct err *err) {
    *ret_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return *ret_fd >= 0 ? true : err_system(err, "fd_copy", "copy a descriptor");
}

bool fd_reopen(int fd, int flags, int *ret_fd, struct err *err) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    *ret_fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
    return *ret_fd >= 0 ? true : err_system(err, "fd_reopen", "open a descriptor again");
}
