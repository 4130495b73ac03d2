/* The kernel's surface, and ways out. */
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef AF_VSOCK
#define AF_VSOCK 40
#endif

static int network(int argc, char **argv) {
    (void)argc;
    (void)argv;
    static const int families[] = {AF_UNIX, AF_INET,  AF_INET6, AF_NETLINK,   AF_PACKET,
                                   AF_ALG,  AF_VSOCK, AF_KEY,   AF_BLUETOOTH, AF_XDP};
    static const int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        for (size_t j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++) {
            if (socket(families[i], kinds[j], 0) >= 0) {
                say("a socket of family %d kind %d could be made", families[i], kinds[j]);
            }
        }
    }
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        say("no socket pair: %s", strerrorname_np(errno));
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/w/s"};
    if (bind(pair[0], (struct sockaddr *)&address, sizeof(address)) == 0) {
        say("an address could be bound");
    }
    return verdict();
}

/* Without the filter: is the network itself away? */
static int connect_out(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(80), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0) {
        say("connected");
    } else if (fd >= 0 && errno == ECONNREFUSED) {
        say("the loopback answers");
    }
    return verdict();
}

struct call_row {
    const char *name;
    long number;
    long a, b, c, d;
};

static const char path_root[] = "/";
static const char path_work[] = "/w";
static const char kind_tmpfs[] = "tmpfs";
static const struct flock read_lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

