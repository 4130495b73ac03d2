/* The lists. A call is here because some right program makes it and nothing outside the run can be
 * reached with it; each refusal that is not a mere absence says why. */
#include "box_filter/table.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define ALL FILTER_PROFILES_ALL
#define SERVER FILTER_BIT(FILTER_PROFILE_SERVER)
#define MANAGED (FILTER_BIT(FILTER_PROFILE_MANAGED) | SERVER)
#define CONTESTANT (ALL & ~SERVER)

/* clang-format off */
const struct filter_row filter_rows[] = {
    {FILTER_ALLOW, ALL, /* memory; memfds and shared memory are charged to the run */
     "brk mmap munmap mprotect mremap madvise msync mincore mlock mlock2 munlock mlockall munlockall "
     "memfd_create shmget shmat shmdt shmctl pkey_alloc pkey_free pkey_mprotect membarrier mseal"},
    {FILTER_ALLOW, ALL, /* files: only the run's own tmpfs can be written */
     "open openat openat2 creat close close_range read write readv writev pread64 pwrite64 preadv "
     "pwritev preadv2 pwritev2 lseek dup dup2 dup3 pipe pipe2 stat fstat lstat newfstatat statx statfs "
     "fstatfs access faccessat faccessat2 getdents getdents64 readlink readlinkat getcwd chdir fchdir "
     "mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat chmod "
     "fchmod fchmodat fchmodat2 chown fchown lchown fchownat umask truncate ftruncate fallocate fsync "
     "fdatasync sync_file_range fadvise64 readahead sendfile copy_file_range splice tee vmsplice utime "
     "utimes futimesat utimensat mknod mknodat getxattr lgetxattr fgetxattr listxattr llistxattr "
     "flistxattr"},
    {FILTER_ALLOW, ALL, /* waiting */
     "poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 "
     "eventfd eventfd2 timerfd_create timerfd_settime timerfd_gettime signalfd signalfd4 pause "
     "nanosleep clock_nanosleep sched_yield"},
    {FILTER_ALLOW, ALL, /* processes and threads: the pid namespace bounds whom they reach */
     "fork vfork execve execveat exit exit_group wait4 waitid kill tkill tgkill pidfd_open "
     "pidfd_send_signal getpid getppid gettid getpgid getpgrp getsid setpgid setsid set_tid_address "
     "set_robust_list get_robust_list rseq futex futex_waitv futex_wake futex_wait futex_requeue "
     "arch_prctl getpriority sched_getaffinity sched_getparam sched_getscheduler sched_getattr "
     "sched_get_priority_max sched_get_priority_min sched_rr_get_interval getcpu restart_syscall"},
    {FILTER_ALLOW, ALL, /* signals */
     "rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait "
     "rt_sigqueueinfo rt_tgsigqueueinfo sigaltstack"},
    {FILTER_ALLOW, ALL, /* time */
     "time gettimeofday clock_gettime clock_getres times getrusage alarm setitimer getitimer "
     "timer_create timer_settime timer_gettime timer_getoverrun timer_delete"},
    {FILTER_ALLOW, ALL, /* who and where */
     "getuid geteuid getgid getegid getresuid getresgid getgroups capget uname sysinfo getrlimit "
     "getrandom"},
    {FILTER_ALLOW, ALL, /* messages inside the run, in its own ipc namespace */
     "semget semop semtimedop semctl msgget msgsnd msgrcv msgctl"},
    {FILTER_ALLOW, ALL, /* on what socketpair made, or a service was handed */
     "sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg shutdown getsockname getpeername getsockopt "
     "setsockopt"},
    {FILTER_ALLOW, MANAGED, "get_mempolicy map_shadow_stack"},

    {FILTER_CLONE,       ALL, "clone"}, /* clone3 hides its flags in memory: ENOSYS */
    {FILTER_UNIX,        ALL, "socketpair"},
    {FILTER_PRCTL,       ALL, "prctl"},
    {FILTER_IOCTL,       ALL, "ioctl"},
    {FILTER_FCNTL,       CONTESTANT, "fcntl"},
    {FILTER_ALLOW,       SERVER, "fcntl"}, /* locks on its data */
    {FILTER_PERSONALITY, ALL, "personality"},
    {FILTER_SETRLIMIT,   ALL, "setrlimit"},
    {FILTER_PRLIMIT,     ALL, "prlimit64"},
    {FILTER_SCHEDULER,   ALL, "sched_setscheduler"},

    {FILTER_EPERM, CONTESTANT, /* no network at all, not even an abstract name shared by two runs */
     "socket bind listen accept accept4 connect"},
    {FILTER_UNIX, SERVER, "socket"}, /* names in its own /w; abstract ones in its slot's namespace */
    {FILTER_ALLOW, SERVER, "bind listen accept accept4 connect flock"},
    {FILTER_EPERM, ALL, /* other processes, kernel, machine */
     "ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp bpf perf_event_open "
     "userfaultfd keyctl add_key request_key kexec_load kexec_file_load init_module finit_module "
     "delete_module swapon swapoff reboot settimeofday clock_settime adjtimex clock_adjtime sethostname "
     "setdomainname syslog acct quotactl quotactl_fd iopl ioperm modify_ldt lookup_dcookie vhangup nfsservctl"},
    {FILTER_EPERM, ALL, /* other rights, other roots */
     "mount umount2 pivot_root chroot unshare setns fsopen fsconfig fsmount fspick move_mount open_tree "
     "mount_setattr name_to_handle_at open_by_handle_at setuid setgid setreuid setregid setresuid "
     "setresgid setgroups setfsuid setfsgid capset setxattr lsetxattr fsetxattr removexattr "
     "lremovexattr fremovexattr"},
    {FILTER_EPERM, ALL, /* scheduling: the box pins and weighs */
     "setpriority sched_setaffinity sched_setparam sched_setattr ioprio_set "
     "ioprio_get set_mempolicy migrate_pages move_pages mbind"},
    {FILTER_EPERM, CONTESTANT, "flock"}, /* as below; a server locks its data */
    {FILTER_EPERM, ALL, /* locks and watches on files that two runs share tell of each other */
     "inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark"},
};
/* clang-format on */
const size_t filter_row_count = sizeof(filter_rows) / sizeof(filter_rows[0]);

