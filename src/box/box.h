#ifndef BOX_BOX_H
#define BOX_BOX_H

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include <stddef.h>
#include <sys/types.h>

/* The client's side of assize-box, the only privileged program. Client and box speak fixed-size
 * messages with descriptors over one socketpair: open slot, start run, wait any, kill. Every result
 * ends with every process of the run dead and every file gone, or handed out as a descriptor of a
 * plain file.
 *
 * A slot runs one job at a time: one or several runs. Runs of one slot can be joined by pipes;
 * their results say who ended first. A service run is long-lived and ends when it is killed, when
 * its own limits are passed or when the slot is closed.
 *
 * Thread-safe: several threads may use one struct box, each its own slot; the library routes
 * answers. */

#define BOX_SLOTS_MAX 65  /* those of a node, and one in which it prepares languages */
#define BOX_RUNS_MAX 8    /* at once in one slot */
#define BOX_PIPES_MAX 8   /* in one slot */
#define BOX_FILES_MAX 128 /* descriptors placed into one run, and files taken out of it */
#define BOX_SERVICE_FDS_MAX 4
#define BOX_ARGV_BYTES_MAX 8192
#define BOX_ENV_BYTES_MAX 2048
#define BOX_NAMES_BYTES_MAX 8192 /* of all files and outputs of one run, NULs counted */
#define BOX_ROOTS_MAX 8
#define BOX_ROOT_BYTES_MAX 256
#define BOX_PLACE_BYTES (BOX_ROOT_BYTES_MAX + 8)
#define BOX_KEPT_BYTES_MAX (16 * 1024 * 1024)

struct box;

/* Which system calls are allowed: docs/decisions, "sandbox by a separate privileged process".
 * SERVER adds what a database needs and is for services alone: Unix sockets and file locks. */
enum box_profile {
    BOX_PROFILE_COMPILE = 1,
    BOX_PROFILE_NATIVE,
    BOX_PROFILE_MANAGED,
    BOX_PROFILE_SERVER,
    BOX_PROFILE_COUNT,
};

enum box_stream_kind {
    BOX_STREAM_NULL,    /* reads nothing, or drops what is written (still counted and bounded) */
    BOX_STREAM_FD,      /* this descriptor. fd 0: reopened, sealed or copied; 1, 2: services only */
    BOX_STREAM_CAPTURE, /* fd 1, 2: counted while written; the first bytes_max come back as a
                           descriptor */
    BOX_STREAM_PIPE, /* one end of the slot's pipe `pipe`: writers name it at fd 1, readers at fd 0
                      */
};

struct box_stream {
    enum box_stream_kind kind;
    int fd;            /* BOX_STREAM_FD: borrowed */
    int pipe;          /* BOX_STREAM_PIPE: 0 <= pipe < BOX_PIPES_MAX */
    int64_t bytes_max; /* writers: more is BOX_END_OUTPUT, of fd 2 only cut; 0: an uncounted pipe */
};

/* A file that stands in the work folder (/w) when the program starts. */
struct box_file {
    const char *name; /* a plain name or a relative path of plain names */
    int fd;           /* borrowed; read from its start, must be a regular file or memory file */
    bool executable;
    bool writable;
    /* It comes again, so the box keeps it ready: a sealed memory file of at most
     * BOX_KEPT_BYTES_MAX. Any other is copied. The program cannot remove or rename a kept one. */
    bool kept;
};

struct box_limits {
    int64_t cpu_ms;       /* user + system of the whole tree; the box kills here */
    int64_t wall_ms;      /* includes sleeping */
    int64_t memory_bytes; /* of the whole tree, tmpfs included, swap off */
    int64_t file_bytes;   /* one file */
    int64_t work_bytes;   /* size of /w and of /tmp */
    int64_t stack_bytes;  /* 0: as the memory limit */
    int64_t work_inodes;
    int64_t pids_max;
    int64_t open_files_max;
};

/* Where runs see a root: in `place`, or `root` itself. */
const char *box_root_place(const char *root, char place[BOX_PLACE_BYTES]);

struct box_run_spec {
    enum box_profile profile;
    bool service;
    const char *const *argv; /* NULL-terminated; argv[0] is a path inside the run's root */
    const char *const *env;  /* NULL-terminated "NAME=value": exactly what the program sees */
    /* Read-only folders of the host that the run sees, each under its own path ("/usr", "/lib64"),
     * but /tmp/x and /w/x as /roots/tmp/x and /roots/w/x: box_root_place.
     * The box accepts only paths beneath its configured allow-list. NULL-terminated. */
    const char *const *roots;
    const struct box_file *files;
    size_t file_count;
    const char *const *outputs; /* names in /w to hand out as descriptors, NULL-terminated */
    int64_t output_file_bytes_max;
    struct box_stream streams[3];
    /* Borrowed; a service finds them at 3, 4, ...: docs/how-to/run-a-service-in-the-box.md. */
    const int *service_fds;
    size_t service_fd_count;
    struct box_limits limits;
};