#define P(x) ((long)(x))
/* clang-format off */
static const struct call_row calls[] = {
    {"mount",             SYS_mount, P(kind_tmpfs), P(path_work), P(kind_tmpfs), 0},
    {"remount",           SYS_mount, 0, P(path_root), 0, MS_REMOUNT | MS_BIND},
    {"umount2",           SYS_umount2, P("/proc"), MNT_DETACH, 0, 0},
    {"pivot_root",        SYS_pivot_root, P(path_work), P(path_work), 0, 0},
    {"chroot",            SYS_chroot, P(path_work), 0, 0, 0},
    {"fsopen",            SYS_fsopen, P(kind_tmpfs), 0, 0, 0},
    {"open_tree",         SYS_open_tree, AT_FDCWD, P(path_root), OPEN_TREE_CLONE, 0},
    {"unshare user",      SYS_unshare, CLONE_NEWUSER, 0, 0, 0},
    {"unshare mount",     SYS_unshare, CLONE_NEWNS, 0, 0, 0},
    {"unshare net",       SYS_unshare, CLONE_NEWNET, 0, 0, 0},
    {"unshare files",     SYS_unshare, CLONE_FILES, 0, 0, 0},
    {"setns",             SYS_setns, 0, 0, 0, 0},
    {"clone user",        SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0},
    {"clone pid",         SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0},
    {"ptrace",            SYS_ptrace, PTRACE_TRACEME, 0, 0, 0},
    {"ptrace seize",      SYS_ptrace, PTRACE_SEIZE, 1, 0, 0},
    {"process_vm_readv",  SYS_process_vm_readv, 1, 0, 0, 0},
    {"pidfd_getfd",       SYS_pidfd_getfd, 0, 0, 0, 0},
    {"kcmp",              SYS_kcmp, 1, 1, 0, 0},
    {"bpf",               SYS_bpf, 0, 0, 0, 0},
    {"perf_event_open",   SYS_perf_event_open, 0, 0, 0, 0},
    {"userfaultfd",       SYS_userfaultfd, 0, 0, 0, 0},
    {"io_uring_setup",    SYS_io_uring_setup, 8, 0, 0, 0},
    {"io_uring_enter",    SYS_io_uring_enter, 0, 0, 0, 0},
    {"keyctl",            SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 1, 0},
    {"add_key",           SYS_add_key, P("user"), P("a"), P("b"), 1},
    {"request_key",       SYS_request_key, P("user"), P("a"), 0, 0},
    {"kexec_load",        SYS_kexec_load, 0, 0, 0, 0},
    {"init_module",       SYS_init_module, 0, 0, 0, 0},
    {"swapon",            SYS_swapon, P(path_work), 0, 0, 0},
    {"reboot",            SYS_reboot, 0xfee1dead, 672274793, 0, 0},
    {"settimeofday",      SYS_settimeofday, 0, 0, 0, 0},
    {"sethostname",       SYS_sethostname, P("x"), 1, 0, 0},
    {"syslog",            SYS_syslog, 3, 0, 0, 0},
    {"quotactl",          SYS_quotactl, 0, 0, 0, 0},
    {"iopl",              SYS_iopl, 3, 0, 0, 0},
    {"modify_ldt",        SYS_modify_ldt, 0, 0, 0, 0},
    {"memfd_secret",      SYS_memfd_secret, 0, 0, 0, 0},
    {"landlock",          SYS_landlock_create_ruleset, 0, 0, 1, 0},
    {"seccomp",           SYS_seccomp, 1, 0, 0, 0},
    {"name_to_handle_at", SYS_name_to_handle_at, AT_FDCWD, P(path_root), 0, 0},
    {"open_by_handle_at", SYS_open_by_handle_at, 0, 0, 0, 0},
    {"fanotify_init",     SYS_fanotify_init, 0, 0, 0, 0},
    {"inotify_init1",     SYS_inotify_init1, 0, 0, 0, 0},
    {"flock",             SYS_flock, 0, 2, 0, 0},
    {"lease",             SYS_fcntl, 0, F_SETLEASE, F_RDLCK, 0},
    {"record lock",       SYS_fcntl, 0, F_SETLK, P(&read_lock), 0},
    {"record lock, kept", SYS_fcntl, 0, F_OFD_SETLKW, P(&read_lock), 0},
    {"notify",            SYS_fcntl, 0, F_NOTIFY, 1, 0},
    {"setuid",            SYS_setuid, 0, 0, 0, 0},
    {"setresuid",         SYS_setresuid, 0, 0, 0, 0},
    {"setgroups",         SYS_setgroups, 0, 0, 0, 0},
    {"securebits",        SYS_prctl, PR_SET_SECUREBITS, 0, 0, 0},
    {"set_mm",            SYS_prctl, PR_SET_MM, 0, 0, 0},
    {"set_seccomp",       SYS_prctl, PR_SET_SECCOMP, 1, 0, 0},
    {"mq_open",           SYS_mq_open, P("q"), O_CREAT, 0600, 0},
    {"mknod device",      SYS_mknod, P("/w/null"), S_IFCHR | 0666, 0x103, 0},
    {"terminal input",    SYS_ioctl, 0, 0x5412, P("x"), 0},
    {"process_vm_writev", SYS_process_vm_writev, 1, 0, 0, 0},
    {"process_madvise",   SYS_process_madvise, 0, 0, 0, 0},
    {"move_mount",        SYS_move_mount, AT_FDCWD, P(path_work), AT_FDCWD, P(path_root)},
    {"mount_setattr",     SYS_mount_setattr, AT_FDCWD, P(path_root), 0, 0},
    {"fsmount",           SYS_fsmount, 0, 0, 0, 0},
    {"finit_module",      SYS_finit_module, 0, P(path_root), 0, 0},
    {"delete_module",     SYS_delete_module, P("x"), 0, 0, 0},
    {"kexec_file_load",   SYS_kexec_file_load, 0, 0, 0, 0},
    {"swapoff",           SYS_swapoff, P(path_work), 0, 0, 0},
    {"ioperm",            SYS_ioperm, 0, 1, 1, 0},
    {"clock_settime",     SYS_clock_settime, 0, 0, 0, 0},
    {"adjtimex",          SYS_adjtimex, 0, 0, 0, 0},
    {"landlock restrict", SYS_landlock_restrict_self, 0, 0, 0, 0},
    {"io_uring_register", SYS_io_uring_register, 0, 0, 0, 0},
    {"capset",            SYS_capset, 0, 0, 0, 0},
    {"no randomization",  SYS_personality, 0x0040000, 0, 0, 0},
    {"executable reads",  SYS_personality, 0x0400000, 0, 0, 0},
    {"the time stamp",    SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0},
    {"controlling tty",   SYS_ioctl, 0, 0x540e, 1, 0},
    {"fanotify_mark",     SYS_fanotify_mark, 0, 0, 0, 0},
    {"unshare cgroup",    SYS_unshare, CLONE_NEWCGROUP, 0, 0, 0},
    {"unshare time",      SYS_unshare, 0x80, 0, 0, 0},
    {"unknown 999",       999, 0, 0, 0, 0},
    {"negative",          -5, 0, 0, 0, 0},
    {"minus one",         -1, 0, 0, 0, 0},
};
/* clang-format on */

