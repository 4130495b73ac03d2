#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "base/arena.h"
#include "base/err.h"
#include "box/box.h"
#include "domain/judgement.h"
#include "domain/manifest.h"
#include "language/language.h"

/* Judges one submission: compile, run each case, check, sum up. `assize run` and a node call the
 * same functions. Everything that is not ours runs in the box. One judge serves all slots of a
 * process; each slot judges in its own thread. */

struct judge;

/* Where statements of SQL run. An own MariaDB for each slot, in the box's slot `first_slot` + slot,
 * or the server that `server` names (its user not NULL): see docs/how-to/judge-sql.md. */
struct judge_sql_server {
    const char *socket; /* path; NULL: by host and port */
    const char *host;
    unsigned port;
    const char *user;
    const char *password;
    const char *schema; /* NULL */
};

struct judge_sql {
    int first_slot;
    const char *node;           /* its name, for the names of schemas and users */
    const char *sqlite_program; /* NULL: assize-sqlite beside this program */
    struct judge_sql_server server;
};

/* The most that this machine gives, whatever a problem allows. 0: no such limit. A problem or
 * language that needs more is refused with FAULT_NODE "node_limit"; compiling is cut down to it. */
struct judge_caps {
    int64_t compile_ms; /* CPU time */
    int64_t compile_memory_kib;
    int64_t run_ms; /* a case's time limit */
    int64_t run_memory_kib;
    int64_t scratch_bytes; /* the work folder of one run */
    int32_t processes;     /* of one run; a compiler that lacks either would blame the source */
};

struct judge_options {
    struct box *box;                      /* borrowed */
    const struct language_set *languages; /* borrowed */
    const char *cache_folder;    /* compiled checkers, by digest; NULL: kept in memory files only */
    int32_t second_runs_max;     /* in one judging; 0: none, see below */
    int64_t compile_cache_bytes; /* of submissions kept compiled in memory; 0: none */
    struct judge_caps caps;
    const struct judge_sql *sql; /* copied, its texts borrowed; NULL: no SQL but SQLite's */
};

/* A run over its time limit may be the machine's fault. One that ended by itself before the box
 * killed it, or that took far more wall time than CPU time, is run once more while the other slots
 * of this judge start nothing; the one that kept the limit counts, else the one with less CPU time.
 * Both are recorded. A program that was idle twice is not believed to be unlucky: its further idle
 * runs are not repeated. Source: docs/decisions/0011-second-run.md */
#define JUDGE_SECOND_RUNS_DEFAULT 3

struct judge *judge_create(const struct judge_options *options);
void judge_free(struct judge *judge); /* accepts NULL */
OWN_DEFINE(judge, judge_free)

/* Opens a file of the manifest for reading. The descriptor is the caller's to close.
 * Errors: ERR_SYSTEM with the fault set: FAULT_NODE (disk, network) or FAULT_PROBLEM (data
 * missing). */
typedef bool judge_open_blob_fn(void *context, const struct blob_ref *blob, int *ret_fd,
                                struct err *err);

struct judge_progress {
    enum judge_stage stage;
    int32_t case_index; /* the case that is running, 0-based */
    int32_t cases_total;
    const struct case_result *finished; /* the case that just ended, or NULL */
};
/* Called in the judging thread; false asks the judging to stop (revoked, cancelled, shutting down).
 */
typedef bool judge_progress_fn(void *context, const struct judge_progress *progress);

struct judge_source {
    struct str name; /* plain file name */
    struct str text;
};

struct judge_request {
    int slot;
    const struct manifest *manifest;
    const struct language *language;
    const struct judge_source *sources; /* several files are one submission */
    size_t source_count;
    bool all_cases; /* also go on after the first rejected case */
    int64_t job; /* with the lease epoch part of the names of a job's schema and users; may be 0 */
    int64_t lease_epoch;
    judge_open_blob_fn *open_blob;
    judge_progress_fn *progress; /* may be NULL */
    void *context;               /* for both */
};

/* Texts of *ret_judgement live in `arena`.
 *
 * Returns: true with a verdict, which may be anything but SYSTEM_ERROR. A compile error, a time-out
 * and a wrong answer are results. Errors:  ERR_SYSTEM with fault FAULT_NODE or FAULT_PROBLEM
 * (checker crashed, hung, lied; data missing); ERR_CANCELLED when `progress` said stop. Never blame
 * the submission for these. */
checked bool judge_submission(struct judge *judge, const struct judge_request *request,
                              struct arena *arena, struct judgement *ret_judgement,
                              struct err *err);

/* Runs the language's version command and its hello program on `slot`: proves that this machine can
 * judge it. The version's first line is returned in `arena`. Errors: ERR_MISSING
 * "language_unavailable" with the package hint when the toolchain is not installed. */
checked bool judge_prove_language(struct judge *judge, int slot, const struct language *language,
                                  struct arena *arena, struct str *ret_version, struct err *err);

/* Prepares on `slot` what only makes the language faster: compiled headers and the like. Compiling
 * goes on without it meanwhile. Errors: ERR_SYSTEM; ERR_CANCELLED when `progress` said stop. */
checked bool judge_warm_language(struct judge *judge, int slot, const struct language *language,
                                 judge_progress_fn *progress, void *context, struct err *err);

/* Whether the language's statements run on a server that judge_sql names. */
bool judge_sql_is_configured(const struct judge *judge, const struct language *language);

/* Ends what waits in `slot` for its next job: a database of SQL. Between jobs of the slot only. */
void judge_rest(struct judge *judge, int slot);

/* Keeps a started compiler of the language waiting in `slot`, for one submission each, until
 * `progress` says stop; only a language with a `standby` command has one. Errors: ERR_MISSING it
 * has none; ERR_CANCELLED the usual end; ERR_SYSTEM it does not start, or ended by itself. */
checked bool judge_keep_standby(struct judge *judge, int slot, const struct language *language,
                                judge_progress_fn *progress, void *context, struct err *err);

/* Compiles the manifest's checker on `slot` unless it is compiled already.
 * Errors: FAULT_PROBLEM with the compiler's log in the text. */
checked bool judge_prepare_checker(struct judge *judge, int slot,
                                   const struct judge_request *request, struct err *err);

#endif