#define NEW_NAMESPACES                                                                             \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |  \
     CLONE_NEWNET)

/* clang-format off */
static const struct filter_condition clone_conditions[] = {
    {FILTER_ANY_BIT, 0, NEW_NAMESPACES, EPERM},
};
static const struct filter_condition unix_conditions[] = {
    {FILTER_EQUAL, 0, AF_UNIX, 0},
};
static const struct filter_condition prctl_conditions[] = {
    {FILTER_EQUAL, 0, PR_SET_NAME,         0}, {FILTER_EQUAL, 0, PR_GET_NAME,         0},
    {FILTER_EQUAL, 0, PR_SET_PDEATHSIG,    0}, {FILTER_EQUAL, 0, PR_GET_PDEATHSIG,    0},
    {FILTER_EQUAL, 0, PR_GET_DUMPABLE,     0}, {FILTER_EQUAL, 0, PR_SET_DUMPABLE,     0},
    {FILTER_EQUAL, 0, PR_SET_TIMERSLACK,   0}, {FILTER_EQUAL, 0, PR_GET_TIMERSLACK,   0},
    {FILTER_EQUAL, 0, PR_SET_THP_DISABLE,  0}, {FILTER_EQUAL, 0, PR_GET_THP_DISABLE,  0},
    {FILTER_EQUAL, 0, PR_SET_NO_NEW_PRIVS, 0}, {FILTER_EQUAL, 0, PR_GET_NO_NEW_PRIVS, 0},
    {FILTER_EQUAL, 0, PR_CAPBSET_READ,     0}, {FILTER_EQUAL, 0, PR_GET_SECCOMP,      0},
    {FILTER_EQUAL, 0, PR_SET_VMA,          0},
};
static const struct filter_condition ioctl_conditions[] = {
    {FILTER_EQUAL, 1, TCGETS,   0}, {FILTER_EQUAL, 1, TIOCGWINSZ, 0}, {FILTER_EQUAL, 1, FIONREAD, 0},
    {FILTER_EQUAL, 1, FIONBIO,  0}, {FILTER_EQUAL, 1, FIOCLEX,    0}, {FILTER_EQUAL, 1, FIONCLEX, 0},
};
static const struct filter_condition fcntl_conditions[] = {
    {FILTER_EQUAL, 1, F_SETLEASE,   EPERM},  {FILTER_EQUAL, 1, F_NOTIFY,      EPERM},
    /* Record locks on a file that two runs share tell of each other, too. ENOLCK is what a program
     * meets on a file system without locks. */
    {FILTER_EQUAL, 1, F_SETLK,      ENOLCK}, {FILTER_EQUAL, 1, F_SETLKW,      ENOLCK},
    {FILTER_EQUAL, 1, F_OFD_SETLK,  ENOLCK}, {FILTER_EQUAL, 1, F_OFD_SETLKW,  ENOLCK},
};
static const struct filter_condition personality_conditions[] = {
    {FILTER_EQUAL, 0, 0xffffffffu, 0}, {FILTER_EQUAL, 0, 0, 0},
};
static const struct filter_condition setrlimit_conditions[] = {
    {FILTER_EQUAL, 0, RLIMIT_CORE, EPERM},
};
static const struct filter_condition prlimit_conditions[] = {
    {FILTER_EQUAL, 2, 0, 0}, /* asks only; a pointer with 32 low zero bits fails in the kernel */
    {FILTER_EQUAL, 1, RLIMIT_CORE, EPERM},
};

static const struct filter_condition scheduler_conditions[] = {
    {FILTER_EQUAL, 1, SCHED_OTHER, 0}, /* what it has anyway: runtimes say so to each new thread */
};

#define CHECK_OF(list, otherwise_) {(list), sizeof(list) / sizeof((list)[0]), (otherwise_)}
const struct filter_check filter_checks[FILTER_ACTION_COUNT] = {
    [FILTER_CLONE]       = CHECK_OF(clone_conditions, 0),
    [FILTER_UNIX]        = CHECK_OF(unix_conditions, EAFNOSUPPORT),
    [FILTER_PRCTL]       = CHECK_OF(prctl_conditions, EPERM),
    [FILTER_IOCTL]       = CHECK_OF(ioctl_conditions, ENOTTY),
    [FILTER_FCNTL]       = CHECK_OF(fcntl_conditions, 0),
    [FILTER_PERSONALITY] = CHECK_OF(personality_conditions, EPERM),
    [FILTER_SETRLIMIT]   = CHECK_OF(setrlimit_conditions, 0),
    [FILTER_PRLIMIT]     = CHECK_OF(prlimit_conditions, 0),
    [FILTER_SCHEDULER]   = CHECK_OF(scheduler_conditions, EPERM),
};
/* clang-format on */
