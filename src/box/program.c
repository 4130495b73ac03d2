/* From a clone inside the run to the contestant's program. Runs in the launcher's memory, beside
 * run-init: raw system calls only, nothing written but stage and times of the record. The order
 * matters: each step still needs rights that a later one drops. */
#include "base/raw.h"
#include "box/launch.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>

static void need(struct launch_record *record, enum launch_stage stage, long answer) {
    if (answer < 0) {
        record->stage = (int32_t)stage;
        record->os_errno = (int32_t)-answer;
        raw1(SYS_exit_group, 1);
    }
}

/* Version 1 groups are entered by writing; in version 2 the clone has put us there. The cgroup
 * namespace then starts at the leaf, so that /proc/self/cgroup says "/" and nothing of the host. */
static void enter_cgroups(struct launch_record *record) {
    for (int i = 0; i < record->order.join_count; i++) {
        int leaf = record->fds[record->order.join_at + i];
        long procs = raw4(SYS_openat, leaf, "cgroup.procs", O_WRONLY, 0);
        need(record, STAGE_CGROUP, procs);
        need(record, STAGE_CGROUP, raw3(SYS_write, procs, "0", 1));
    }
    need(record, STAGE_CGROUP, raw1(SYS_unshare, CLONE_NEWCGROUP));
}

static void set_streams(struct launch_record *record) {
    for (int i = 0; i < 3; i++) {
        int place = record->order.stream_at[i];
        long fd =
            place >= 0 ? record->fds[place] : raw4(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY, 0);
        need(record, STAGE_STREAMS, fd);
        need(record, STAGE_STREAMS, raw3(SYS_dup3, fd, i, 0));
    }
    /* First out of the way of each other. */
    int count = (int)record->order.start.service_fd_count;
    long aside[BOX_SERVICE_FDS_MAX];
    for (int i = 0; i < count; i++) {
        aside[i] = raw3(SYS_fcntl, record->fds[record->order.service_at + i], F_DUPFD, 512);
        need(record, STAGE_STREAMS, aside[i]);
    }
    for (int i = 0; i < count; i++) {
        need(record, STAGE_STREAMS, raw3(SYS_dup3, aside[i], 3 + i, 0));
    }
    need(record, STAGE_STREAMS, raw3(SYS_close_range, 3 + count, ~0u, 0));
}

static void set_limits(struct launch_record *record) {
    for (int i = 0; i < RLIM_NLIMITS; i++) {
        if ((record->limits_set >> i & 1) != 0) {
            need(record, STAGE_LIMITS, raw4(SYS_prlimit64, 0, i, &record->limits[i], 0));
        }
    }
}

/* From 0 to another user every capability goes; bounding set, no_new_privs and securebits were set
 * by the launcher for all that comes from it. */
static void drop_rights(struct launch_record *record) {
    need(record, STAGE_RIGHTS, raw0(SYS_setsid));
    need(record, STAGE_RIGHTS, raw3(SYS_setresgid, LAUNCH_UID, LAUNCH_UID, LAUNCH_UID));
    need(record, STAGE_RIGHTS, raw3(SYS_setresuid, LAUNCH_UID, LAUNCH_UID, LAUNCH_UID));
}

void program_main(void *argument) {
    struct launch_record *record = argument;
    struct sock_fprog filter = {
        .len = record->filter->length,
        .filter = (struct sock_filter *)(uintptr_t)record->filter->code, /* only read */
    };
    record->began_ns = raw_now_ns();
    enter_cgroups(record);
    set_streams(record);
    set_limits(record);
    drop_rights(record);
    need(record, STAGE_FILTER, raw3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter));
    record->ready_ns = raw_now_ns();
    while (__atomic_load_n(&record->mounted, __ATOMIC_ACQUIRE) == 0) {
        raw4(SYS_futex, &record->mounted, FUTEX_WAIT_PRIVATE, 0, 0);
    }
    need(record, STAGE_MOUNT, raw1(SYS_chdir, "/w"));
    need(record, STAGE_EXEC, raw3(SYS_execve, record->argv[0], record->argv, record->env));
}
