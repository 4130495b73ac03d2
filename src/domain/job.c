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

enum cost { COST_FREE, COST_ATTEMPT, COST_LATE /* an attempt, after JOB_FREE_LEASES_MAX */ };

static const struct end_rule {
    const char *code;
    const char *text;
    enum cost cost;
    bool first_at_once;   /* no waiting after the first attempt */
    bool blames_node;     /* another should try */
    int32_t attempts_max; /* 0: the setting's */
} end_rules[END_COUNT] = {
    [END_EXPIRED]       = {"lease_expired",  "the judge node stopped answering",      COST_ATTEMPT, true,  true,  0},
    [END_OUTAGE]        = {"outage",         "the judging service was interrupted",   COST_FREE,    true,  false, 0},
    [END_STOPPED]       = {"job_too_long",   "judging took longer than the whole job may",
                           COST_ATTEMPT, true, true, 0},
    [END_SESSION]       = {"node_restarted", "the judge node started anew",           COST_ATTEMPT, true,  true,  0},
    [END_DISABLED]      = {"node_disabled",  "the judge node was shut out",           COST_FREE,    true,  false, 0},
    [END_RELEASED]      = {"released",       "the judge node handed the job back",    COST_FREE,    true,  false, 0},
    [END_FAULT_NODE]    = {"fault_node",     "the judge node could not judge it",     COST_LATE,    true,  true,  0},
    [END_FAULT_PROBLEM] = {"fault_problem",  "the problem's own checker or data failed",
                           COST_ATTEMPT, false, false, 2},
    [END_FAULT_JOB]     = {"fault_job",      "judging it broke more than one node",   COST_ATTEMPT, false, true,  0},
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

/* After `tries` that ended badly. */
static int64_t backoff_ms(int64_t tries, bool first_at_once) {
    int64_t steps = tries - (first_at_once ? 2 : 1);
    int64_t delay_ms = BACKOFF_MS;
    for (int64_t i = 0; i < steps && delay_ms < BACKOFF_MS_MAX; i++) {
        delay_ms *= 2;
    }
    return steps < 0 ? 0 : delay_ms < BACKOFF_MS_MAX ? delay_ms : BACKOFF_MS_MAX;
}

static struct retry retry_at_no_cost(const struct end_rule *rule, int64_t leases) {
    bool waits = rule->cost == COST_LATE; /* a broken node would be asked again at once */
    return (struct retry){.event = JOB_RELEASE,
                          .delay_ms = waits ? backoff_ms(leases, rule->first_at_once) : 0};
}

struct retry job_retry(const struct retry_facts *facts) {
    CHECK(facts->end > 0 && facts->end < END_COUNT);
    CHECK(facts->attempts > 0 && facts->attempts_max > 0);
    CHECK(facts->leases >= facts->attempts); /* S11 */
    const struct end_rule *rule = &end_rules[facts->end];
    int64_t free_leases = facts->leases - facts->attempts;
    if (rule->cost == COST_FREE || (rule->cost == COST_LATE && free_leases < JOB_FREE_LEASES_MAX)) {
        return retry_at_no_cost(rule, facts->leases); /* S15 */
    }
    bool own_limit = rule->attempts_max > 0 && rule->attempts_max < facts->attempts_max;
    int32_t most = own_limit ? rule->attempts_max : facts->attempts_max;
    bool broke_two = facts->end == END_FAULT_JOB && facts->other_node_failed;
    if (facts->attempts >= most || broke_two) {
        return (struct retry){.event = JOB_GIVE_UP};
    }
    int64_t tries = rule->cost == COST_LATE ? facts->leases : facts->attempts;
    return (struct retry){.event = JOB_EXPIRE, .delay_ms = backoff_ms(tries, rule->first_at_once)};
}

bool lease_end_blames_node(enum lease_end end) {
    CHECK(end > 0 && end < END_COUNT);
    return end_rules[end].blames_node;
}

const char *lease_end_code(enum lease_end end) {
    CHECK(end > 0 && end < END_COUNT);
    return end_rules[end].code;
}

const char *lease_end_text(enum lease_end end) {
    CHECK(end > 0 && end < END_COUNT);
    return end_rules[end].text;
}
