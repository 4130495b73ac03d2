/* One row a rule: a query that finds an id for which the rule is broken. Each goes over its tables
 * once: a million waiting jobs are looked through in seconds. */
#include "store/invariant_store.h"

#include <assert.h>
#include <string.h>

/* Numbers as in domain/job.h (state) and domain/verdict.h: 1 QUEUED, 2 RUNNING, 3 COMPLETED. */
static const struct rule {
    const char *code;
    const char *name;
    const char *sql;
} rules[] = {
    {"I01" /* S7 */, "an open job has exactly one place",
     "SELECT j.id FROM job j LEFT JOIN (SELECT job_id, count(*) AS places FROM "
     "(SELECT job_id FROM job_ready UNION ALL SELECT job_id FROM job_delayed UNION ALL "
     "SELECT job_id FROM job_lease) a GROUP BY job_id) p ON p.job_id = j.id WHERE "
     "j.state IN (1, 2) AND COALESCE(p.places, 0) <> 1"},
    {"I02" /* S7 */, "a running job has a lease, a queued one none",
     "SELECT j.id FROM job j WHERE j.state IN (1, 2) AND (j.state = 2) <> "
     "EXISTS (SELECT 1 FROM job_lease l WHERE l.job_id = j.id)"},
    {"I03" /* S7 */, "a closed job waits nowhere",
     "SELECT j.id FROM (SELECT job_id FROM job_ready UNION ALL SELECT job_id FROM job_delayed) p "
     "JOIN job j ON j.id = p.job_id WHERE j.state > 2"},
    {"I04" /* S7 */, "a closed job's lease is a revoked one",
     "SELECT j.id FROM job j JOIN job_lease l ON l.job_id = j.id WHERE j.state > 2 AND "
     "l.revoked = 0"},
    {"I05" /* S7 */, "a place belongs to a job",
     "SELECT job_id FROM (SELECT job_id FROM job_ready UNION ALL SELECT job_id FROM job_delayed "
     "UNION ALL SELECT job_id FROM job_lease) p WHERE NOT EXISTS "
     "(SELECT 1 FROM job j WHERE j.id = p.job_id)"},
    {"I06" /* S7 */, "a ready row has its job's key",
     "SELECT r.job_id FROM job_ready r JOIN job j ON j.id = r.job_id WHERE "
     "r.queue_id <> j.queue_id OR r.priority <> j.priority OR r.order_key <> j.order_key OR "
     "j.due_ms <> 0"},
    {"I07" /* S7 */, "a delayed row has its job's due time",
     "SELECT d.job_id FROM job_delayed d JOIN job j ON j.id = d.job_id WHERE d.due_ms <> j.due_ms"},
    {"I08" /* S2 */, "a lease is its job's newest",
     "SELECT l.job_id FROM job_lease l JOIN job j ON j.id = l.job_id WHERE "
     "l.lease_epoch <> j.lease_epoch OR l.lease_token <> j.lease_token OR "
     "l.node_id <> j.node_id"},
    {"I09" /* S3 */, "a lease ends with its job at the latest",
     "SELECT job_id FROM job_lease WHERE lease_until_ms > stop_at_ms"},
    {"I10" /* S2 */, "a lease is of its node's newest session",
     "SELECT l.job_id FROM job_lease l JOIN node n ON n.id = l.node_id WHERE "
     "l.session_epoch <> n.session_epoch"},
    {"I11" /* S11 */, "attempts never exceed leases",
     "SELECT id FROM job WHERE attempts < 0 OR attempts > lease_epoch"},
    {"I12" /* S12 */, "a submission has its current job",
     "SELECT s.id FROM submission s WHERE NOT EXISTS (SELECT 1 FROM job j WHERE "
     "j.id = s.current_job_id AND j.subject_id = s.id AND j.generation = s.generation)"},
    {"I13" /* S4 */, "an open job is its submission's current one",
     "SELECT j.id FROM job j JOIN submission s ON s.id = j.subject_id WHERE j.state IN (1, 2) AND "
     "j.subject_kind IN (1, 2) AND s.current_job_id <> j.id"},
    /* Others lose it when it is old (retention); one that counts again by an undoing may have. */
    {"I14" /* S12 */, "a job that is open or its submission's current one has its snapshot",
     "SELECT j.id FROM job j LEFT JOIN submission s ON s.id = j.subject_id AND j.subject_kind IN "
     "(1, 2) WHERE (j.state IN (1, 2) OR s.current_job_id = j.id) AND "
     "NOT EXISTS (SELECT 1 FROM job_body b WHERE b.job_id = j.id)"},
    {"I15" /* S12 */, "a submission has its source",
     "SELECT s.id FROM submission s WHERE NOT EXISTS "
     "(SELECT 1 FROM submission_source o WHERE o.submission_id = s.id)"},
    {"I16" /* S1 */, "a completed job, and no other, has a result and a digest",
     "SELECT j.id FROM job j WHERE (j.state = 3) <> (j.result_digest IS NOT NULL) OR "
     "(j.state = 3) <> EXISTS (SELECT 1 FROM job_result r WHERE r.job_id = j.id)"},
    {"I17" /* S14 */, "a verdict comes from a closed effective job, and only from one",
     "SELECT s.id FROM submission s LEFT JOIN job j ON j.id = s.effective_job_id WHERE "
     "(s.verdict <> 0) <> (s.effective_job_id <> 0) OR "
     "(s.effective_job_id <> 0 AND (j.id IS NULL OR j.state <= 2)) OR "
     "(s.verdict <> 0) <> (s.judged_ms <> 0) OR (s.verdict <> 0) <> (s.effective_rev > 0)"},
    {"I18" /* S14 */, "a submission whose current job is closed has a verdict",
     "SELECT s.id FROM submission s JOIN job j ON j.id = s.current_job_id WHERE j.state > 2 AND "
     "s.verdict = 0"},
    {"I19" /* S7 */, "a held job has its reason, and no other has one",
     "SELECT d.job_id FROM job_delayed d WHERE (d.due_ms = 9007199254740991) <> EXISTS "
     "(SELECT 1 FROM job_hold h WHERE h.job_id = d.job_id) UNION ALL "
     "SELECT h.job_id FROM job_hold h WHERE NOT EXISTS "
     "(SELECT 1 FROM job_delayed d WHERE d.job_id = h.job_id)"},
    {"I20" /* S10 */, "an event belongs to an effective job",
     "SELECT e.job_id FROM settlement_event e JOIN submission s ON s.id = e.subject_id WHERE "
     "e.effective_rev > s.effective_rev"},
    {"I21" /* S5 */, "a node has no more leases than slots it ever had",
     "SELECT n.id FROM node n WHERE (SELECT count(*) FROM job_lease l WHERE l.node_id = n.id) > "
     "64"},
    {"I22" /* S13 */, "what a user has reached is what recomputing finds",
     "SELECT u.problem_id, u.user_id FROM user_problem u LEFT JOIN submission b ON b.id = "
     "u.best_submission_id WHERE NOT EXISTS (SELECT 1 FROM settlement_event) AND (b.id IS NULL "
     "OR b.user_id <> u.user_id OR b.problem_id <> u.problem_id OR b.verdict <> u.best_verdict "
     "OR b.score_micro <> u.best_score_micro OR EXISTS (SELECT 1 FROM submission s WHERE "
     "s.user_id = u.user_id AND s.problem_id = u.problem_id AND s.verdict <> 0 AND "
     "s.verdict <> 11 AND "
     "((s.verdict = 1) > (b.verdict = 1) OR ((s.verdict = 1) = (b.verdict = 1) AND "
     "(s.score_micro > b.score_micro OR (s.score_micro = b.score_micro AND s.id < b.id))))))"},
    {"I23" /* S13 */, "a judged submission is in what its user has reached",
     "SELECT s.problem_id, s.user_id FROM submission s WHERE s.verdict <> 0 AND "
     "s.verdict <> 11 AND NOT EXISTS "
     "(SELECT 1 FROM settlement_event) AND NOT EXISTS (SELECT 1 FROM user_problem u WHERE "
     "u.user_id = s.user_id AND u.problem_id = s.problem_id)"},
    {"R1", "an item being judged has an open job, the current one",
     "SELECT i.submission_id FROM rejudging_item i JOIN submission s ON s.id = i.submission_id "
     "LEFT JOIN job j ON j.id = i.job_id WHERE i.state = 1 AND (j.id IS NULL OR j.state > 2 OR "
     "s.current_job_id <> i.job_id)"},
    {"R2", "a judging that waits to be applied does not count",
     "SELECT i.submission_id FROM rejudging_item i JOIN submission s ON s.id = i.submission_id "
     "WHERE i.state IN (2, 4, 6) AND s.effective_job_id = i.job_id"},
    {"R3", "an applied judging counts, or one that was applied later",
     "SELECT i.submission_id FROM rejudging_item i JOIN submission s ON s.id = i.submission_id "
     "WHERE i.state = 3 AND i.reason = 0 AND s.deleted_ms = 0 AND s.effective_job_id <> i.job_id "
     "AND NOT EXISTS (SELECT 1 FROM rejudging_item o WHERE o.submission_id = i.submission_id AND "
     "o.job_id = s.effective_job_id AND o.state IN (3, 8))"},
    {"R4", "a submission is in one rejudging that is not over",
     "SELECT i.submission_id FROM rejudging_item i JOIN rejudging r ON r.id = i.rejudging_id "
     "WHERE i.state IN (1, 2) AND r.state IN (1, 2, 3, 4) GROUP BY i.submission_id "
     "HAVING count(*) > 1"},
    {"R5", "a cancelled rejudging judges nothing",
     "SELECT i.submission_id FROM rejudging_item i JOIN rejudging r ON r.id = i.rejudging_id "
     "WHERE i.state = 1 AND r.state = 9"},
};

