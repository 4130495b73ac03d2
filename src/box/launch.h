#ifndef BOX_LAUNCH_H
#define BOX_LAUNCH_H

#include "box/cgroup.h"
#include <linux/filter.h>
#include <signal.h>
#include <sys/resource.h>

/* Three processes stand between assize-box (the supervisor) and a program:
 *
 *   launcher   one a slot and set of roots. Forked by the supervisor into its own pid, mount, user,
 *              net, ipc and uts namespaces, with the finished read-only root; waits for orders.
 *   run-init   one a run. Cloned by the launcher with shared memory into fresh pid, mount and ipc
 *              namespaces; pid 1 there. Clones the program as pid 2, mounts /proc, /w and /tmp and
 *              puts the files in place, waits, kills what is left, takes the outputs, ends.
 *   program    cloned by run-init into the run's cgroup leaf; sheds its rights meanwhile, and
 *              becomes the contestant's program by execve.
 *
 * 1. run-init and the program before its execve share the launcher's memory: they make raw system
 *    calls only, write to nothing but their own record and stacks, and never touch errno.
 * 2. The launcher holds no descriptor but its socket while it waits.
 * 3. All of them hang below the launcher's pid namespace: when the supervisor or the launcher ends,
 *    the kernel ends all. When run-init ends, the kernel has ended its whole run before.
 * 4. Kept files stand in the launcher's store, a tmpfs that only the launcher can write to; a run
 *    gets them bound read-only, each under its name in /w, and cannot see the store itself.
 * 5. The program's leaf never holds launcher or run-init, so their own use is not counted. */

#define LAUNCH_FDS_MAX (1 + 3 + BOX_SERVICE_FDS_MAX + CGROUP_TREES + BOX_FILES_MAX)
#define LAUNCH_KEPT_MAX 8        /* files ready in the store: named by one digit */
#define LAUNCH_STORE_WRITE "/w"  /* where a launcher fills its store */
#define LAUNCH_STORE_READ "/tmp" /* and where runs take from it */
#define LAUNCH_UID 1000          /* the program's user inside; run-init and launcher are 0 inside */
#define LAUNCH_SOCKET 3          /* where the launcher keeps its socket; 0, 1 and 2 are /dev/null */
#define LAUNCH_STACK_BYTES (64 * 1024)

/* Which system calls a program may make: made from src/box_filter when assize-box is built. */
struct filter {
    unsigned short length;
    struct sock_filter code[512];
};

extern const struct filter box_filters[BOX_PROFILE_COUNT]; /* by enum box_profile */

/* Supervisor to launcher. The first descriptor is run-init's end of the control socket; the places
 * say where the others stand. */
struct launch_order {
    uint32_t record; /* 0 <= record < BOX_RUNS_MAX, free */
    int32_t stream_at[3];
    int32_t leaf_at; /* the folder of the version 2 leaf, or -1 */
    int32_t join_at; /* the folders of version 1 leaves */
    int32_t join_count;
    int32_t service_at;
    int32_t file_at;
    int8_t places[BOX_FILES_MAX];  /* in the store, or -1: copied into /w */
    bool put_first[BOX_FILES_MAX]; /* into that place */
    struct message_start start;
};

enum launch_kind {
    LAUNCH_MAPS = 1, /* launcher: write my id maps, then answer with one byte */
    LAUNCH_READY,    /* launcher: send orders */
    LAUNCH_CLONED,   /* launcher: the run of `record` has begun; its pidfd comes along */
    LAUNCH_FAILED,   /* launcher: it cannot go on; `text` says why */
    RUN_FAILED,      /* run-init: the program could not be started */
    RUN_STARTED,     /* run-init: the program runs */
    RUN_EXITED,      /* run-init: the program has ended */
    RUN_ENDED,       /* run-init: nothing is left; outputs come along */
};

/* What failed. By number, because run-init cannot print. */
enum launch_stage {
    STAGE_NONE,
    STAGE_MOUNT,
    STAGE_FILES,
    STAGE_CGROUP,
    STAGE_STREAMS,
    STAGE_LIMITS,
    STAGE_RIGHTS,
    STAGE_FILTER,
    STAGE_EXEC, /* the only one that says something about the program */
    STAGE_COUNT,
};

/* Launcher or run-init to the supervisor. */
struct launch_report {
    uint32_t kind; /* enum launch_kind */
    uint32_t record;
    uint32_t stage; /* enum launch_stage */
    int32_t os_errno;
    int64_t start_ns, exit_ns; /* CLOCK_MONOTONIC */
    int32_t exit_code;         /* of a program that ended by itself, else -1 */
    int32_t signal;            /* that ended it, else 0 */
    int32_t leftovers;
    uint8_t outputs[BOX_FILES_MAX]; /* enum box_output_state */
    char text[256];
};

/* What one run needs in the shared memory. */
struct launch_record {
    int32_t tid;                /* cleared by the kernel when run-init no longer uses the memory */
    int32_t program;            /* cleared by the kernel at the program's execve or end */
    int32_t mounted;            /* 1: all is in place for the program */
    int64_t began_ns, ready_ns; /* of the program's preparation: begin and end */
    int32_t stage, os_errno;
    struct launch_order order;
    int fds[LAUNCH_FDS_MAX];
    size_t fd_count;
    const struct filter *filter;
    const char *argv[MESSAGE_ARGS_MAX + 1];
    const char *env[MESSAGE_ARGS_MAX + 1];
    const char *names[MESSAGE_NAMES_MAX + 1];
    char work_options[128];
    char tmp_options[128];
    struct rlimit limits[RLIM_NLIMITS];
    uint32_t limits_set; /* bit n: limits[n] is meant */
    /* The lowest page of each may not be touched. */
    char init_stack[LAUNCH_STACK_BYTES] __attribute__((aligned(4096)));
    char program_stack[LAUNCH_STACK_BYTES] __attribute__((aligned(4096)));
};

/* The launcher's whole life, in the child of the fork. `roots`: allowed ones, NULL-terminated. */
_Noreturn void launcher_main(int socket, const char *const *roots);

/* Builds the root below a private mount and makes it this process's root. Ordinary libc code. */
checked bool root_build(const char *const *roots, struct err *err);

/* The life of pid 1, and from the second clone to the execve; both are given their record. */
void run_init_main(void *record);
void program_main(void *record);

#endif
