/* Hostile and borderline programs, one row each: what the box reports, and that nothing is left.
 * A name is what the row shows; the last row of a group is not special. */
#include "box_fixture.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB (1024LL * 1024)
#define ANY (-1)
#define FULL_MIB 256
#define CPU_MS 400 /* the limit of rows that are about it */

struct row {
    const char *name;
    const char *attack; /* words separated by spaces */
    enum box_end end;
    int code;           /* of BOX_END_EXIT; the signal of BOX_END_SIGNAL; ANY */
    const char *output; /* the whole fd 1, or NULL: anything */
    int64_t cpu_ms[2];  /* at least, at most; 0: anything */
    int64_t memory_mib[2];
    void (*change)(struct box_run_spec *spec);
    int leftovers; /* ANY: any */
    const char *input;
};

static void limit_output(struct box_run_spec *spec) {
    spec->streams[1].bytes_max = 10000;
}

static void limit_work(struct box_run_spec *spec) {
    spec->limits.work_bytes = 16 * MIB;
}

static void limit_wall(struct box_run_spec *spec) {
    spec->limits.wall_ms = 300;
}

static void limit_file(struct box_run_spec *spec) {
    spec->limits.file_bytes = 8 * MIB;
}

static void limit_stack(struct box_run_spec *spec) {
    spec->limits.stack_bytes = 8 * MIB;
}

static void small_memory(struct box_run_spec *spec) {
    spec->limits.memory_bytes = 2 * MIB;
}

static void many_processes(struct box_run_spec *spec) {
    spec->limits.pids_max = 500;
    spec->limits.memory_bytes = 1024 * MIB;
}

static void few_processes(struct box_run_spec *spec) {
    spec->limits.pids_max = 1;
}

static void short_cpu(struct box_run_spec *spec) {
    spec->limits.cpu_ms = 300;
}

static void managed(struct box_run_spec *spec) {
    spec->profile = BOX_PROFILE_MANAGED;
}

static void compiling(struct box_run_spec *spec) {
    spec->profile = BOX_PROFILE_COMPILE;
}

static void with_roots(struct box_run_spec *spec) {
    static const char *const roots[] = {"/usr", "/lib", "/lib64", "/bin", NULL};
    spec->roots = roots;
}

static void drop_output(struct box_run_spec *spec) {
    spec->streams[1] = (struct box_stream){.kind = BOX_STREAM_NULL, .bytes_max = 10000};
}