static bool check_rule(struct db *db, const struct rule *rule, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool broken = false;
    if (!db_prepare(db, rule->sql, &stmt, err) || !db_find(stmt, &broken, err)) {
        return err_wrap(err, "check that %s", rule->name);
    }
    return !broken || err_set(err, ERR_SYSTEM, "invariant_broken", "%s: not so for %lld",
                              rule->name, (long long)db_i64(stmt, 0));
}

/* Two columns where the first alone names no row. */
static bool is_pair(const struct rule *rule) {
    return strstr(rule->sql, ", u.user_id FROM") != NULL ||
           strstr(rule->sql, ", s.user_id FROM") != NULL;
}

static bool collect(struct db *db, const struct rule *rule, struct broken_rule *broken,
                    struct err *err) {
    own(db_stmt) stmt = NULL;
    *broken = (struct broken_rule){.code = rule->code, .name = rule->name};
    if (!db_prepare(db, rule->sql, &stmt, err)) {
        return err_wrap(err, "check that %s", rule->name);
    }
    enum db_step step = DB_DONE;
    while (broken->count < BROKEN_COUNTED_MAX && (step = db_step(stmt, err)) == DB_ROW) {
        if (broken->id_count < BROKEN_IDS_MAX) {
            broken->users[broken->id_count] = is_pair(rule) ? db_i64(stmt, 1) : 0;
            broken->ids[broken->id_count++] = db_i64(stmt, 0);
        }
        broken->count++;
    }
    return step != DB_FAILED || err_wrap(err, "check that %s", rule->name);
}

bool invariants_find(struct db *db, struct broken_rule ret_broken[INVARIANTS_MAX], int *ret_count,
                     struct err *err) {
    static_assert(sizeof rules / sizeof rules[0] <= INVARIANTS_MAX, "room for each rule");
    int count = 0;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!collect(db, &rules[i], &ret_broken[count], err)) {
            return false;
        }
        count += ret_broken[count].count > 0 ? 1 : 0;
    }
    *ret_count = count;
    return true;
}

bool invariants_check(struct db *db, struct err *err) {
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!check_rule(db, &rules[i], err)) {
            return false;
        }
    }
    return true;
}
