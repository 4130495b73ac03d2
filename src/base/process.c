#include "base/process.h"

#include "base/file.h"
#include "base/raw.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* libc would not touch the two signals that it keeps for itself, so the kernel is asked. */
static void reset_signals(void) {
    struct raw_sigaction action = {.handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        raw4(SYS_rt_sigaction, number, &action, NULL, sizeof(action.mask));
    }
    raw4(SYS_rt_sigprocmask, SIG_SETMASK, &action.mask, NULL, sizeof(action.mask));
}

bool process_freshen(struct err *err) {
    struct sched_param ordinary = {0};
    reset_signals();
    umask(022);
    /* Who was started with less cannot take more without root, and need not. */
    if (sched_setscheduler(0, SCHED_OTHER, &ordinary) != 0 ||
        (setpriority(PRIO_PROCESS, 0, 0) != 0 && getpriority(PRIO_PROCESS, 0) < 0)) {
        return err_system(err, "process_freshen", "go back to the ordinary priority");
    }
    return setgroups(0, NULL) == 0
               ? true
               : err_system(err, "process_freshen", "leave the supplementary groups");
}

bool process_lock_rights(struct err *err) {
    const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
                               SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                               SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    for (int capability = 0; capability <= CAP_LAST_CAP; capability++) {
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EINVAL) {
            return err_system(err, "process_lock", "drop capability %d for good", capability);
        }
    }
    if (prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) != 0) {
        return err_system(err, "process_lock", "set the securebits");
    }
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
               ? true
               : err_system(err, "process_lock", "set no_new_privs");
}

bool process_pin(pid_t pid, int cpu, struct err *err) {
    cpu_set_t wanted;
    cpu_set_t got;
    CPU_ZERO(&wanted);
    CPU_SET((size_t)cpu, &wanted);
    if (sched_setaffinity(pid, sizeof(wanted), &wanted) != 0 ||
        sched_getaffinity(pid, sizeof(got), &got) != 0) {
        return err_system(err, "process_pin", "bind a process to processor %d", cpu);
    }
    return CPU_EQUAL(&got, &wanted) ||
           err_set(err, ERR_SYSTEM, "process_pin", "the kernel does not bind to processor %d", cpu);
}

void process_raise_limits(uint64_t files_max) {
    static const enum __rlimit_resource resources[] = {RLIMIT_STACK, RLIMIT_FSIZE, RLIMIT_CPU,
                                                       RLIMIT_CORE};
    struct rlimit files = {.rlim_cur = files_max, .rlim_max = files_max};
    struct rlimit none = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    if (setrlimit(RLIMIT_NOFILE, &files) != 0 && getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++) {
        (void)setrlimit(resources[i], &none);
    }
}

void process_prefer(void) {
    struct sched_param priority = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &priority) != 0) {
        (void)setpriority(PRIO_PROCESS, 0, -15);
    }
}

static bool write_map(pid_t pid, const char *name, const char *text, struct err *err) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
    return file_write_at(AT_FDCWD, path, text, err);
}

bool process_map_ids(pid_t pid, unsigned inner, unsigned outer, struct err *err) {
    char text[64];
    snprintf(text, sizeof(text), "0 %u 1\n%u %u 1\n", outer, inner, outer + 1);
    return write_map(pid, "uid_map", text, err) && write_map(pid, "gid_map", text, err);
}
