#ifndef BASE_PACKET_H
#define BASE_PACKET_H

#include "base/err.h"
#include <stddef.h>

/* Fixed-size messages with descriptors over a SOCK_SEQPACKET pair: one packet a message. */

#define PACKET_FDS_MAX 200 /* the kernel takes 253 */

checked bool packet_send(int socket, const void *bytes, size_t size, const int *fds,
                         size_t fd_count, struct err *err);

enum packet_got {
    PACKET_GOT,
    PACKET_NONE, /* nothing there now: the socket does not block */
    PACKET_END,  /* the other side is gone */
    PACKET_BAD,  /* another size, or more descriptors than `fds_max`: all were closed */
};
/* *ret_count descriptors are the caller's after PACKET_GOT; none otherwise. */
enum packet_got packet_receive(int socket, void *bytes, size_t size, int *fds, size_t fds_max,
                               size_t *ret_count);

/* Closes each and sets it to -1. */
void fds_close(int *fds, size_t count);
/* The same file opened again, with an offset of its own; through /proc, so what its mode forbids
 * is refused. */
checked bool fd_reopen(int fd, int flags, int *ret_fd, struct err *err);
/* A further descriptor of the same open file, 3 or higher, closed by an execve. */
checked bool fd_copy(int fd, int *ret_fd, struct err *err);

#endif
