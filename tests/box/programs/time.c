/* Processes, threads, signals and time. */
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
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
    if (strcmp(how, "bus") == 0) {
        int fd = open("/w/cut", O_RDWR | O_CREAT, 0600);
        volatile char *page = ftruncate(fd, 4096) == 0
                                  ? mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                                  : MAP_FAILED;
        if (page != MAP_FAILED && ftruncate(fd, 0) == 0) {
            page[0] = 1;
        }
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
    pid_t between = fork();
    if (between == 0) {
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
    waitpid(between, NULL, 0);
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
    static const enum __rlimit_resource resources[] = {RLIMIT_CPU,  RLIMIT_FSIZE, RLIMIT_NOFILE,
                                                       RLIMIT_CORE, RLIMIT_STACK, RLIMIT_MEMLOCK};
    for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++) {
        struct rlimit limit = {0};
        getrlimit(resources[i], &limit);
        limit.rlim_max += 1;
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(resources[i], &limit) == 0) {
            say("limit %d could be raised", (int)resources[i]);
        }
    }
    struct rlimit none = {0};
    if (setrlimit(RLIMIT_CORE, &none) == 0) {
        say("the core limit could be changed");
    }
    return verdict();
}

/* Those that this run may use, as "0 1". */
static int processors(int argc, char **argv) {
    (void)argc;
    (void)argv;
    cpu_set_t set;
    const char *space = "";
    if (sched_getaffinity(0, sizeof(set), &set) != 0) {
        return 1;
    }
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, &set)) {
            printf("%s%d", space, cpu);
            space = " ";
        }
    }
    puts("");
    return 0;
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

/* Threads that make threads, until one cannot be made. */
static void *multiply(void *argument_) {
    (void)argument_;
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, multiply, NULL) != 0) {
            abort();
        }
    }
}

_Noreturn static int thread_bomb(int argc, char **argv) {
    (void)argc;
    (void)argv;
    (void)multiply(NULL);
    abort();
}

/* Children by every flag that might lead past a parent or a tracer. */
_Noreturn static int clone_mixes(int argc, char **argv) {
    (void)argc;
    (void)argv;
    static const unsigned long flags[] = {CLONE_PARENT, CLONE_UNTRACED,
                                          CLONE_PARENT | CLONE_UNTRACED, CLONE_FILES | CLONE_FS};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (syscall(SYS_clone, flags[i] | SIGCHLD, 0, 0, 0, 0) == 0) {
            setsid();
            loop();
        }
    }
    for (;;) {
        pause();
    }
}

/* Timers of every kind, as many as there can be, and then on and on. */
_Noreturn static int timers(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct itimerval never = {0};
    setitimer(ITIMER_PROF, &never, NULL);
    setitimer(ITIMER_VIRTUAL, &never, NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    timer_t timer;
    int count = 0;
    while (count < 1000000 && timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0) {
        count++;
    }
    loop();
}

/* To know the time is harmless; what tells of the machine is not there. */
static int clocks(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct timespec now = {0};
    if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now) != 0 || __builtin_ia32_rdtsc() == 0) {
        say("there is no time");
    }
    static const char *const files[] = {"/proc/uptime", "/proc/stat", "/proc/loadavg",
                                        "/proc/schedstat"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (access(files[i], F_OK) == 0) {
            say("%s is there", files[i]);
        }
    }
    return verdict();
}

static void leave_well(int number) {
    (void)number;
    _exit(0);
}

/* Would end as if all were well at the first signal that it can catch. */
_Noreturn static int leave_on_signals(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (int number = 1; number < 65; number++) {
        on_signal(number, leave_well);
    }
    loop();
}

/* A shell, where the roots have one. */
static int shell(int argc, char **argv) {
    (void)argc;
    (void)argv;
    fflush(stdout);
    int status = system("trap '' TERM HUP; ulimit -t unlimited 2>/dev/null; "
                        "setsid nohup sleep 1000 >/dev/null 2>&1 </dev/null & echo started");
    puts(WIFEXITED(status) && WEXITSTATUS(status) == 127 ? "no shell" : "left");
    return 0;
}

static int wait_for_ever(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "pause";
    int word = 0;
    if (strcmp(how, "futex") == 0) {
        syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, NULL, NULL, 0);
    }
    pause();
    return 0;
}

/* Stops its children and waits for them. */
static int stop_children(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (int i = 0; i < 3; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            loop();
        }
        kill(pid, SIGSTOP);
    }
    wait(NULL);
    return 0;
}

/* Outlives its parent, whatever signal it was to get at the parent's end. */
static int unbound_child(int argc, char **argv) {
    (void)argc;
    (void)argv;
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
        setsid();
        for (;;) {
            pause();
        }
    }
    rest_ms(20);
    puts("away");
    return 0;
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
    {"processors", processors},
    {"many-children", many_children},
    {"thread-bomb", thread_bomb},
    {"clone-mixes", clone_mixes},
    {"timers", timers},
    {"clocks", clocks},
    {"leave-on-signals", leave_on_signals},
    {"shell", shell},
    {"wait-for-ever", wait_for_ever},
    {"stop-children", stop_children},
    {"unbound-child", unbound_child},
    {0},
};
