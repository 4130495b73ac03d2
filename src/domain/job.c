/* The job's states as a table. An empty cell means refusal. */
#include "domain/job.h"
#include "base/check.h"

/* S8: no row leads out of a closed state. */
/* clang-format off */
static const enum job_state next_state[JOB_STATE_COUNT][JOB_EVENT_COUNT] = {
    [JOB_QUEUED][JOB_CLAIM]    = JOB_RUNNING,
    [JOB_QUEUED][JOB_CANCEL]   = JOB_CANCELLED,
    [JOB_RUNNING][JOB_SETTLE]  = JOB_COMPLETED,
    [JOB_RUNNING][JOB_EXPIRE]  = JOB_QUEUED,
    [JOB_RUNNING][JOB_RELEASE] = JOB_QUEUED,
    [JOB_RUNNING][JOB_GIVE_UP] = JOB_FAILED,
    [JOB_RUNNING][JOB_CANCEL]  = JOB_CANCELLED,
};

static const int32_t attempts_change[JOB_EVENT_COUNT] = {[JOB_CLAIM] = 1, [JOB_RELEASE] = -1};

#define BACKOFF_MS     5000
#define BACKOFF_MS_MAX 300000

static const struct end_rule {
    const char *code;
    const char *text;
    bool counts;          /* the attempt */
    bool first_at_once;   /* no waiting after the first attempt */
    int32_t attempts_max; /* 0: the setting's */
} end_rules[END_COUNT] = {
    [END_EXPIRED]       = {"lease_expired",  "the judge node stopped answering",         true,  true,  0},
    [END_STOPPED]       = {"job_too_long",   "judging took longer than the whole job may", true, true, 0},
    [END_SESSION]       = {"node_restarted", "the judge node started anew",              true,  true,  0},
    [END_DISABLED]      = {"node_disabled",  "the judge node was shut out",              false, true,  0},
    [END_RELEASED]      = {"released",       "the judge node handed the job back",       false, true,  0},
    [END_FAULT_NODE]    = {"fault_node",     "the judge node could not judge it",        true,  false, 0},
    [END_FAULT_PROBLEM] = {"fault_problem",  "the problem's own checker or data failed", true,  false, 2},
    [END_FAULT_JOB]     = {"fault_job",      "judging it broke more than one node",      true,  false, 0},
};
/* clang-format on */

enum job_priority job_priority_of(enum submission_origin origin) {
    CHECK(origin > 0 && origin < ORIGIN_COUNT);
    bool timed = origin == ORIGIN_EXAM || origin == ORIGIN_CONTEST;
    return timed ? PRIORITY_EXAM : PRIORITY_PRACTICE;
}

bool job_is_open(const struct job *job) {
    return job->state == JOB_QUEUED || job->state == JOB_RUNNING;
}

void job_check(const struct job *job) {
    CHECK(job->state > JOB_NONE && job->state < JOB_STATE_COUNT);
    CHECK(job->due_ms == 0 || job->state == JOB_QUEUED);            /* (1), S7 */
    CHECK(job->attempts >= 0 && job->attempts <= job->lease_epoch); /* (2), S11 */
    CHECK(job->state != JOB_RUNNING || job->attempts > 0);          /* (2) */
    CHECK(job->has_digest == (job->state == JOB_COMPLETED));        /* (3) */
}

bool job_apply(struct job *job, enum job_event event, struct err *err) {
    CHECK(job->state > JOB_NONE && job->state < JOB_STATE_COUNT);
    CHECK(event > 0 && event < JOB_EVENT_COUNT);
    enum job_state next = next_state[job->state][event];
    if (next == JOB_NONE) {
        return err_set(err, ERR_CONFLICT, job_is_open(job) ? "job_not_running" : "job_closed",
                       "job %lld is in state %d and takes no event %d", (long long)job->id.value,
                       (int)job->state, (int)event);
    }
    job->state = next;
    job->attempts += attempts_change[event];
    job->due_ms = 0;
    return true;
}

static int64_t backoff_ms(int32_t steps) {
    int64_t delay_ms = BACKOFF_MS;
    for (int32_t i = 0; i < steps && delay_ms < BACKOFF_MS_MAX; i++) {
        delay_ms *= 2;
    }
    return delay_ms < BACKOFF_MS_MAX ? delay_ms : BACKOFF_MS_MAX;
}

struct retry job_retry(enum lease_end end, int32_t attempts, int32_t attempts_max,
                       bool other_node_failed) {
    CHECK(end > 0 && end < END_COUNT);
    CHECK(attempts > 0 && attempts_max > 0);
    const struct end_rule *rule = &end_rules[end];
    if (!rule->counts) {
        return (struct retry){.event = JOB_RELEASE};
    }
    int32_t most = rule->attempts_max > 0 && rule->attempts_max < attempts_max ? rule->attempts_max
                                                                               : attempts_max;
    if (attempts >= most || (end == END_FAULT_JOB && other_node_failed)) {
        return (struct retry){.event = JOB_GIVE_UP};
    }
    int32_t skipped = rule->first_at_once ? 2 : 1; /* attempts that wait not at all, or least */
    return (struct retry){.event = JOB_EXPIRE,
                          .delay_ms = attempts < skipped ? 0 : backoff_ms(attempts - skipped)};
}

const char *lease_end_code(enum lease_end end) {
    CHECK(end > 0 && end < END_COUNT);
    return end_rules[end].code;
}

const char *lease_end_text(enum lease_end end) {
    CHECK(end > 0 && end < END_COUNT);
    return end_rules[end].text;
}
