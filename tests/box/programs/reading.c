/* What a program must not see. */
#include "attack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Everything that is not in the documented root must be absent, not merely forbidden. */
static int host_paths(int argc, char **argv) {
    (void)argc;
    (void)argv;
    static const char *const paths[] = {
        "/etc/shadow",
        "/etc/passwd",
        "/etc/hosts",
        "/root",
        "/home",
        "/var",
        "/run",
        "/sys",
        "/sys/fs/cgroup",
        "/boot",
        "/mnt",
        "/srv",
        "/opt",
        "/work",
        "/dev/sda",
        "/dev/vda",
        "/dev/mem",
        "/dev/kmsg",
        "/dev/tty",
        "/dev/ptmx",
        "/dev/pts",
        "/dev/fuse",
        "/dev/kvm",
        "/dev/log",
        "/dev/random",
        "/dev/console",
        "/proc/sys",
        "/proc/kcore",
        "/proc/kallsyms",
        "/proc/keys",
        "/proc/cmdline",
        "/proc/modules",
        "/proc/config.gz",
        "/proc/timer_list",
        "/proc/sysrq-trigger",
        "/proc/1",
        "/proc/meminfo",
        "/proc/version",
        "/proc/interrupts",
        "/proc/net",
    };
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct stat stat_ = {0};
        if (lstat(paths[i], &stat_) == 0 || errno != ENOENT) {
            say("%s: %s", paths[i], errno == 0 ? "is there" : strerrorname_np(errno));
        }
    }
    return verdict();
}

static int list(int argc, char **argv) {
    DIR *folder = opendir(argc > 1 ? argv[1] : "/");
    if (folder == NULL) {
        puts(strerrorname_np(errno));
        return 1;
    }
    int count = 0;
    char names[64][32];
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.' && count < 64) {
            snprintf(names[count++], sizeof(names[0]), "%.31s", entry->d_name);
        }
    }
    for (int shown = 0; shown < count; shown++) {
        int least = -1;
        for (int i = 0; i < count; i++) {
            if (names[i][0] != '\0' && (least < 0 || strcmp(names[i], names[least]) < 0)) {
                least = i;
            }
        }
        printf("%s ", names[least]);
        names[least][0] = '\0';
    }
    putchar('\n');
    return 0;
}

static int environment(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (char **variable = environ; *variable != NULL; variable++) {
        puts(*variable);
    }
    return 0;
}

static int descriptors(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (int fd = 0; fd < 4096; fd++) {
        struct stat stat_ = {0};
        bool there = fstat(fd, &stat_) == 0;
        if (there != (fd < 3)) {
            say("descriptor %d is %s", fd, there ? "open" : "closed");
        }
        if (isatty(fd)) {
            say("descriptor %d is a terminal", fd);
        }
    }
    return verdict();
}

static int show(int argc, char **argv) {
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    char block[8192];
    ssize_t got = fd < 0 ? -1 : read(fd, block, sizeof(block));
    if (got < 0) {
        puts(strerrorname_np(errno));
        return 1;
    }
    return write(1, block, (size_t)got) != got;
}

/* Every group is the top of what this process sees. */
static int own_cgroup(int argc, char **argv) {
    (void)argc;
    (void)argv;
    char line[512];
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        const char *path = strrchr(line, ':');
        if (path == NULL || strcmp(path, ":/\n") != 0) {
            say("a group is named: %s", line);
        }
    }
    return verdict();
}

static int signals(int argc, char **argv) {
    (void)argc;
    (void)argv;
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (int number = 1; number < 65; number++) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        sigaction(number, NULL, &action);
        if (action.sa_handler != SIG_DFL || sigismember(&blocked, number) == 1) {
            say("signal %d is ignored or blocked", number);
        }
    }
    return verdict();
}

static int who(int argc, char **argv) {
    (void)argc;
    (void)argv;
    gid_t groups[8];
    printf("%d %d %d %d\n", (int)getuid(), (int)getgid(), getgroups(8, groups), (int)getpid());
    return 0;
}

/* Memory of others must not be found in fresh pages. */
static int old_memory(int argc, char **argv) {
    (void)argc;
    (void)argv;
    static char zero[4096];
    static volatile char fresh[64 * 4096];
    for (size_t i = 0; i < sizeof(fresh); i++) {
        if (fresh[i] != zero[i % sizeof(zero)]) {
            say("a fresh page is not empty");
            break;
        }
    }
    return verdict();
}

const struct attack attacks_reading[] = {
    {"host-paths", host_paths},
    {"list", list},
    {"environment", environment},
    {"descriptors", descriptors},
    {"show", show},
    {"who", who},
    {"own-cgroup", own_cgroup},
    {"signals", signals},
    {"old-memory", old_memory},
    {0},
};