/* clang-format off */
#define EXIT(code) BOX_END_EXIT, (code)
#define KILLED(signal) BOX_END_SIGNAL, (signal)
#define ENDED(why) BOX_END_##why, ANY
#define USUAL NULL, 0, NULL
static const struct row rows[] = {
    {"a program says hello",              "hello", EXIT(0), "hello\n", {0, 50}, {0, 2}, USUAL},
    {"hello in 2 MiB",                    "hello", EXIT(0), "hello\n", {0, 50}, {0, 2}, small_memory, 0, NULL},
    {"hello as the only process",         "hello", EXIT(0), "hello\n", {0}, {0}, few_processes, 0, NULL},
    {"hello managed",                     "hello", EXIT(0), "hello\n", {0}, {0}, managed, 0, NULL},
    {"hello while compiling",             "hello", EXIT(0), "hello\n", {0}, {0}, compiling, 0, NULL},
    {"exit code 1",                       "leave 1", EXIT(1), "", {0}, {0}, USUAL},
    {"exit code 255",                     "leave 255", EXIT(255), "", {0}, {0}, USUAL},
    {"abort",                             "crash abort", KILLED(SIGABRT), "", {0}, {0}, USUAL},
    {"division by zero",                  "crash divide", KILLED(SIGFPE), "", {0}, {0}, USUAL},
    {"a write to null",                   "crash null", KILLED(SIGSEGV), "", {0}, {0}, USUAL},
    {"a page that was cut off",           "crash bus", KILLED(SIGBUS), "", {0}, {0}, USUAL},
    {"SIGKILL raised",                    "raise 9", KILLED(SIGKILL), "", {0}, {0}, USUAL},
    {"SIGTERM raised",                    "raise 15", KILLED(SIGTERM), "", {0}, {0}, USUAL},
    {"SIGXCPU raised",                    "raise 24", KILLED(SIGXCPU), "", {0}, {0}, USUAL},
    {"SIGXFSZ raised",                    "raise 25", KILLED(SIGXFSZ), "", {0}, {0}, USUAL},
    {"SIGSYS raised",                     "raise 31", KILLED(SIGSYS), "", {0}, {0}, USUAL},
    {"an illegal instruction",            "crash illegal", KILLED(SIGILL), "", {0}, {0}, USUAL},

    {"an endless loop",                   "spin", ENDED(CPU), "", {CPU_MS, CPU_MS + 10}, {0}, USUAL},
    {"an endless loop, short limit",      "spin", ENDED(CPU), "", {300, 310}, {0}, short_cpu, 0, NULL},
    {"system calls without end",          "system-calls", ENDED(CPU), "", {CPU_MS, CPU_MS + 10}, {0}, USUAL},
    {"all signals caught",                "ignore-all", ENDED(CPU), "", {CPU_MS, CPU_MS + 10}, {0}, USUAL},
    {"four threads",                      "threads 4", ENDED(CPU), "", {CPU_MS, CPU_MS + 12}, {0}, USUAL},
    {"the main thread leaves",            "main-thread-leaves", ENDED(CPU), "", {CPU_MS, CPU_MS + 10}, {0}, USUAL},
    {"the child burns",                   "child-burns", ENDED(CPU), "", {CPU_MS, CPU_MS + 10}, {0}, USUAL},
    {"children waited for late",          "unwaited", ENDED(CPU), "", {CPU_MS, CPU_MS + 15}, {0}, USUAL},
    {"children reaped by nobody",         "unwaited ignore", ENDED(CPU), "", {CPU_MS, CPU_MS + 15}, {0}, USUAL},
    {"executed again and again",          "again", ENDED(CPU), "", {CPU_MS, CPU_MS + 10}, {0}, USUAL},
    {"just below the CPU limit",          "burn 360", EXIT(0), "burnt\n", {360, 392}, {0}, USUAL},
    {"just above the CPU limit",          "burn 430", ENDED(CPU), "", {CPU_MS, CPU_MS + 10}, {0}, USUAL},
    {"a fork bomb",                       "fork-bomb", ENDED(CPU), "", {CPU_MS, CPU_MS + 15}, {0}, USUAL},
    {"a stubborn fork bomb", "fork-bomb stubborn", ENDED(CPU), "", {CPU_MS, CPU_MS + 15}, {0}, many_processes, 0, NULL},
    {"children without end",              "many-children", ENDED(CPU), "", {CPU_MS, CPU_MS + 20}, {0}, USUAL},
    {"a thread bomb",                     "thread-bomb", KILLED(SIGABRT), "", {0}, {0}, NULL, ANY, NULL},
    {"cloned past the parent",            "clone-mixes", ENDED(CPU), "", {CPU_MS, CPU_MS + 12}, {0}, USUAL},
    {"timers without end",                "timers", ENDED(CPU), "", {CPU_MS, CPU_MS + 10}, {0}, USUAL},
    {"to leave well at a signal",         "leave-on-signals", ENDED(CPU), "", {CPU_MS, CPU_MS + 10}, {0}, USUAL},
    {"clocks",                            "clocks", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"no shell",                          "shell", EXIT(0), "no shell\n", {0}, {0}, USUAL},
    {"a shell and what it leaves",        "shell", EXIT(0), "started\nleft\n", {0}, {0}, with_roots, ANY, NULL},
    {"pause",                             "wait-for-ever", ENDED(WALL), "", {0, 50}, {0}, limit_wall, 0, NULL},
    {"a futex nobody wakes",              "wait-for-ever futex", ENDED(WALL), "", {0, 50}, {0}, limit_wall, 0, NULL},
    {"stopped children",                  "stop-children", ENDED(WALL), "", {0}, {0}, limit_wall, 0, NULL},
    {"a child without a bond",            "unbound-child", EXIT(0), "away\n", {0}, {0}, NULL, 1, NULL},
    {"sleep",                             "rest", ENDED(WALL), "", {0, 50}, {0}, limit_wall, 0, NULL},
    {"a read of the own pipe",            "read-own-pipe", ENDED(WALL), "", {0, 50}, {0}, limit_wall, 0, NULL},
    {"stopped by itself",                 "stop-self", ENDED(WALL), "", {0, 50}, {0}, limit_wall, 0, NULL},
    {"exactly the processes of the limit", "count-forks", EXIT(0), "31 EAGAIN\n", {0}, {0}, NULL, 31, NULL},
    {"zombies",                           "zombies 20", EXIT(0), "left\n", {0}, {0}, USUAL},
    {"a daemon",                          "daemonise", EXIT(0), "away\n", {0}, {0}, NULL, 1, NULL},
    {"a daemon that holds the output",    "daemonise keep", EXIT(0), "away\n", {0}, {0}, NULL, 1, NULL},
    {"kill -1",                           "kill-all 9", KILLED(SIGKILL), "", {0}, {0}, NULL, ANY, NULL},
    {"stop all",                          "kill-all 19", ENDED(WALL), "", {0}, {0}, limit_wall, 0, NULL},
    {"signals to the parent",             "kill-parent", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"limits raised",                     "raise-limits", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"priorities",                        "priorities", EXIT(0), "ok\n", {0}, {0}, USUAL},

    {"memory without end",                "heap", ENDED(MEMORY), "", {0}, {255, 257}, USUAL},
    {"64 MiB of heap",                    "heap 64", EXIT(0), "done\n", {0}, {64, 66}, USUAL},
    {"240 MiB of heap",                   "heap 240", EXIT(0), "done\n", {0}, {240, 243}, USUAL},
    {"a static GiB, untouched",           "static-array 0", EXIT(0), "0\n", {0}, {0, 2}, USUAL},
    {"a static GiB, touched",             "static-array 1000", ENDED(MEMORY), "", {0}, {255, 257}, USUAL},
    {"100 GiB reserved",                  "reserve", EXIT(0), "reserved\n", {0}, {0, 2}, USUAL},
    {"recursion without end",             "recurse", ENDED(MEMORY), "", {0}, {255, 257}, USUAL},
    {"recursion in a small stack",        "recurse", KILLED(SIGSEGV), "", {0}, {0, 10}, limit_stack, 0, NULL},
    {"eight children of 64 MiB",          "children 8 64", ENDED(MEMORY), "", {0}, {255, 257}, NULL, ANY, NULL},
    {"a child out of memory",             "child-dies", ENDED(MEMORY), NULL, {0}, {255, 257}, NULL, ANY, NULL},
    {"copy on write counts once",         "copy-on-write 100", EXIT(0), "shared\n", {0}, {100, 104}, USUAL},
    {"a memory file",                     "memfd 300", ENDED(MEMORY), "", {0}, {255, 257}, USUAL},
    {"a file in /w",                      "file 300 /w/big", ENDED(MEMORY), "", {0}, {255, 257}, USUAL},
    {"a file in /tmp",                    "file 300 /tmp/big", ENDED(MEMORY), "", {0}, {255, 257}, USUAL},
    {"a file in /dev/shm",                "file 300 /dev/shm/big", ENDED(MEMORY), "", {0}, {255, 257}, USUAL},
    {"the work folder full",              "file 300 /w/big", EXIT(0), NULL, {0}, {14, 18}, limit_work, 0, NULL},
    {"a file over its limit",             "file 300 /w/big", KILLED(SIGXFSZ), NULL, {0}, {7, 11}, limit_file, 0, NULL},
    {"shared memory",                     "shared 300", ENDED(MEMORY), "", {0}, {255, 257}, USUAL},
    {"System V memory",                   "system-v 300", ENDED(MEMORY), "", {0}, {255, 257}, USUAL},
    {"inodes of /w",                      "inodes /w", EXIT(0), "ENOSPC after few\n", {0}, {0}, USUAL},
    {"inodes of /tmp",                    "inodes /tmp", EXIT(0), "ENOSPC after few\n", {0}, {0}, USUAL},
    {"deep folders",                      "deep-folders", EXIT(0), "deep\n", {0}, {0}, USUAL},
    {"locked memory",                     "lock-all", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"a frame of 240 MiB",                "frame 240", EXIT(0), "done\n", {0}, {240, 243}, USUAL},
    {"a frame of 300 MiB",                "frame 300", ENDED(MEMORY), "", {0}, {255, 257}, USUAL},
    {"large pages count",                 "huge 300", ENDED(MEMORY), "", {0}, {255, 257}, USUAL},
    {"pipes full of data",                "pipes 300", EXIT(0), NULL, {0}, {0, 257}, USUAL},
    {"odd names",                         "odd-names", EXIT(0), "200\n", {0}, {0}, USUAL},
    {"many mappings",                     "mappings", EXIT(0), "ENOMEM\n", {0}, {0}, USUAL},

    {"output without end",                "flood", ENDED(OUTPUT), NULL, {0, 500}, {0, 4}, USUAL},
    {"dropped output without end",        "flood", ENDED(OUTPUT), NULL, {0, 500}, {0, 4}, drop_output, 0, NULL},
    {"output of exactly the limit",       "write 10000", EXIT(0), NULL, {0}, {0}, limit_output, 0, NULL},
    {"output of one byte more",           "write 10001", ENDED(OUTPUT), NULL, {0}, {0}, limit_output, 0, NULL},
    {"errors without end",                "flood-errors", EXIT(0), "right\n", {0}, {0}, USUAL},
    {"closed streams",                    "close-output", EXIT(0), "", {0}, {0}, USUAL},
    {"abused streams",                    "abuse-output", EXIT(0), "mine\n", {0}, {0}, USUAL},
    {"input is read",                     "echo", EXIT(0), "1 2\n", {0}, {0}, NULL, 0, "1 2\n"},
    {"input is read by name",             "echo-by-name", EXIT(0), "1 2\n", {0}, {0}, NULL, 0, "1 2\n"},
    {"no input",                          "echo", EXIT(0), "", {0}, {0}, USUAL},
    {"input cannot be changed",           "write-input", EXIT(0), "ok\n", {0}, {0}, NULL, 0, "1 2\n"},
    {"only /w and /tmp are writable",     "put-everywhere", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"and the same with roots",           "put-everywhere", EXIT(0), "ok\n", {0}, {0}, with_roots, 0, NULL},
    {"nothing of the run before",         "find-marks", EXIT(0), "ok\n", {0}, {0}, USUAL},

    {"nothing of the host",               "host-paths", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"nothing of the host with roots",    "host-paths", EXIT(0), "ok\n", {0}, {0}, with_roots, 0, NULL},
    {"the whole root",                    "list /", EXIT(0), "dev proc tmp w \n", {0}, {0}, USUAL},
    {"the whole root with roots", "list /", EXIT(0), "bin dev lib lib64 proc tmp usr w \n",
     {0}, {0}, with_roots, 0, NULL},
    {"the devices", "list /dev", EXIT(0), "fd full null shm stderr stdin stdout urandom zero \n",
     {0}, {0}, USUAL},
    {"the processes",                     "list /proc", EXIT(0), "2 self thread-self \n", {0}, {0}, USUAL},
    {"the own cgroup tells nothing",      "own-cgroup", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"the environment exactly",           "environment", EXIT(0), "PATH=/usr/bin:/bin\nHOME=/w\n", {0}, {0}, USUAL},
    {"the descriptors exactly",           "descriptors", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"the user exactly",                  "who", EXIT(0), "1000 1000 0 2\n", {0}, {0}, USUAL},
    {"fresh memory is empty",             "old-memory", EXIT(0), "ok\n", {0}, {0}, USUAL},

    {"no network",                        "network", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"signals as a new process has them", "signals", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"no connection",                     "connect-out", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"no network, managed",               "network", EXIT(0), "ok\n", {0}, {0}, managed, 0, NULL},
    {"refused system calls",              "refused-calls", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"refused system calls, managed",     "refused-calls", EXIT(0), "ok\n", {0}, {0}, managed, 0, NULL},
    {"refused system calls, compiling",   "refused-calls", EXIT(0), "ok\n", {0}, {0}, compiling, 0, NULL},
    {"an unknown system call",            "unknown-number", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"calls of i386",                     "foreign-abi", KILLED(SIGSYS), "", {0}, {0}, USUAL},
    {"calls of x32",                      "foreign-abi x32", KILLED(SIGSYS), "", {0}, {0}, USUAL},
    {"no way out",                        "rights-alone", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"the own /proc is read-only",        "own-proc", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"setuid counts nowhere",             "setuid-file", EXIT(0), "ok\n", {0}, {0}, with_roots, 0, NULL},
    {"no core",                           "core", KILLED(SIGQUIT), "", {0}, {0}, USUAL},
    {"chroot and up",                     "chroot-escape", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"the own mounts tell nothing",       "own-mounts", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"and with roots no more than them",  "own-mounts", EXIT(0), "ok\n", {0}, {0}, with_roots, 0, NULL},
    {"the auxiliary vector",              "aux-vector", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"every kind of descriptor counts",   "kinds-of-descriptors", EXIT(0), "ok\n", {0}, {0}, USUAL},
    {"descriptors to the limit",          "descriptors-without-end", EXIT(0), "64 EMFILE\n", {0}, {0}, USUAL},
};
/* clang-format on */