/* Each must be refused, and the process must go on. */
static int refused_calls(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        const struct call_row *row = &calls[i];
        long answer = syscall(row->number, row->a, row->b, row->c, row->d, 0);
        if (answer == 0 && row->number == SYS_clone) {
            _exit(0);
        }
        if (answer >= 0) {
            say("%s was allowed: %ld", row->name, answer);
        } else if (errno != EPERM && errno != ENOSYS && errno != ENOTTY && errno != ENOLCK) {
            say("%s reached the kernel: %s", row->name, strerrorname_np(errno));
        }
    }
    struct clone_args args = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
    if (syscall(SYS_clone3, &args, sizeof(args)) != -1 || errno != ENOSYS) {
        say("clone3 was not ENOSYS");
    }
    return verdict();
}

static int unknown_number(int argc, char **argv) {
    (void)argc;
    (void)argv;
    if (syscall(999) != -1 || errno != ENOSYS) {
        say("999: %s", strerrorname_np(errno));
    }
    return verdict();
}

static int foreign_abi(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "x32") == 0) {
        syscall(0x40000000 + SYS_getpid);
    } else {
        long answer = 20; /* getpid of i386 */
        __asm__ volatile("int $0x80" : "+a"(answer) : : "memory", "r8", "r9", "r10", "r11");
    }
    puts("survived");
    return 0;
}

/* With the filter off: do the locked mounts and the missing rights hold by themselves? */
static int rights_alone(int argc, char **argv) {
    (void)argc;
    (void)argv;
    if (unshare(CLONE_NEWUSER) == 0) {
        say("a new user namespace could be made");
    }
    if (mount("tmpfs", "/w", "tmpfs", 0, NULL) == 0) {
        say("mount was allowed");
    }
    if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0) {
        say("the root could be made writable");
    }
    if (umount2("/proc", MNT_DETACH) == 0) {
        say("/proc could be unmounted");
    }
    if (setuid(0) == 0) {
        say("setuid 0 was allowed");
    }
    if (chroot("/w") == 0) {
        say("chroot was allowed");
    }
    if (kill(1, SIGKILL) == 0) {
        say("pid 1 could be signalled");
    }
    if (open("/proc/1/mem", O_RDWR) >= 0) {
        say("the memory of pid 1 could be opened");
    }
    return verdict();
}

static int own_proc(int argc, char **argv) {
    (void)argc;
    (void)argv;
    static const char *const files[] = {"oom_score_adj", "uid_map",       "gid_map",
                                        "setgroups",     "loginuid",      "comm",
                                        "clear_refs",    "timerslack_ns", "coredump_filter"};
    char path[64];
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(path, sizeof(path), "/proc/self/%s", files[i]);
        int fd = open(path, O_WRONLY);
        if (fd >= 0 && write(fd, "0", 1) == 1) {
            say("%s could be written", path);
        }
    }
    return verdict();
}

/* The host's setuid programs are in the root: no bit of theirs may count. */
static int setuid_file(int argc, char **argv) {
    (void)argc;
    (void)argv;
    static const char *const folders[] = {"/usr", "/w", "/tmp", "/"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        struct statvfs mounted = {0};
        if (statvfs(folders[i], &mounted) == 0 && (mounted.f_flag & ST_NOSUID) == 0) {
            say("%s honours setuid bits", folders[i]);
        }
    }
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) {
        say("no_new_privs is off");
    }
    if (getuid() != 1000 || geteuid() != 1000) {
        say("the program is user %d", (int)geteuid());
    }
    return verdict();
}

