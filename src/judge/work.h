#ifndef JUDGE_WORK_H
#define JUDGE_WORK_H

#include "base/thread.h"
#include "data/digest.h"
#include "judge/fileset.h"
#include "judge/judge.h"
#include "judge/outcome.h"
#include "judge/quiet.h"

/* What the files of the judge module share. */

#define JUDGE_CHECKERS_MAX 128 /* kept compiled; more than there are slots */
#define JUDGE_VERSION_BYTES_MAX 256
#define JUDGE_WAIT_MS 200 /* how often a running judging asks whether it is still wanted */

/* A compiled program, or one that needs no compiling: what stands beside it in each run. */
struct program {
    const struct language *language;
    const char *entry; /* what "{entry}" becomes; in the files' arena */
    struct fileset files;
};

/* What is known of a language on this machine. */
struct toolchain {
    char version[JUDGE_VERSION_BYTES_MAX]; /* empty: unknown */
    char *prepared;                        /* folder, or NULL */
    int held_fd;                           /* with a folder: keeps it (prepared.h) */
    bool preparing;                        /* one slot is at it, others wait */
    bool looked;                           /* whether the folder is there */
};

enum checker_state { CHECKER_FREE, CHECKER_COMPILING, CHECKER_READY };

struct checker_entry {
    enum checker_state state;
    struct digest key;
    int32_t users;
    int64_t used_at; /* grows with each use: the oldest is thrown out */
    struct arena *arena;
    struct program program;
};

struct compile_cache;

enum standby_state { STANDBY_NONE, STANDBY_READY, STANDBY_BUSY };

/* The compiler that waits: judge/standby.h. Who has it BUSY owns everything but the state. */
struct standby {
    enum standby_state state;
    const struct language *language;
    int slot;
    uint32_t run;
    int link;             /* our end of its standard streams; -1: none */
    int64_t since_ms;     /* monotonic: when it was ready */
    int64_t start_cpu_us; /* what its start took */
    int64_t taken;        /* submissions that it compiled */
};

struct judge {
    struct box *box;
    const struct language_set *languages;
    char *cache_folder; /* NULL: none */
    int32_t second_runs_max;
    struct judge_caps caps;
    struct sql_pool *sql; /* judge/sql_server.h; NULL: no servers */
    struct quiet quiet;
    struct compile_cache *compiled; /* NULL: none; judge/compile_cache.h */
    struct mutex mutex;             /* guards what follows */
    struct cond changed;
    int sqlite_fd; /* the program that runs SQLite, once it was needed; else -1 */
    struct standby standby;
    int64_t uses;
    struct checker_entry checkers[JUDGE_CHECKERS_MAX];
    struct toolchain toolchains[LANGUAGES_MAX]; /* by place in the set */
};

/* One judging, in its slot and thread. */
struct work {
    struct judge *judge;
    int slot;
    struct arena *arena; /* texts of the judgement, and what lives as long as the judging */
    judge_open_blob_fn *open_blob;
    judge_progress_fn *progress; /* may be NULL */
    void *context;
    struct judge_progress now;
    bool quiet; /* the others of this judge are paused (judge/quiet.h) */
};

/* The place of a language of the set. */
size_t judge_place_of(const struct judge *judge, const struct language *language);
/* Reports work->now. ERR_CANCELLED when the judging is no longer wanted. */
checked bool work_report(struct work *work, struct err *err);
/* Can this case still change something? */
bool work_wants_case(const struct judge_request *request, const struct judgement *judgement,
                     int32_t index);
/* Opens a blob; the error's fault is set. */
checked bool work_open_blob(const struct work *work, const struct blob_ref *blob, int *ret_fd,
                            struct err *err);
/* Starts the run, waits for its end and asks meanwhile whether the judging is still wanted.
 * Errors: ERR_CANCELLED, after the run is dead; ERR_SYSTEM with FAULT_NODE. */
checked bool work_run(struct work *work, const struct box_run_spec *spec,
                      struct box_result *ret_result, struct err *err);
/* Ends a run, which may have ended by itself meanwhile; its result is still to be waited for. */
checked bool work_kill(const struct work *work, uint32_t run, struct err *err);
/* Marks an error of our own doing (memory, descriptors, the box) as the node's. Returns false. */
bool work_node_fault(struct err *err);

struct run_ask {
    const struct program *program;
    const struct fileset *files; /* the program's and others */
    struct str args;             /* behind the command, split at white space */
    struct run_limits limits;
};

/* The part of a run's spec that follows from these: command, files, environment, roots, profile,
 * limits. Streams are NULL streams, 2 is not kept. */
checked bool work_fill_run(const struct work *work, const struct run_ask *ask,
                           struct box_run_spec *ret_spec, struct err *err);
/* A file of the problem, or an open one, under `name` beside a run of the problem's programs. A
 * blob that does not exist is an empty file. */
checked bool work_add_blob(const struct work *work, struct fileset *files, const char *name,
                           const struct blob_ref *blob, struct err *err);
checked bool work_add_fd(const struct work *work, struct fileset *files, const char *name, int fd,
                         struct err *err);

/* Starts the run's command by a shell script that finds it as "$@". The run sees the system's
 * programs then. */
checked bool work_wrap_run(const struct work *work, const char *script, struct box_run_spec *spec,
                           struct err *err);

#endif
