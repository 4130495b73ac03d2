#ifndef BOX_SUPERVISOR_H
#define BOX_SUPERVISOR_H

#include "box/cgroup.h"
#include "box/launch.h"
#include <sys/stat.h>

/* assize-box itself: one thread, one epoll, no signal handlers. It never opens a path inside a
 * run's tree, and blocks for nothing but the few milliseconds that a dying launcher takes. */

#define SLOT_LAUNCHERS_MAX 4
#define SETUP_NS_MAX 10000000000 /* a start or an end that takes longer has gone wrong */

/* What an event is about, packed into epoll's 64 bits. */
enum source {
    SOURCE_CLIENT,
    SOURCE_LAUNCHER,
    SOURCE_PIPE,
    SOURCE_RUN_CONTROL,
    SOURCE_RUN_DEAD,
    SOURCE_RUN_OOM,
    SOURCE_RUN_STREAM,
};

/* One of fd 1 and fd 2 of a run: counted, and kept up to bytes_max. */
struct stream {
    int from; /* the reading end of its pipe, or -1 */
    int kept; /* memory file, or -1 while nothing was written */
    bool keep;
    bool lost; /* keeping failed */
    int64_t bytes, bytes_max;
};

/* A pipe between two runs of a slot. Without a maximum, writer and reader share one kernel pipe;
 * with one, the supervisor stands between (`from`) and counts. */
struct slot_pipe {
    int from;
    int read_fd;  /* for the reader, until it is taken */
    int write_fd; /* for the writer until it is taken, or of the supervisor */
    bool open, writer_taken, reader_taken;
    int64_t bytes, bytes_max;
    int64_t ended_ns; /* when it was relayed to its end; INT64_MAX: not yet */
};

struct kept_file { /* at one place of a launcher's store; zeroed: nothing */
    dev_t device;  /* of the memory file that it is a copy of */
    ino_t inode;
    off_t bytes;
    struct timespec changed;
    int64_t executable;
};

struct launcher_handle {
    bool used, ready;
    bool broken; /* no further runs */
    int socket, pidfd;
    pid_t pid;
    uint32_t runs; /* so far */
    int live;      /* now */
    struct kept_file kept[LAUNCH_KEPT_MAX];
    uint32_t kept_next; /* the place that is used again next */
    uint32_t root_count;
    char roots[BOX_ROOTS_MAX][MESSAGE_ROOT_BYTES_MAX];
};

enum run_phase {
    RUN_FREE,
    RUN_WAITS, /* for its launcher */
    RUN_SENT,  /* the order is on its way */
    RUN_LIVE,  /* its pidfd is known */
};

struct run {
    enum run_phase phase;
    uint32_t number;
    bool service;
    bool failed;          /* run-init could not start the program */
    bool exited;          /* `report` holds what run-init said at the program's end */
    bool ended;           /* and what it found afterwards */
    bool held;            /* it is dead, but not yet in the order of ends */
    enum box_end decided; /* by the box; BOX_END_NONE while it goes on */
    int launcher;         /* index in the slot */
    int control, pidfd;
    struct launch_order *order; /* while it waits */
    int order_fds[LAUNCH_FDS_MAX];
    size_t order_fd_count;
    struct cgroup_leaf leaf;
    struct stream streams[3];
    int pipe_of[3]; /* the slot's pipe at each stream, or -1 */
    struct box_limits limits;
    uint32_t output_count;
    int64_t output_file_bytes_max;
    int64_t stuck_ns; /* when to give up waiting for our own processes; 0: not waiting */
    int64_t start_ns, decided_ns; /* of the program; 0: not yet */
    int64_t decided_cpu_us;       /* of BOX_END_CPU */
    int64_t next_cpu_ns;          /* when the CPU limit could be passed at the earliest */
    struct launch_report report;
    int output_fds[BOX_FILES_MAX];
    size_t output_fd_count;
    int32_t end_order;
};

enum slot_state { SLOT_CLOSED, SLOT_OPEN, SLOT_CLOSING };

struct slot {
    struct supervisor *box;
    enum slot_state state;
    int number;
    uint32_t closing_sequence;
    uid_t uid_base; /* user 0 inside; the program's is the next one */
    struct cgroup_slot cgroup;
    struct launcher_handle launchers[SLOT_LAUNCHERS_MAX];
    struct run runs[BOX_RUNS_MAX];
    struct slot_pipe pipes[BOX_PIPES_MAX];
    int32_t ended_in_job;
};

