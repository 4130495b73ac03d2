/* One message with its descriptors, in one packet. */
#include "base/check.h"
#include "box/message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PACKET_FDS_MAX 64

union packet_control {
    char bytes[CMSG_SPACE(sizeof(int) * PACKET_FDS_MAX)];
    struct cmsghdr align;
};

void message_close_fds(int *fds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fd_cleanup(&fds[i]);
        fds[i] = -1;
    }
}

bool message_send(int socket, const void *bytes, size_t size, const int *fds, size_t fd_count,
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
        return err_system(err, message_code_name(CODE_FAILED), "send a message of the box");
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

enum message_got message_receive(int socket, void *bytes, size_t size, int *fds, size_t fds_max,
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
        return errno == EAGAIN ? MESSAGE_NONE : MESSAGE_END;
    }
    if (got == 0 && header.msg_controllen == 0) {
        return MESSAGE_END;
    }
    bool fits = take_fds(&header, fds, fds_max, ret_count);
    if (!fits || (size_t)got != size || (header.msg_flags & MSG_TRUNC) != 0) {
        message_close_fds(fds, *ret_count);
        *ret_count = 0;
        return MESSAGE_BAD;
    }
    return MESSAGE_GOT;
}