static struct fixture fixture;

static void split(const char *text, char *words, size_t size, const char **ret_argv) {
    size_t count = 0;
    snprintf(words, size, "%s", text);
    for (char *at = words; at != NULL && count < 8;) {
        ret_argv[count++] = at;
        at = strchr(at, ' ');
        if (at != NULL) {
            *at++ = '\0';
        }
    }
    ret_argv[count] = NULL;
}

/* Rows whose memory is used up: an emulated machine takes its time to touch a page. */
static bool fills_memory(const struct row *row) {
    return row->memory_mib[0] == FULL_MIB - 1;
}

static int64_t memory_mib(void) {
    return fixture_slow() == 1 ? FULL_MIB : FULL_MIB / 4;
}

/* On an emulated machine only the margin above a CPU limit grows. */
static int64_t cpu_us_max(const struct row *row) {
    int64_t kept_ms = row->end == BOX_END_CPU ? row->cpu_ms[0] : 0;
    return (kept_ms + (row->cpu_ms[1] - kept_ms) * fixture_slow()) * 1000;
}

static void check_result(const struct row *row, const struct box_result *result) {
    char text[1024];
    fixture_text(result->stream_fds[1], text, sizeof(text));
    int64_t cpu_us = result->cpu_user_us + result->cpu_system_us;
    printf("           end %d, code %d, signal %d, cpu %lld us, wall %lld us, peak %lld, left %d\n",
           (int)result->end, result->exit_code, result->signal, (long long)cpu_us,
           (long long)result->wall_us, (long long)result->memory_peak_bytes,
           result->leftover_processes);
    if (row->output != NULL) {
        assert_string_equal(text, row->output);
    }
    assert_int_equal(result->end, row->end);
    if (row->code != ANY) {
        assert_int_equal(row->end == BOX_END_SIGNAL ? result->signal : result->exit_code,
                         row->code);
    }
    assert_true(cpu_us >= row->cpu_ms[0] * 1000);
    assert_true(row->cpu_ms[1] == 0 || cpu_us <= cpu_us_max(row));
    int64_t less_mib = fills_memory(row) ? FULL_MIB - memory_mib() : 0;
    assert_true(result->memory_peak_bytes >= (row->memory_mib[0] - less_mib) * MIB);
    assert_true(row->memory_mib[1] == 0 ||
                result->memory_peak_bytes <= (row->memory_mib[1] - less_mib) * MIB);
    assert_true(row->leftovers == ANY || result->leftover_processes == row->leftovers);
}

