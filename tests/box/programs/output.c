/* What is read and written. */
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK_KEY 424242

static void write_bytes(int fd, int64_t count) {
    static char block[4096];
    memset(block, 'x', sizeof(block));
    while (count > 0) {
        ssize_t done = write(fd, block, count < 4096 ? (size_t)count : sizeof(block));
        if (done <= 0) {
            return;
        }
        count -= done;
    }
}

_Noreturn static int flood(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (;;) {
        write_bytes(1, 4096);
    }
}

static int write_exactly(int argc, char **argv) {
    write_bytes(1, argument(argc, argv, 1, 0));
    return 0;
}

static int flood_errors(int argc, char **argv) {
    write_bytes(2, argument(argc, argv, 1, 32 * 1024 * 1024));
    puts("right");
    return 0;
}

static int echo(int argc, char **argv) {
    (void)argc;
    (void)argv;
    char block[4096];
    for (ssize_t got = 0; (got = read(0, block, sizeof(block))) > 0;) {
        if (write(1, block, (size_t)got) != got) {
            return 1;
        }
    }
    return 0;
}

/* Reads /dev/stdin by name, as many programs do. */
static int echo_by_name(int argc, char **argv) {
    (void)argc;
    (void)argv;
    char block[4096];
    int in = open("/dev/stdin", O_RDONLY);
    ssize_t got = read(in, block, sizeof(block));
    return got < 0 || write(1, block, (size_t)got) != got;
}

static int close_output(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (int fd = 0; fd < 3; fd++) {
        close(fd);
    }
    return open("/w/a", O_WRONLY | O_CREAT, 0600) == 0 ? 0 : 1;
}

static int abuse_output(int argc, char **argv) {
    (void)argc;
    (void)argv;
    fcntl(1, F_SETFL, O_NONBLOCK | O_APPEND);
    lseek(1, 0, SEEK_SET);
    if (ftruncate(1, 0) == 0 || pwrite(1, "bad", 3, 0) == 3) {
        return 1;
    }
    int copy = open("/proc/self/fd/1", O_WRONLY | O_TRUNC);
    return copy < 0 || write(copy, "mine\n", 5) != 5;
}

/* Tries to write to the input, which the next run would see. */
static int write_input(int argc, char **argv) {
    (void)argc;
    (void)argv;
    int again = open("/proc/self/fd/0", O_RDWR);
    if ((again >= 0 && write(again, "evil", 4) == 4) || write(0, "evil", 4) == 4 ||
        ftruncate(0, 0) == 0) {
        say("the input could be changed");
    }
    return verdict();
}

static int make_output(const char *kind) {
    if (strcmp(kind, "plain") == 0) {
        int fd = open("out", O_WRONLY | O_CREAT, 0600);
        return write(fd, "product\n", 8) != 8;
    }
    if (strcmp(kind, "empty") == 0) {
        return open("out", O_WRONLY | O_CREAT, 0000) < 0;
    }
    if (strcmp(kind, "link") == 0) {
        return symlink("/usr/bin/env", "out");
    }
    if (strcmp(kind, "link-beside") == 0) {
        int fd = open("real", O_WRONLY | O_CREAT, 0600);
        return fd < 0 || symlink("real", "out");
    }
    if (strcmp(kind, "link-zero") == 0) {
        return symlink("/dev/zero", "out");
    }
    if (strcmp(kind, "link-environment") == 0) {
        return symlink("/proc/self/environ", "out");
    }
    if (strcmp(kind, "fifo") == 0) {
        return mkfifo("out", 0600);
    }
    if (strcmp(kind, "socket") == 0) {
        return mknod("out", S_IFSOCK | 0600, 0);
    }
    if (strcmp(kind, "link-up") == 0) {
        return symlink("../usr/bin/env", "out");
    }
    if (strcmp(kind, "link-to-itself") == 0) {
        return symlink("out", "out");
    }
    if (strcmp(kind, "huge") == 0) {
        int fd = open("out", O_WRONLY | O_CREAT, 0600);
        return ftruncate(fd, 256L * 1024 * 1024);
    }
    if (strcmp(kind, "folder") == 0) {
        return mkdir("out", 0700);
    }
    if (strcmp(kind, "sparse") == 0) {
        int fd = open("out", O_WRONLY | O_CREAT, 0600);
        return ftruncate(fd, 50L * 1024 * 1024);
    }
    if (strcmp(kind, "folder-link") == 0) {
        return symlink("/usr/bin", "d");
    }
    return 9;
}

static int output_file(int argc, char **argv) {
    int failed = make_output(argc > 1 ? argv[1] : "plain");
    return failed == 0 ? 0 : 1;
}

