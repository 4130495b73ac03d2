/* Memory of every kind. Sizes in MiB. */
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB_BYTES (1024 * 1024)
#define STATIC_BYTES (1024L * MIB_BYTES)

static char untouched[STATIC_BYTES];

static char *touch(char *memory, int64_t mib) {
    for (int64_t at = 0; memory != NULL && at < mib * MIB_BYTES; at += 4096) {
        ((volatile char *)memory)[at] = 1;
    }
    return memory;
}

static int heap(int argc, char **argv) {
    int64_t mib = argument(argc, argv, 1, 0);
    if (mib > 0) {
        touch(malloc((size_t)mib * MIB_BYTES), mib);
        puts("done");
        return 0;
    }
    for (;;) {
        touch(malloc(MIB_BYTES), 1);
    }
}

static int static_array(int argc, char **argv) {
    touch(untouched, argument(argc, argv, 1, 0));
    printf("%d\n", untouched[STATIC_BYTES - 1]);
    return 0;
}

static int reserve(int argc, char **argv) {
    (void)argc;
    (void)argv;
    void *memory = mmap(NULL, 100L * 1024 * MIB_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    puts(memory == MAP_FAILED ? strerrorname_np(errno) : "reserved");
    return 0;
}

#pragma GCC diagnostic ignored "-Winfinite-recursion"
static int deeper(volatile char *above) {
    volatile char frame[1024];
    frame[0] = above[0];
    return deeper(frame) + frame[0];
}

static int recurse(int argc, char **argv) {
    (void)argc;
    return deeper(argv[0]);
}

static int children(int argc, char **argv) {
    int64_t count = argument(argc, argv, 1, 8);
    int64_t mib = argument(argc, argv, 2, 64);
    for (int64_t i = 0; i < count; i++) {
        if (fork() == 0) {
            touch(malloc((size_t)mib * MIB_BYTES), mib);
            pause();
        }
    }
    rest_ms(20000); /* killed long before, or there is no limit */
    puts("done");
    return 0;
}

/* The child is killed by the kernel; the parent ends as if all were well. */
static int child_dies(int argc, char **argv) {
    (void)argc;
    (void)argv;
    pid_t pid = fork();
    if (pid == 0) {
        for (;;) {
            touch(malloc(MIB_BYTES), 1);
        }
    }
    waitpid(pid, NULL, 0);
    puts("fine");
    return 0;
}

static int copy_on_write(int argc, char **argv) {
    int64_t mib = argument(argc, argv, 1, 64);
    char *memory = touch(malloc((size_t)mib * MIB_BYTES), mib);
    pid_t pid = fork();
    if (pid == 0) {
        long sum = 0;
        for (int64_t at = 0; at < mib * MIB_BYTES; at += 4096) {
            sum += memory[at];
        }
        _exit(sum == mib * 256 ? 0 : 1);
    }
    int status = 1;
    waitpid(pid, &status, 0);
    puts(status == 0 ? "shared" : "wrong");
    return 0;
}

static int fill_file(int fd, int64_t mib) {
    static char block[MIB_BYTES];
    memset(block, 1, sizeof(block));
    for (int64_t i = 0; i < mib; i++) {
        if (write(fd, block, sizeof(block)) != sizeof(block)) {
            puts(strerrorname_np(errno));
            return 0;
        }
    }
    puts("done");
    return 0;
}

static int memfd(int argc, char **argv) {
    return fill_file(memfd_create("m", 0), argument(argc, argv, 1, 300));
}

static int file(int argc, char **argv) {
    const char *path = argc > 2 ? argv[2] : "/w/big";
    return fill_file(open(path, O_WRONLY | O_CREAT, 0600), argument(argc, argv, 1, 300));
}

static int shared(int argc, char **argv) {
    int64_t mib = argument(argc, argv, 1, 300);
    touch(mmap(NULL, (size_t)mib * MIB_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
               -1, 0),
          mib);
    puts("done");
    return 0;
}

static int system_v(int argc, char **argv) {
    int64_t mib = argument(argc, argv, 1, 300);
    int id = shmget(IPC_PRIVATE, (size_t)mib * MIB_BYTES, IPC_CREAT | 0600);
    touch(shmat(id, NULL, 0), mib);
    puts("done");
    return 0;
}

static int pipes(int argc, char **argv) {
    static char block[MIB_BYTES];
    for (int64_t i = argument(argc, argv, 1, 200); i > 0; i--) {
        int ends[2];
        if (pipe(ends) != 0 || fcntl(ends[1], F_SETPIPE_SZ, MIB_BYTES) < 0) {
            puts(strerrorname_np(errno));
            return 0;
        }
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        if (write(ends[1], block, sizeof(block)) < 0) {
            puts(strerrorname_np(errno));
        }
    }
    puts("done");
    return 0;
}

static int inodes(int argc, char **argv) {
    const char *base = argc > 1 ? argv[1] : "/w";
    char path[300];
    int count = 0;
    for (;; count++) {
        snprintf(path, sizeof(path), "%s/f%d", base, count);
        int fd = open(path, O_WRONLY | O_CREAT, 0600);
        if (fd < 0) {
            break;
        }
        close(fd);
    }
    printf("%s after %s\n", strerrorname_np(errno), count > 1000 ? "too many" : "few");
    return 0;
}

static int deep_folders(int argc, char **argv) {
    (void)argc;
    (void)argv;
    int depth = 0;
    while (mkdir("a", 0700) == 0 && chdir("a") == 0) {
        depth++;
    }
    chmod(".", 0);
    printf("%s\n", depth > 100 ? "deep" : strerrorname_np(errno));
    return 0;
}

static int mappings(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (int i = 0; i < 70000; i++) {
        int protection = i % 2 == 0 ? PROT_READ : PROT_NONE;
        if (mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) {
            puts(strerrorname_np(errno));
            return 0;
        }
    }
    puts("done");
    return 0;
}

static int lock_all(int argc, char **argv) {
    (void)argc;
    (void)argv;
    if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0) {
        say("mlockall was allowed");
    }
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS;
    if (mmap(NULL, MIB_BYTES, PROT_READ | PROT_WRITE, kind | MAP_LOCKED, -1, 0) != MAP_FAILED) {
        say("locked memory was given");
    }
    char *huge = mmap(NULL, 2L * MIB_BYTES, PROT_READ | PROT_WRITE, kind | MAP_HUGETLB, -1, 0);
    if (huge != MAP_FAILED && touch(huge, 2) != NULL) {
        say("pages of the machine's reserve were given");
    }
    return verdict();
}

