#ifndef BASE_RAW_H
#define BASE_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

/* System calls without libc, for code that shares its memory with another process (between a clone
 * with CLONE_VM and the execve) and so must not touch what libc keeps, errno included. Each returns
 * the kernel's answer: negative is -errno. x86-64 only. */

static inline long raw6(long number, long a, long b, long c, long d, long e, long f) {
    long answer = 0;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(answer)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return answer;
}

#define RAW_ARG(x) ((long)(x))
#define raw0(n) raw6((n), 0, 0, 0, 0, 0, 0)
#define raw1(n, a) raw6((n), RAW_ARG(a), 0, 0, 0, 0, 0)
#define raw2(n, a, b) raw6((n), RAW_ARG(a), RAW_ARG(b), 0, 0, 0, 0)
#define raw3(n, a, b, c) raw6((n), RAW_ARG(a), RAW_ARG(b), RAW_ARG(c), 0, 0, 0)
#define raw4(n, a, b, c, d) raw6((n), RAW_ARG(a), RAW_ARG(b), RAW_ARG(c), RAW_ARG(d), 0, 0)
#define raw5(n, a, b, c, d, e)                                                                     \
    raw6((n), RAW_ARG(a), RAW_ARG(b), RAW_ARG(c), RAW_ARG(d), RAW_ARG(e), 0)

/* The kernel's own struct sigaction. */
struct raw_sigaction {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

/* clone3 whose child runs entry(argument) on the stack that `args` names and never returns. In the
 * parent: the child's number or -errno. */
static inline long raw_clone(const void *args, unsigned long args_size, void (*entry)(void *),
                             void *argument) {
    long answer = 0;
    register void (*r12)(void *) __asm__("r12") = entry;
    register void *r13 __asm__("r13") = argument;
    __asm__ volatile("syscall\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xorl %%ebp, %%ebp\n\t" /* the end of the child's chain of frames */
                     "movq %%r13, %%rdi\n\t"
                     "callq *%%r12\n\t"
                     "ud2\n\t"
                     "1:"
                     : "=a"(answer)
                     : "0"((long)SYS_clone3), "D"(args), "S"(args_size), "r"(r12), "r"(r13)
                     : "rcx", "r11", "memory");
    return answer;
}

static inline int64_t raw_now_ns(void) {
    struct timespec now = {0};
    raw2(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#define RAW_FDS_MAX 200

/* One packet with at most RAW_FDS_MAX descriptors; whoever is gone does not get it. */
static inline void raw_send(int socket, const void *bytes, size_t size, const int *fds,
                            size_t fd_count) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * RAW_FDS_MAX)];
        struct cmsghdr align;
    } control;
    struct iovec iov = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = size};
    struct msghdr header = {.msg_iov = &iov, .msg_iovlen = 1};
    if (fd_count > 0) {
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
        control.align.cmsg_level = SOL_SOCKET;
        control.align.cmsg_type = SCM_RIGHTS;
        control.align.cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
        __builtin_memcpy(CMSG_DATA(&control.align), fds, sizeof(int) * fd_count);
    }
    raw3(SYS_sendmsg, socket, &header, MSG_NOSIGNAL);
}

#endif