/* Swaps the output between a file and a link, from a process that outlives the program. */
static int output_race(int argc, char **argv) {
    (void)argc;
    (void)argv;
    if (symlink("/usr/bin/env", "link") != 0 || make_output("plain") != 0) {
        return 1;
    }
    if (fork() == 0) {
        setsid();
        for (;;) {
            (void)!renameat2(AT_FDCWD, "out", AT_FDCWD, "link", RENAME_EXCHANGE);
        }
    }
    rest_ms(20);
    return 0;
}

static int put_everywhere(int argc, char **argv) {
    (void)argc;
    (void)argv;
    static const char *const folders[] = {"/w", "/tmp", "/dev/shm", "/", "/dev", "/usr", "/proc"};
    char path[64];
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        snprintf(path, sizeof(path), "%s/mark", folders[i]);
        bool writable = i < 3;
        bool made = open(path, O_WRONLY | O_CREAT, 0666) >= 0;
        if (made != writable) {
            say("%s is %s", folders[i], made ? "writable" : "not writable");
        }
    }
    if (shmget(MARK_KEY, 4096, IPC_CREAT | 0666) < 0) {
        say("no shared memory");
    }
    return verdict();
}

static int find_marks(int argc, char **argv) {
    (void)argc;
    (void)argv;
    static const char *const paths[] = {"/w/mark", "/tmp/mark", "/dev/shm/mark"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (access(paths[i], F_OK) == 0) {
            say("%s of another run is still there", paths[i]);
        }
    }
    if (shmget(MARK_KEY, 4096, 0) >= 0) {
        say("shared memory of another run is still there");
    }
    return verdict();
}

/* ---- pairs of runs joined by pipes ---- */

static int talk_first(int argc, char **argv) {
    char line[64];
    for (int64_t i = argument(argc, argv, 1, 10); i > 0; i--) {
        printf("%d\n", (int)i);
        fflush(stdout);
        if (fgets(line, sizeof(line), stdin) == NULL) {
            return 1;
        }
    }
    return 0;
}

static int talk_back(int argc, char **argv) {
    (void)argc;
    (void)argv;
    char line[64];
    while (fgets(line, sizeof(line), stdin) != NULL) {
        fputs(line, stdout);
        fflush(stdout);
    }
    rest_ms(50); /* certainly the last to end */
    return 0;
}

/* As a crash does it, only slower: its output is at its end before it is gone. */
static int crash_slowly(int argc, char **argv) {
    close(1);
    rest_ms(argc > 1 && strcmp(argv[1], "late") == 0 ? 1000 : 2);
    abort();
}

static int drink(int argc, char **argv) {
    (void)argv;
    char block[4096];
    long total = 0;
    for (ssize_t got = 0; (got = read(0, block, sizeof(block))) > 0;) {
        total += got;
    }
    fprintf(stderr, "%ld", total);
    return argc > 1;
}

/* Tries every way to change a file that the box keeps for later runs. */
static int spoil(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "/w/kept";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char by_number[64];
    snprintf(by_number, sizeof(by_number), "/proc/self/fd/%d", fd);
    if (open(path, O_RDWR | O_CLOEXEC) >= 0 || open(by_number, O_RDWR | O_CLOEXEC) >= 0) {
        say("opened to write");
    }
    if (truncate(path, 0) == 0 || chmod(path, 0777) == 0 || chown(path, getuid(), getgid()) == 0) {
        say("changed");
    }
    if (unlink(path) == 0 || rename(path, "/w/other") == 0) {
        say("moved");
    }
    char *bytes = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED || mprotect(bytes, 1, PROT_READ | PROT_WRITE) == 0) {
        say("mapped to write");
    }
    return verdict();
}

/* One connection after another of the socket at descriptor 3, each answered with what it sends. */
static int serve(int argc, char **argv) {
    (void)argc;
    (void)argv;
    char block[256];
    for (;;) {
        int peer = accept4(3, NULL, NULL, SOCK_CLOEXEC);
        if (peer < 0) {
            return 1;
        }
        ssize_t got = read(peer, block, sizeof(block));
        if (got <= 0 || write(peer, block, (size_t)got) != got) {
            return 0; /* an empty connection is the end */
        }
        close(peer);
    }
}

const struct attack attacks_output[] = {
    {"flood", flood},
    {"write", write_exactly},
    {"flood-errors", flood_errors},
    {"echo", echo},
    {"echo-by-name", echo_by_name},
    {"close-output", close_output},
    {"abuse-output", abuse_output},
    {"write-input", write_input},
    {"output-file", output_file},
    {"output-race", output_race},
    {"put-everywhere", put_everywhere},
    {"find-marks", find_marks},
    {"talk-first", talk_first},
    {"talk-back", talk_back},
    {"crash-slowly", crash_slowly},
    {"drink", drink},
    {"spoil", spoil},
    {"serve", serve},
    {0},
};