#pragma GCC diagnostic ignored "-Walloca"
/* One large frame, used from its upper end as a stack is. */
static int frame(int argc, char **argv) {
    int64_t mib = argument(argc, argv, 1, 1);
    volatile char *memory = __builtin_alloca((size_t)mib * MIB_BYTES);
    for (int64_t at = mib * MIB_BYTES - 1; at > 0; at -= 4096) {
        memory[at] = 1;
    }
    puts("done");
    return 0;
}

/* Every second page, and the kernel is asked for large ones: what it gives must count. */
static int huge(int argc, char **argv) {
    int64_t mib = argument(argc, argv, 1, 300);
    char *memory = mmap(NULL, (size_t)mib * MIB_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, (size_t)mib * MIB_BYTES, MADV_HUGEPAGE);
    touch(memory, mib);
    puts("done");
    return 0;
}

/* Names as long as can be, and a folder that its owner cannot enter. */
static int odd_names(int argc, char **argv) {
    (void)argc;
    (void)argv;
    char name[256];
    int made = 0;
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof(name), "%0255d", i);
        int fd = open(name, O_WRONLY | O_CREAT, 0);
        made += fd >= 0;
        close(fd);
    }
    if (mkdir("closed", 0700) != 0 || open("closed/in", O_WRONLY | O_CREAT, 0) < 0 ||
        chmod("closed", 0) != 0) {
        puts("no closed folder");
    }
    printf("%d\n", made);
    return 0;
}

const struct attack attacks_memory[] = {
    {"heap", heap},
    {"static-array", static_array},
    {"reserve", reserve},
    {"recurse", recurse},
    {"children", children},
    {"child-dies", child_dies},
    {"copy-on-write", copy_on_write},
    {"memfd", memfd},
    {"file", file},
    {"shared", shared},
    {"system-v", system_v},
    {"pipes", pipes},
    {"inodes", inodes},
    {"deep-folders", deep_folders},
    {"mappings", mappings},
    {"lock-all", lock_all},
    {"frame", frame},
    {"huge", huge},
    {"odd-names", odd_names},
    {0},
};