static int core(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct rlimit limit = {0};
    getrlimit(RLIMIT_CORE, &limit);
    if (limit.rlim_max > 1) { /* which no file fits into, and which means "none" to a handler */
        say("a core could be written");
        fflush(stdout);
    }
    raise(SIGQUIT);
    return 0;
}

static int descriptors_without_end(int argc, char **argv) {
    (void)argc;
    (void)argv;
    int count = 0;
    while (open("/dev/null", O_RDONLY) >= 0) {
        count++;
    }
    printf("%d %s\n", count + 3, errno == EMFILE ? "EMFILE" : strerrorname_np(errno));
    return dup2(0, 1000000) >= 0;
}

/* Random calls with random arguments, for as long as this process stands it. */
_Noreturn static void make_random_calls(uint64_t state) {
    for (;;) {
        long values[7];
        for (int i = 0; i < 7; i++) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            values[i] = (long)(state >> (i % 2 == 0 ? 33 : 7));
        }
        long number = values[0] % 470;
        bool ends = number == SYS_exit || number == SYS_exit_group || number == SYS_pause ||
                    number == SYS_rt_sigsuspend || number == SYS_kill || number == SYS_tkill;
        if (!ends) {
            syscall(number, values[1], values[2] % 4096, values[3], values[4] % 64, values[5]);
        }
    }
}

/* One process after the other: most soon take their own memory away. */
_Noreturn static int fuzz(int argc, char **argv) {
    for (uint64_t seed = (uint64_t)argument(argc, argv, 1, 1);; seed += 1000) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(1);
            make_random_calls(seed);
        }
        waitpid(pid, NULL, 0);
    }
}

/* The classic way out of a chroot. */
static int chroot_escape(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct stat before = {0};
    struct stat after = {0};
    int kept = open("/", O_RDONLY | O_DIRECTORY);
    if (stat("/", &before) != 0 || mkdir("/w/x", 0700) != 0) {
        say("nothing to try it with");
    }
    if (chroot("/w/x") == 0) {
        say("chroot was allowed");
    }
    if (fchdir(kept) != 0) {
        say("the kept folder is no use");
    }
    for (int i = 0; i < 100; i++) {
        if (chdir("..") != 0) {
            break;
        }
    }
    if (chroot(".") == 0 || stat(".", &after) != 0 || after.st_ino != before.st_ino ||
        after.st_dev != before.st_dev) {
        say("above the root there is another");
    }
    return verdict();
}

/* What the mounts tell: of a bind, the folder of the host that it shows. */
static int own_mounts(int argc, char **argv) {
    (void)argc;
    (void)argv;
    static const char *const roots[] = {"/",     "/usr",  "/lib",  "/lib64",  "/bin",
                                        "/null", "/zero", "/full", "/urandom"};
    char line[1024];
    char shown[512];
    FILE *file = fopen("/proc/self/mountinfo", "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        bool known = sscanf(line, "%*d %*d %*s %511s", shown) != 1;
        for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
            known = known || strcmp(shown, roots[i]) == 0;
        }
        if (!known) {
            say("a mount shows %s", shown);
        }
    }
    return verdict();
}

/* Only names that the box gave. */
static int aux_vector(int argc, char **argv) {
    (void)argc;
    (void)argv;
    const char *name = (const char *)getauxval(AT_EXECFN); /* NOLINT: the kernel's pointer */
    if (name == NULL || strcmp(name, "/w/attack") != 0) {
        say("executed as %s", name == NULL ? "nothing" : name);
    }
    if (getauxval(AT_SECURE) != 0) {
        say("executed with the rights of another");
    }
    return verdict();
}

