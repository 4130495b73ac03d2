#ifndef DOMAIN_WAITING_H
#define DOMAIN_WAITING_H

#include "base/str.h"

/* Why a submission waits: nobody waits without a stated reason. */

enum waiting_code {
    WAITING_NONE,
    WAITING_QUEUED,     /* its turn comes: the place is known, or "more than" */
    WAITING_STARTING,   /* leased, but the node has reported nothing yet */
    WAITING_NO_NODE,    /* no node of the pool is enabled */
    WAITING_NO_RUNTIME, /* nodes of the pool, but none with this runtime spec */
    WAITING_DRAINING,   /* all enabled ones are going out of service */
    WAITING_OFFLINE,    /* all enabled ones have stopped answering */
    WAITING_BACKOFF,    /* it failed and will be tried again */
    WAITING_HELD,       /* until an operator lets it go */
    WAITING_PROBLEM,    /* until the problem's own checker or data is mended */
    WAITING_CODE_COUNT,
};

/* Nodes by what they could do for the job. */
struct waiting_nodes {
    int32_t ready;      /* of its queue: may claim */
    int32_t slots;      /* of these */
    int32_t draining;   /* of its queue */
    int32_t silent;     /* of its queue: enabled, but offline or with a failed self-test */
    int32_t other_spec; /* of its pool, enabled, with another runtime spec */
    bool queue_held;    /* its queue or pool is out of service */
};

struct waiting_facts {
    bool running; /* leased */
    bool held;
    bool by_problem; /* held since its problem has failed too often */
    int64_t due_ms;  /* 0: not delayed */
    struct waiting_nodes nodes;
};

enum waiting_code waiting_code_of(const struct waiting_facts *facts);
const char *waiting_code_name(enum waiting_code code); /* "queued"; WAITING_NONE: NULL */

/* Plain words into `out`, NUL-terminated. `place` 0: unknown; above places_max: "more than". */
struct waiting_words {
    enum waiting_code code;
    int64_t place;
    int64_t places_max;
    int64_t estimate_ms; /* until it is judged; 0: unknown */
    int64_t wait_ms;     /* until the back-off ends */
    struct str pool;
    struct str fault;  /* what went wrong before; may be empty */
    struct str detail; /* of who holds it: why; may be empty */
};
#define WAITING_TEXT_BYTES 256
void waiting_text(const struct waiting_words *words, char out[WAITING_TEXT_BYTES]);

#endif
