#ifndef NODE_NODE_H
#define NODE_NODE_H

#include "base/clock.h"
#include "base/random.h"
#include "judge/judge.h"
#include "wire/machine_api.h"

/* One judge process of one pool. It dials out to the server, asks for jobs as slots come free,
 * judges each in a thread of its own, and sends the result. Who does what: the claimer (the calling
 * thread) fills the board, slot threads judge, the keeper renews leases, beats and reports
 * progress.
 *
 * Invariants: (1) a result's bytes are made once and sent again unchanged until the server has
 * answered; (2) a job whose lease may have run out is stopped before its end, by the monotonic
 * clock with a margin; (3) the server being away for less than a lease loses nothing: renewals and
 * results are tried until the lease ends. */

/* A connection of one thread; `abort` breaks off its running call from any thread. */
struct node_link {
    const struct machine_api *api;
    void (*abort)(void *context);
    void *context;
};

struct node_health; /* health.h */

struct node_options {
    const char *name;
    const char *pool;
    int slots;
    const char *limits;  /* of this machine, for the digest of its settings; NULL or "": none */
    bool warm;           /* prepare in the box's slot behind the last what makes languages faster */
    struct judge *judge; /* borrowed */
    const struct language_set *languages; /* borrowed */
    const char *workspace;                /* for the artifact cache */
    int64_t cache_bytes_max;
    int64_t claim_wait_ms;
    int64_t drain_ms;              /* how long running jobs may take when the node stops */
    const struct node_link *links; /* claimer, keeper, one a slot, and one more */
    const struct clock *clock;
    const struct random *random;
    struct node_health *health; /* borrowed; NULL: no health address */
    int stop_fd;                /* readable: stop in good order */
};

/* A certificate that does not hold at the start is told at once; later on it may be renewed, and
 * the node waits as for a server that is away. */
bool node_error_is_untrusted(const struct err *err);

/* Runs until stop_fd is readable, or until the server has no place for this node.
 *
 * Returns: true after an orderly stop: every job was settled or handed back.
 * Errors:  ERR_UNAUTHENTICATED "bad_credential"; ERR_CONFLICT "session_superseded": another process
 *          uses this node's credential; ERR_SYSTEM "no_language": nothing of the pool can run here.
 */
checked bool node_run(const struct node_options *options, struct err *err);

struct enrol_options {
    const struct machine_api *api;
    const char *file;
    const char *join_code; /* "" for none */
    const char *name;
};
/* Reads the node's credential from `file`, or trades the join code for one and stores it there,
 * mode 0600. Errors: ERR_MISSING "not_joined" when there is neither a credential nor a code. */
checked bool node_enrol(const struct enrol_options *options, struct arena *arena,
                        struct str *ret_credential, struct err *err);

#endif