struct supervisor {
    int client;
    int epoll;
    int empty; /* a sealed memory file of no bytes, for captures of nothing */
    int cpu_count;
    bool client_gone;
    uint32_t next_run;
    struct box_setup setup;
    struct cgroups groups;
    struct slot slots[BOX_SLOTS_MAX];
    struct box_request request; /* as it arrives */
};

/* supervisor.c */
checked bool supervisor_watch(struct supervisor *box, int fd, uint32_t events, uint64_t source,
                              struct err *err);
uint64_t supervisor_source(enum source source, int slot, int index, int part);
void supervisor_answer(struct supervisor *box, struct box_answer *answer, const int *fds,
                       size_t fd_count);
void supervisor_step(struct supervisor *box);  /* waits for the next events and handles them */
void supervisor_serve(struct supervisor *box); /* until the client closes its end */

/* slot.c */
checked bool slot_open(struct supervisor *box, int number, struct err *err);
/* Ends every run; the answer with `sequence` goes out when the slot is proved empty. */
void slot_close_begin(struct supervisor *box, struct slot *slot, uint32_t sequence);
void slot_close_continue(struct supervisor *box, struct slot *slot);
bool slot_is_idle(const struct slot *slot); /* services aside */
/* A launcher with these roots, made if need be; its index, or -1 with *err filled. */
int slot_launcher(struct supervisor *box, struct slot *slot, const struct message_start *start,
                  struct err *err);
void slot_launcher_event(struct supervisor *box, struct slot *slot, int index);
/* One run less; ends a launcher that is worn out or broken. */
void slot_launcher_left(struct slot *slot, int index);
void slot_launcher_end(struct slot *slot, int index);
/* Every run that depends on the launcher fails with it. */
void slot_launcher_failed(struct supervisor *box, struct slot *slot, int index,
                          const struct err *err);

/* run.c */
checked bool run_start(struct supervisor *box, struct slot *slot, const struct message_start *start,
                       int *fds, uint32_t *ret_number, struct err *err);
void run_send_order(struct supervisor *box, struct slot *slot, int index);
void run_cloned(struct supervisor *box, struct slot *slot, uint32_t index, int pidfd);
/* Ends the run for a reason, unless it has ended or another reason came first. */
void run_decide(struct run *run, enum box_end end);
/* Decides if a limit is passed; returns when to look again. */
int64_t run_tick(struct supervisor *box, struct slot *slot, int index, int64_t now_ns);
void run_stream_event(struct run *run, int number);
void run_pipe_event(struct slot *slot, int number);
void run_release(struct slot *slot, int index); /* gives back everything that a run holds */

/* run_end.c */
/* Reads what the run-inits of a slot have said, and numbers the ends by their time. */
void run_collect(struct slot *slot);
void run_dead_event(struct supervisor *box, struct slot *slot, int index);
/* The run's system failed: it is answered with the error, and blamed on nobody. */
void run_fail(struct supervisor *box, struct slot *slot, int index, const struct err *err);

/* stream.c */
/* A descriptor that is safe to be a program's fd 0: see box.h, BOX_STREAM_FD. */
checked bool stream_input(int fd, int *ret_fd, struct err *err);
/* A pipe that belongs to the program's user, so that it can open /dev/stdout by name. */
checked bool stream_pipe(uid_t owner, int *ret_ends, struct err *err);
checked bool stream_open(struct stream *stream, uid_t owner, int *ret_program_end, struct err *err);
bool stream_drain(struct stream *stream); /* takes what is there; false: over the maximum */
void stream_close(struct stream *stream);
/* The kept bytes as a sealed descriptor at offset 0, which the caller owns; -1 when that fails. */
int stream_take(struct supervisor *box, struct stream *stream);

/* kept.c */
/* Decides which of an order's files come from the launcher's store and which are put there. Orders
 * must be sent in the order of these calls. */
void kept_choose(struct launcher_handle *launcher, struct launch_order *order, const int *file_fds);

/* pipe.c */
/* Of an idle slot: pipes whose wanted end is taken already belong to a job that is over. */
void pipe_forget(struct slot *slot, const struct message_start *start);
checked bool pipe_writer(struct slot *slot, const struct message_stream *stream,
                         int *ret_program_end, struct err *err);
checked bool pipe_reader(struct slot *slot, int number, int *ret_program_end, struct err *err);
bool pipe_relay(struct slot_pipe *pipe); /* moves what is there; false: over the maximum */
int64_t pipe_written(const struct slot_pipe *pipe); /* by its writer, with what still waits */
void pipe_close(struct slot_pipe *pipe);
bool pipe_is_half_open(const struct slot_pipe *pipe);

#endif