/* Every kind of descriptor counts. Prints what one more of each says. */
static int kinds_of_descriptors(int argc, char **argv) {
    (void)argc;
    (void)argv;
    int ends[2];
    while (epoll_create1(0) >= 0) {
    }
    if (errno != EMFILE || eventfd(0, 0) >= 0 || timerfd_create(CLOCK_MONOTONIC, 0) >= 0 ||
        memfd_create("m", 0) >= 0 || pipe(ends) == 0 ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) {
        say("one more was given");
    }
    return verdict();
}

/* ---- two runs at the same time: one leaves word wherever it can, the other looks ---- */

#define CHANNEL_KEY 515151

static struct sockaddr_un channel_address(void) {
    return (struct sockaddr_un){.sun_family = AF_UNIX, .sun_path = "\0assize-channel"};
}

static int channel_tell(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct sockaddr_un address = channel_address();
    struct sockaddr_in port = {.sin_family = AF_INET, .sin_port = htons(51515)};
    int named = socket(AF_UNIX, SOCK_STREAM, 0);
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    (void)!bind(named, (struct sockaddr *)&address, sizeof(address));
    (void)!listen(named, 5);
    (void)!bind(listening, (struct sockaddr *)&port, sizeof(port));
    (void)!listen(listening, 5);
    (void)!shmget(CHANNEL_KEY, 4096, IPC_CREAT | 0666);
    (void)!semget(CHANNEL_KEY, 1, IPC_CREAT | 0666);
    (void)!msgget(CHANNEL_KEY, IPC_CREAT | 0666);
    (void)!open("/dev/shm/channel", O_RDWR | O_CREAT, 0666);
    (void)!open("/tmp/channel", O_RDWR | O_CREAT, 0666);
    int shared = open("/usr", O_RDONLY | O_DIRECTORY);
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    (void)!fcntl(shared, F_SETLK, &lock);
    (void)!syscall(SYS_flock, shared, 2);
    syscall(SYS_add_key, "user", "channel", "x", 1, KEY_SPEC_USER_KEYRING);
    if (write(1, "told\n", 5) == 5) {
        pause();
    }
    return 1;
}

static int channel_look(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct sockaddr_un address = channel_address();
    struct sockaddr_in port = {.sin_family = AF_INET, .sin_port = htons(51515)};
    int to_name = socket(AF_UNIX, SOCK_STREAM, 0);
    int to_port = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(to_name, (struct sockaddr *)&address, sizeof(address)) == 0 ||
        connect(to_port, (struct sockaddr *)&port, sizeof(port)) == 0) {
        say("a connection");
    }
    if (shmget(CHANNEL_KEY, 4096, 0) >= 0 || semget(CHANNEL_KEY, 1, 0) >= 0 ||
        msgget(CHANNEL_KEY, 0) >= 0) {
        say("System V objects");
    }
    if (access("/dev/shm/channel", F_OK) == 0 || access("/tmp/channel", F_OK) == 0) {
        say("a file");
    }
    int shared = open("/usr", O_RDONLY | O_DIRECTORY);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (shared < 0 || fcntl(shared, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK) {
        say("a record lock");
    }
    if (syscall(SYS_flock, shared, 2 | 4) == 0 || errno == EWOULDBLOCK) {
        say("a lock");
    }
    if (syscall(SYS_request_key, "user", "channel", NULL, 0) >= 0) {
        say("a key");
    }
    return verdict();
}

const struct attack attacks_kernel[] = {
    {"network", network},
    {"connect-out", connect_out},
    {"refused-calls", refused_calls},
    {"unknown-number", unknown_number},
    {"foreign-abi", foreign_abi},
    {"rights-alone", rights_alone},
    {"own-proc", own_proc},
    {"setuid-file", setuid_file},
    {"core", core},
    {"descriptors-without-end", descriptors_without_end},
    {"fuzz", fuzz},
    {"channel-tell", channel_tell},
    {"channel-look", channel_look},
    {"chroot-escape", chroot_escape},
    {"own-mounts", own_mounts},
    {"aux-vector", aux_vector},
    {"kinds-of-descriptors", kinds_of_descriptors},
    {0},
};
