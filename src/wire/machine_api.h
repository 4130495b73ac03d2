#ifndef WIRE_MACHINE_API_H
#define WIRE_MACHINE_API_H

#include "base/arena.h"
#include "base/limits.h"
#include "data/digest.h"
#include "domain/ids.h"
#include "domain/judgement.h"
#include "wire/machine_check.h"

/* What a node says to a server and hears back. `struct machine_api` is the only way from a node to
 * a server: over HTTP in production, a direct call in the simulator. The JSON of each message is in
 * wire/machine_json.h, the contract in docs/api/paths/machine.yaml.
 *
 * Texts of answers live in the arena that was given; texts of requests are borrowed for the call.
 */

/* A server speaks this version and the one before it. */
#define MACHINE_PROTOCOL 2 /* 2: self-tests that the server asks for */
#define MACHINE_PROTOCOL_MIN 1

#define MACHINE_VERSION_BYTES_MAX 64 /* of a program: "0.1.0" */
#define MACHINE_JOIN_CODE_BYTES_MAX 128
#define MACHINE_CREDENTIAL_BYTES_MAX 256
#define MACHINE_LANGUAGE_VERSION_BYTES_MAX 128
#define MACHINE_SELF_TEST_BYTES_MAX 4096
#define MACHINE_REASON_BYTES_MAX 512
#define MACHINE_CODE_BYTES_MAX 64
#define MACHINE_DETAIL_BYTES_MAX 1024
#define MACHINE_SPEC_BYTES_MAX 64 /* a runtime spec: "cpp-r3" */
#define MACHINE_POOL_BYTES_MAX 32
#define MACHINE_TRACE_BYTES_MAX 63
#define MACHINE_DURATION_MS_MAX (INT64_C(7) * 24 * 3600 * 1000)

struct machine_join {
    struct str join_code;
    int32_t protocol;
    struct str name; /* at most NODE_NAME_BYTES_MAX */
    struct str version;
};
struct machine_join_answer {
    struct node_id node;
    struct str credential; /* a secret: file mode 0600, never logged */
    int32_t protocol;
    int64_t server_ms; /* UTC, to notice a wrong clock; no decision uses it */
};

struct machine_language {
    struct str id;
    struct str version;
};
struct machine_session {
    int32_t protocol;
    struct str version;
    const struct machine_language *languages; /* proved on this node, at most LANGUAGES_MAX */
    int32_t language_count;
    int32_t slots;
    bool self_test_passed;
    struct str self_test_detail;
    struct digest config; /* of what decides verdicts here: box, languages, their versions */
};
struct machine_session_answer {
    int64_t session_epoch;
    int64_t lease_ms;
    int64_t renew_ms;
    int64_t heartbeat_ms;
    int32_t protocol;
    int64_t check; /* the self-test to run before anything is judged here; 0: none */
};

/* In the order of enum node_config of app/judger.h. */
enum machine_config {
    MACHINE_PENDING = 1,
    MACHINE_ENABLED,
    MACHINE_DRAINING,
    MACHINE_DISABLED,
    MACHINE_CONFIG_COUNT,
};
struct machine_heartbeat {
    int64_t session_epoch;
    int32_t busy_slots;
    int64_t load_permille; /* load average of the last minute, times 1000 */
};
struct machine_heartbeat_answer {
    int64_t session_epoch;
    enum machine_config config;
    int32_t slots;
    int64_t check; /* the self-test to run now; 0: none */
};

/* The right to judge one job, as the claim gave it. */
struct machine_lease {
    struct job_id job;
    int64_t epoch;
    uint64_t token;
};

struct machine_claim {
    int64_t session_epoch;
    uint64_t claim_id; /* random; the same again is answered with the same leases */
    int32_t free_slots;
    int64_t wait_ms; /* at most CLAIM_WAIT_MS_MAX */
};
enum machine_subject { /* of a job, DESIGN section 1 */
                       MACHINE_ALGO = 1,
                       MACHINE_SQL,
                       MACHINE_CHECK,
                       MACHINE_RUN,
                       MACHINE_WARM,
                       MACHINE_SUBJECT_COUNT,
};
struct machine_job {
    enum machine_subject subject;
    struct submission_id submission;
    int32_t generation;
    struct str pool;
    struct str runtime_spec;
    struct machine_lease lease;
    int64_t lease_remaining_ms; /* when the server answered */
    struct digest manifest;     /* an artifact */
    struct str language;
    struct digest source; /* an artifact */
    int64_t source_bytes;
    /* For people and logs; what is judged by stands in the manifest. */
    int64_t time_limit_ms;
    int64_t memory_limit_kib; /* whole MiB on the wire, rounded up */
    int64_t output_limit_kib;
    int64_t job_total_ms;
    struct str trace_id;
};
struct machine_claim_answer {
    struct machine_job *jobs; /* none after the wait */
    int32_t job_count;
};