/* Why a run ended. */
enum box_end {
    BOX_END_NONE,
    BOX_END_EXIT,   /* exit_code */
    BOX_END_SIGNAL, /* signal, not by the box */
    BOX_END_CPU,
    BOX_END_WALL,
    BOX_END_MEMORY, /* the kernel's OOM counter of its cgroup rose, or the peak is over the limit */
    BOX_END_OUTPUT,
    BOX_END_KILLED, /* by box_kill */
    BOX_END_START,  /* the program could not be started: exit_code holds the errno */
};

/* What came out at outputs[i]. */
enum box_output_state {
    BOX_OUTPUT_FILE,
    BOX_OUTPUT_MISSING,
    BOX_OUTPUT_NOT_PLAIN,
    BOX_OUTPUT_TOO_LARGE
};

struct box_result {
    uint32_t run;
    enum box_end end;
    int32_t exit_code;
    int32_t signal;
    int64_t cpu_user_us;
    int64_t cpu_system_us;
    int64_t wall_us; /* monotonic, from the program's start to its exit, not to clean-up */
    int64_t memory_peak_bytes; /* of the whole tree, page cache of read files left out */
    int64_t
        pressure_us;  /* some thread was ready and had no processor; -1: the kernel does not say */
    int64_t steal_us; /* taken by the host of a virtual machine meanwhile, of all processors; by 10
                         ms */
    int64_t stream_bytes[3];    /* written to fd 1 and fd 2, beyond bytes_max too */
    int32_t leftover_processes; /* alive when the program ended */
    int32_t end_order; /* 1 for the run of the slot's present job that ended first, 2, ... */
    int stream_fds[3]; /* captures: owned, offset 0, else -1 */
    int output_fds[BOX_FILES_MAX]; /* owned, read-only, or -1 */
    enum box_output_state output_states[BOX_FILES_MAX];
};

/* Closes every descriptor in it. Accepts NULL and a zeroed result of no run. */
void box_result_done(struct box_result *result);
void box_result_init(struct box_result *result);
#define own_box_result __attribute__((cleanup(box_result_done))) struct box_result

struct box_options {
    const char *program;     /* path of assize-box; NULL: beside this program */
    const char *cgroup_name; /* parent cgroup that holds all slots, a plain name; NULL: "assize" */
    int32_t slots;           /* 1..BOX_SLOTS_MAX */
    int32_t launcher_runs;   /* a slot's launcher is made anew after so many; 0: 1000 */
    /* Of all slots together; whoever is ended by these is a system error. 0: none. */
    int64_t memory_bytes; /* 0: only what each run has */
    int64_t pids_max;     /* 0: only what each run has */
    /* Against 100 of a neighbour, 1..10000. 0: 50, none under cgroup version 1. */
    int32_t cpu_weight;
    /* A processor for each slot, of each core only one with idle_siblings; or a refusal. */
    bool pin;
    bool idle_siblings;
    const char *const
        *allowed_roots; /* beyond the built-in list (/usr /lib ...); NULL-terminated or NULL */
};

/* Starts assize-box as a child with the rights this process has now, and waits until it has proved
 * that the kernel gives what the contract needs. The caller may drop its own rights afterwards.
 *
 * Errors: ERR_SYSTEM "box_unavailable": the text names what is missing and how to get it. */
checked bool box_open(const struct box_options *options, struct box **ret_box, struct err *err);
void box_close(struct box *box); /* ends every run, waits for the child; accepts NULL */
OWN_DEFINE(box, box_close)

/* Opens slot 0 <= slot < slots: empty namespaces and cgroups, proved clean.
 * Errors: ERR_SYSTEM, FAULT_NODE. */
checked bool box_slot_open(struct box *box, int slot, struct err *err);
checked bool box_slot_close(struct box *box, int slot, struct err *err);

/* Starts one run and returns its number, unique in this box. Descriptors in the spec are borrowed
 * for the call. Errors: ERR_INVALID what the spec asks is refused; ERR_SYSTEM with FAULT_NODE. */
checked bool box_start(struct box *box, int slot, const struct box_run_spec *spec,
                       uint32_t *ret_run, struct err *err);

/* Waits for the next ended run of the slot. ERR_DEADLINE after timeout_ms (negative: no limit).
 * ERR_SYSTEM with FAULT_NODE when the box failed: the run's outcome is unknown, blame nobody. */
checked bool box_wait(struct box *box, int slot, int64_t timeout_ms, struct box_result *ret_result,
                      struct err *err);

/* Ends a run; its result still arrives by box_wait: BOX_END_KILLED unless it had ended already. */
checked bool box_kill(struct box *box, int slot, uint32_t run, struct err *err);

/* box_start and box_wait for one run. */
checked bool box_run(struct box *box, int slot, const struct box_run_spec *spec,
                     struct box_result *ret_result, struct err *err);

#endif
