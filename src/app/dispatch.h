#ifndef APP_DISPATCH_H
#define APP_DISPATCH_H

#include "app/app.h"
#include "app/judger.h"
#include "app/writer.h"
#include "domain/actor.h"
#include "domain/judgement.h"
#include "domain/lease.h"

/* What nodes ask for (DESIGN sections 5 and 6), HTTP left out. The actor is the node of the
 * credential. All are write items: set the inputs, call the function, look at ok and the outputs in
 * `done`. Errors common to all: ERR_CONFLICT "session_superseded"; ERR_DENIED "not_allowed" for a
 * disabled node. */

#define CREDENTIAL_BYTES 48

/* Finds the node of a credential. ERR_UNAUTHENTICATED "bad_credential". Cached by digest. */
checked bool dispatch_authenticate(struct app *app, struct str credential, struct actor *ret_actor,
                                   struct err *err);

struct join_request {
    struct write_item item;
    struct str join_code;
    int32_t protocol_version;
    struct str name; /* what the node calls itself; informative */
    struct str version;
    /* out */
    struct node_id node;
    char credential[CREDENTIAL_BYTES];
};
/* Errors: ERR_UNAUTHENTICATED "bad_join_code" (unknown, used or expired: one answer for all). */
void dispatch_join(struct app *app, struct join_request *request);

struct session_request {
    struct write_item item;
    struct actor actor;
    int32_t protocol; /* below 2: the node tests itself before, and is believed */
    struct str version;
    int32_t slots;
    const struct node_language *languages;
    int language_count;
    bool self_test_passed;
    struct str self_test_detail;
    struct str config_digest;
    /* out */
    int64_t session_epoch;
    int64_t check; /* the self-test to run before it gets work; 0: none */
};
/* Ends the leases of the node's earlier session at once: their jobs go back without losing an
 * attempt's explanation. */
void dispatch_session(struct app *app, struct session_request *request);

struct heartbeat_request {
    struct write_item item;
    struct actor actor;
    int64_t session_epoch;
    int32_t busy_slots;
    int64_t load_permille;
    /* out */
    int config; /* enum node_config */
    int32_t slots;
    int64_t check; /* the self-test to run; 0: none */
};
void dispatch_heartbeat(struct app *app, struct heartbeat_request *request);

struct claimed_job {
    struct job_id job;
    struct submission_id submission;
    int32_t generation;
    struct str pool;
    struct str runtime_spec;
    struct lease_ref lease;
    int64_t lease_remaining_ms;
    char manifest_id[65];
    struct str language;
    char source_digest[65];
    int64_t source_bytes;
    int64_t time_limit_ms;
    int64_t memory_limit_kib;
    int64_t output_limit_kib;
    int64_t job_total_ms;
    struct str trace_id;
};

struct claim_request {
    struct write_item item;
    struct actor actor;
    int64_t session_epoch;
    uint64_t claim_id; /* the same again returns the same leases */
    int32_t free_slots;
    int64_t
        wait_ms; /* parked at most this long when nothing is ready; bounded by CLAIM_WAIT_MS_MAX */
    struct arena *arena; /* for the texts of the jobs */
    /* out */
    struct claimed_job *jobs;
    int job_count;
    /* app's */
    struct queue_id queue;
    uint64_t wakes_seen; /* of the queue, before it was looked at */
    uint64_t looks_seen;
    bool was_unable;
    bool unable; /* at the last look its node had no room or no leave: jobs do not wake it */
    int64_t deadline_mono_ms;
    bool parked;
    bool cancelled;
    struct claim_request *parked_next;
};
void dispatch_claim(struct app *app, struct claim_request *request);
/* The client of a parked claim hung up: `done` comes soon, with no jobs. */
void dispatch_claim_cancel(struct app *app, struct claim_request *request);

struct renew_item {
    struct lease_ref lease;
    enum renew_answer answer;
    int64_t remaining_ms;
};
struct renew_request {
    struct write_item item;
    struct actor actor;
    int64_t session_epoch;
    struct renew_item *items;
    int count;
};
void dispatch_renew(struct app *app, struct renew_request *request);

struct progress_item {
    struct lease_ref lease;
    int64_t sequence; /* grows; an older one is dropped */
    enum judge_stage stage;
    int32_t case_index;
    int32_t cases_total;
    const struct case_result *finished; /* since the last report */
    int finished_count;
};
/* Never a durable commit: kept in memory, shown to watchers. ERR_CONFLICT when the lease is not the
 * node's. */
checked bool dispatch_progress(struct app *app, const struct actor *actor, int64_t session_epoch,
                               const struct progress_item *items, int count, struct err *err);

struct settle_work;
struct settle_request {
    struct write_item item;
    struct actor actor;
    int64_t session_epoch;
    struct lease_ref lease;
    uint8_t digest[32];                /* SHA-256 of `result` */
    struct str result;                 /* the result's bytes as sent, kept as they are */
    const struct judgement *judgement; /* parsed from them */
    /* out */
    bool already;             /* the same lease and digest had been settled before */
    bool recorded;            /* the refusal stands in the node's events */
    struct settle_work *work; /* app's */
};
/* Errors: ERR_CONFLICT "lease_superseded", "lease_expired", "job_superseded", "digest_conflict"
 * (another result was settled, or the digest is not the bytes'); ERR_MISSING "no_job"; ERR_INVALID
 * "bad_field": cases missing, extra or unnamed, or a verdict that does not follow from them. */
void dispatch_settle(struct app *app, struct settle_request *request);

struct failure_request {
    struct write_item item;
    struct actor actor;
    int64_t session_epoch;
    struct lease_ref lease;
    enum fault fault;
    struct str code;
    struct str detail; /* for operators, bounded */
    /* out */
    bool failed;   /* attempts ran out: SYSTEM_ERROR is shown; else it will be tried again */
    bool recorded; /* the refusal stands in the node's events */
};
void dispatch_failure(struct app *app, struct failure_request *request);

struct release_request {
    struct write_item item;
    struct actor actor;
    int64_t session_epoch;
    const struct lease_ref *leases;
    int count;
    /* out */
    int released;
};
void dispatch_release(struct app *app, struct release_request *request);

struct artifact_request {
    struct actor actor;
    int64_t session_epoch;
    struct lease_ref lease;
    uint8_t sha256[32];
};
/* Opens a file that the lease's manifest lists, the manifest itself or the source. Only for a live
 * lease. Errors: ERR_CONFLICT as dispatch_settle, ERR_MISSING "no_job", "no_artifact". */
checked bool dispatch_artifact_open(struct app *app, const struct artifact_request *request,
                                    int *ret_fd, int64_t *ret_bytes, struct err *err);

/* What a node tried and may not, for its events: "claim.refused". Written soon, by itself; at most
 * REFUSALS_WAITING_MAX wait, so that a broken node cannot hold up the others. */
struct refused_call {
    struct node_id node;
    struct job_id job; /* 0: none */
    const char *event; /* static storage */
    const struct err *reason;
};
#define REFUSALS_WAITING_MAX 64
void dispatch_note_refusal(struct app *app, const struct refused_call *refused);

#endif