struct machine_renew {
    int64_t session_epoch;
    const struct machine_lease *leases; /* 1 to RENEW_JOBS_MAX */
    int32_t lease_count;
};
/* In the order of enum renew_answer of app/dispatch.h. */
enum machine_renewal { MACHINE_GO = 1, MACHINE_STOP, MACHINE_CONFLICT, MACHINE_RENEWAL_COUNT };
struct machine_renewed {
    struct job_id job;
    enum machine_renewal answer;
    int64_t lease_remaining_ms;
};
struct machine_renew_answer {
    struct machine_renewed *leases; /* in any order; a job that is not in it is a CONFLICT */
    int32_t lease_count;
};

struct machine_progress_item {
    struct machine_lease lease;
    int64_t sequence; /* from 1, grows with each report of the lease */
    enum judge_stage stage;
    int32_t case_index; /* running case from 0, or -1 */
    int32_t cases_total;
    const struct case_result *cases; /* judged since the last report; scores are not sent */
    int32_t case_count;
};
struct machine_progress {
    int64_t session_epoch;
    const struct machine_progress_item *items; /* 1 to RENEW_JOBS_MAX */
    int32_t item_count;
};

/* `text` is kept and sent again as it is, byte for byte: the digest is of these bytes. */
struct machine_result {
    int64_t session_epoch;
    struct machine_lease lease;
    struct digest digest; /* SHA-256 of text */
    struct str text;      /* what judgement_encode wrote */
};
struct machine_result_answer {
    bool already; /* the same lease and digest had been settled before: fine */
};

struct machine_failure {
    int64_t session_epoch;
    struct machine_lease lease;
    enum fault fault;  /* not FAULT_NONE */
    struct str code;   /* stable: "box_failed" */
    struct str detail; /* for operators */
};
struct machine_failure_answer {
    bool failed; /* attempts ran out; else it was put back */
};

struct machine_release {
    int64_t session_epoch;
    const struct machine_lease *leases; /* 1 to RENEW_JOBS_MAX */
    int32_t lease_count;
    struct str reason;
};
struct machine_release_answer {
    int32_t released;
};

struct machine_artifact {
    int64_t session_epoch;
    struct machine_lease lease;
    struct digest digest;
    int64_t bytes_max; /* more is ERR_TOO_LARGE */
};

/* Each call blocks for a bounded time. Errors of the server come back with its kind and code:
 *
 * Errors: ERR_UNAUTHENTICATED "bad_credential"; ERR_DENIED "not_allowed"; ERR_CONFLICT
 *         "session_superseded", "check_over", and of a lease "lease_superseded", "lease_expired",
 *         "job_superseded", "digest_conflict"; ERR_BUSY, ERR_LIMITED, ERR_DEADLINE and ERR_SYSTEM
 *         (no connection): try again later; ERR_INVALID "bad_answer" when the server's words make
 *         no sense; ERR_CANCELLED when this process is stopping. */
struct machine_api {
    void *context;
    checked bool (*join)(void *context, const struct machine_join *request, struct arena *arena,
                         struct machine_join_answer *ret_answer, struct err *err);
    checked bool (*session)(void *context, const struct machine_session *request,
                            struct machine_session_answer *ret_answer, struct err *err);
    checked bool (*heartbeat)(void *context, const struct machine_heartbeat *request,
                              struct machine_heartbeat_answer *ret_answer, struct err *err);
    checked bool (*claim)(void *context, const struct machine_claim *request, struct arena *arena,
                          struct machine_claim_answer *ret_answer, struct err *err);
    checked bool (*renew)(void *context, const struct machine_renew *request, struct arena *arena,
                          struct machine_renew_answer *ret_answer, struct err *err);
    checked bool (*progress)(void *context, const struct machine_progress *request,
                             struct err *err);
    checked bool (*result)(void *context, const struct machine_result *request,
                           struct machine_result_answer *ret_answer, struct err *err);
    checked bool (*failure)(void *context, const struct machine_failure *request,
                            struct machine_failure_answer *ret_answer, struct err *err);
    checked bool (*release)(void *context, const struct machine_release *request,
                            struct machine_release_answer *ret_answer, struct err *err);
    checked bool (*check_result)(void *context, const struct machine_check_result *request,
                                 struct err *err);
    checked bool (*out_of_service)(void *context, const struct machine_out *request,
                                   struct err *err);
    /* Writes the bytes into `fd` from its offset on. The caller checks digest and length. */
    checked bool (*artifact)(void *context, const struct machine_artifact *request, int fd,
                             int64_t *ret_bytes, struct err *err);
};

#endif
