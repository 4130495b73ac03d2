/* Processes, threads, signals and time. */
#include "attack.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int hello(int argc, char **argv) {
    (void)argc;
    (void)argv;
    puts("hello");
    return 0;
}

static int leave(int argc, char **argv) {
    return (int)argument(argc, argv, 1, 0);
}

static int raise_one(int argc, char **argv) {
    raise((int)argument(argc, argv, 1, SIGKILL));
    rest_ms(20); /* the ignored ones get here */
    return 0;
}

static int crash(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "abort";
    volatile int zero = 0;
    if (strcmp(how, "divide") == 0) {
        return 100 / zero;
    }
    if (strcmp(how, "null") == 0) {
        *(volatile int *)(uintptr_t)zero = 1;
    }
    if (strcmp(how, "illegal") == 0) {
        __asm__ volatile("ud2");
    }
    abort();
}

_Noreturn static int spin(int argc, char **argv) {
    (void)argc;
    (void)argv;
    loop();
}

static int burn(int argc, char **argv) {
    burn_ms(argument(argc, argv, 1, 100));
    puts("burnt");
    return 0;
}

_Noreturn static int system_calls(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (;;) {
        syscall(SYS_getppid);
    }
}

static void go_on(int number) {
    (void)number;
}

_Noreturn static int ignore_all(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (int number = 1; number < 32; number++) {
        on_signal(number, go_on);
    }
    loop();
}

static void *spin_thread(void *argument_) {
    (void)argument_;
    loop();
}

static int threads(int argc, char **argv) {
    for (int64_t i = argument(argc, argv, 1, 4); i > 0; i--) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, spin_thread, NULL) != 0) {
            return 1;
        }
    }
    for (;;) {
        pause();
    }
}

_Noreturn static int main_thread_leaves(int argc, char **argv) {
    (void)argc;
    (void)argv;
    pthread_t thread;
    pthread_create(&thread, NULL, spin_thread, NULL);
    pthread_exit(NULL);
}

static int child_burns(int argc, char **argv) {
    (void)argc;
    (void)argv;
    if (fork() == 0) {
        loop();
    }
    wait(NULL);
    return 0;
}

/* Short children that nobody waits for: their time must count all the same. */
static int unwaited(int argc, char **argv) {
    on_signal(SIGCHLD, argc > 1 ? SIG_IGN : SIG_DFL);
    (void)argv;
    for (int i = 0; i < 400; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            burn_ms(10);
            _exit(0);
        }
        rest_ms(12);
        if (argc <= 1) {
            while (waitpid(-1, NULL, WNOHANG) > 0) {
            }
        }
    }
    return 0;
}

static int again(int argc, char **argv) {
    burn_ms(20);
    char path[] = "/w/attack";
    char *next[] = {path, argv[0], NULL};
    (void)argc;
    execv(next[0], next);
    return 1;
}

static int rest(int argc, char **argv) {
    rest_ms((int)argument(argc, argv, 1, 100000));
    return 0;
}

static int read_own_pipe(int argc, char **argv) {
    (void)argc;
    (void)argv;
    int ends[2];
    char byte = 0;
    return pipe(ends) != 0 || read(ends[0], &byte, 1) != 1;
}

static int stop_self(int argc, char **argv) {
    (void)argc;
    (void)argv;
    raise(SIGSTOP);
    return 0;
}

_Noreturn static int fork_bomb(int argc, char **argv) {
    bool stubborn = argc > 1 && strcmp(argv[1], "stubborn") == 0;
    for (;;) {
        if (fork() == 0 && stubborn) {
            setsid();
            on_signal(SIGTERM, SIG_IGN);
            on_signal(SIGHUP, SIG_IGN);
            on_signal(SIGINT, SIG_IGN);
        }
    }
}