static void one_row(void **state) {
    const struct row *row = *state;
    const char *argv[10];
    const char *full[16];
    char words[128];
    struct box_file file;
    struct err err = {0};
    split(row->attack, words, sizeof(words), argv);
    bool shell = row->change == with_roots && strcmp(row->attack, "shell") == 0;
    if (shell && access("/usr/bin/sh", X_OK) != 0) {
        skip(); /* the emulated machine has none */
    }
    struct box_run_spec spec = fixture_spec(&fixture, argv, full, &file);
    int input = -1;
    if (row->input != NULL) {
        input = memfd_create("input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        assert_int_equal(write(input, row->input, strlen(row->input)), (ssize_t)strlen(row->input));
        spec.streams[0] = (struct box_stream){.kind = BOX_STREAM_FD, .fd = input};
    }
    if (row->cpu_ms[0] > 0) {
        /* These rows are about the limit itself. */
        spec.limits.cpu_ms = CPU_MS + (row->end == BOX_END_EXIT ? 100 * (fixture_slow() - 1) : 0);
    }
    if (row->change != NULL) {
        row->change(&spec);
    }
    if (fills_memory(row)) {
        spec.limits.memory_bytes = memory_mib() * MIB;
    }

    struct box_result result;
    box_result_init(&result);
    bool done = box_run(fixture.box, 0, &spec, &result, &err);

    if (!done) {
        fail_msg("%s (%s)", err.text, err.where);
    }
    if (input >= 0) {
        close(input);
    }
    if (row->change == with_roots) { /* leaves a second launcher for the next run */
        fixture.fds_before = fixture_settled_fds(&fixture);
    }
    check_result(row, &result);
    box_result_done(&result);
    fixture_check_clean(&fixture);
}

/* Whoever counts CPU time counts it for an ordinary user too: one row shows it, the long form all;
 * but hundreds of processes against a box that may not come first are ended when they are. */
static bool is_wanted(const struct row *row) {
    const char *only = getenv("ONLY");
    struct rlimit limit = {0};
    bool first = getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_max > 0;
    bool again = fixture_is_rootless() && row->cpu_ms[0] == CPU_MS;
    if (fixture_is_rootless() && !first && row->change == many_processes) {
        return false;
    }
    return (only == NULL || strstr(row->name, only) != NULL) &&
           (!again || getenv("ASSIZE_LONG") != NULL);
}

int main(void) {
    fixture_require();
    static struct CMUnitTest tests[sizeof(rows) / sizeof(rows[0])];
    static struct row states[sizeof(rows) / sizeof(rows[0])];
    size_t count = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (is_wanted(&rows[i])) {
            states[count] = rows[i];
            tests[count] = (struct CMUnitTest){
                .name = rows[i].name, .test_func = one_row, .initial_state = &states[count]};
            count++;
        }
    }
    fixture_open(&fixture);
    int failed = _cmocka_run_group_tests("attacks", tests, count, NULL, NULL);
    fixture_close(&fixture);
    if (count_cgroups() != 0) {
        puts("the box left cgroups behind");
        failed++;
    }
    return failed;
}