/* Prints how many children it could have at once. */
static int count_forks(int argc, char **argv) {
    (void)argc;
    (void)argv;
    int count = 0;
    for (pid_t pid = 0; (pid = fork()) >= 0; count++) {
        if (pid == 0) {
            for (;;) {
                pause();
            }
        }
    }
    printf("%d %s\n", count, errno == EAGAIN ? "EAGAIN" : strerrorname_np(errno));
    return 0;
}

static int zombies(int argc, char **argv) {
    for (int64_t i = argument(argc, argv, 1, 20); i > 0; i--) {
        if (fork() == 0) {
            _exit(0);
        }
    }
    rest_ms(50);
    puts("left");
    return 0;
}

/* A daemon: own session, no descriptors, no parent. The program itself ends at once. */
static int daemonise(int argc, char **argv) {
    bool keep_open = argc > 1 && strcmp(argv[1], "keep") == 0;
    if (fork() == 0) {
        setsid();
        if (fork() != 0) {
            _exit(0);
        }
        if (!keep_open) {
            for (int fd = 0; fd < 64; fd++) {
                close(fd);
            }
        }
        for (;;) {
            pause();
        }
    }
    rest_ms(30);
    puts("away");
    return 0;
}

_Noreturn static int kill_all(int argc, char **argv) {
    int number = (int)argument(argc, argv, 1, SIGKILL);
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) {
            for (;;) {
                pause();
            }
        }
    }
    kill(-1, number); /* does not reach the caller itself */
    kill(0, number == SIGSTOP ? SIGSTOP : SIGKILL);
    for (;;) {
        pause();
    }
}

static int kill_parent(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (int number = 1; number < 32; number++) {
        if (kill(getppid(), number) == 0) {
            say("signal %d to the parent was allowed", number);
        }
        if (kill(1, number) == 0) {
            say("signal %d to pid 1 was allowed", number);
        }
    }
    return verdict();
}

static int raise_limits(int argc, char **argv) {
    (void)argc;
    (void)argv;
    static const int resources[] = {RLIMIT_CPU,  RLIMIT_FSIZE, RLIMIT_NOFILE,
                                    RLIMIT_CORE, RLIMIT_STACK, RLIMIT_MEMLOCK};
    for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++) {
        struct rlimit limit = {0};
        getrlimit(resources[i], &limit);
        limit.rlim_max += 1;
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(resources[i], &limit) == 0) {
            say("limit %d could be raised", resources[i]);
        }
    }
    struct rlimit none = {0};
    if (setrlimit(RLIMIT_CORE, &none) == 0) {
        say("the core limit could be changed");
    }
    return verdict();
}

static int priorities(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct sched_param param = {.sched_priority = 10};
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    errno = 0;
    if (nice(-5) != -1 || errno == 0) {
        say("nice -5 was allowed");
    }
    if (sched_setscheduler(0, SCHED_FIFO, &param) == 0) {
        say("SCHED_FIFO was allowed");
    }
    if (sched_setaffinity(0, sizeof(set), &set) == 0) {
        say("a change of affinity was allowed");
    }
    return verdict();
}

_Noreturn static int many_children(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (;;) {
        pid_t pid = fork();
        if (pid == 0) {
            _exit(0);
        }
        waitpid(pid, NULL, 0);
    }
}

const struct attack attacks_time[] = {
    {"hello", hello},
    {"leave", leave},
    {"raise", raise_one},
    {"crash", crash},
    {"spin", spin},
    {"burn", burn},
    {"system-calls", system_calls},
    {"ignore-all", ignore_all},
    {"threads", threads},
    {"main-thread-leaves", main_thread_leaves},
    {"child-burns", child_burns},
    {"unwaited", unwaited},
    {"again", again},
    {"rest", rest},
    {"read-own-pipe", read_own_pipe},
    {"stop-self", stop_self},
    {"fork-bomb", fork_bomb},
    {"count-forks", count_forks},
    {"zombies", zombies},
    {"daemonise", daemonise},
    {"kill-all", kill_all},
    {"kill-parent", kill_parent},
    {"raise-limits", raise_limits},
    {"priorities", priorities},
    {"many-children", many_children},
    {0},
};
