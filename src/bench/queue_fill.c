#include "bench/queue_fill.h"
#include "base/check.h"
#include "base/limits.h"
#include "bench/queue_client.h"
#include "store/invariant_store.h"

#include <semaphore.h>
#include <stdio.h>

#define CHUNK_ROWS 20000
#define FIRST_ID 10000 /* past what the app has taken while it made the two */
#define SQL_BYTES 2000

/* A table's columns as they are copied. `@` becomes the new row's number. */
static const struct copied {
    const char *into;
    const char *select;
    const char *where; /* the column that names the original */
    bool by_submission;
    bool finished; /* also of finished jobs */
    bool waiting;  /* also of waiting ones */
} tables[] = {
    {"submission (id, kind, user_id, problem_id, manifest_id, language, origin_kind, origin_id, "
     "generation, current_job_id, effective_job_id, effective_rev, verdict, score_micro, "
     "cases_passed, cases_total, cpu_ms, memory_kib, request_key, request_digest, trace_id, "
     "created_ms, judged_ms)",
     "@, t.kind, 1 + @ % 1000, t.problem_id, t.manifest_id, t.language, t.origin_kind, "
     "t.origin_id, t.generation, @, CASE WHEN t.effective_job_id = 0 THEN 0 ELSE @ END, "
     "t.effective_rev, t.verdict, t.score_micro, t.cases_passed, t.cases_total, t.cpu_ms, "
     "t.memory_kib, NULL, NULL, t.trace_id, t.created_ms, t.judged_ms FROM submission t",
     "t.id", true, true, true},
    {"submission_source (submission_id, sha256, bytes, encoding, content)",
     "@, t.sha256, t.bytes, t.encoding, t.content FROM submission_source t", "t.submission_id",
     true, true, true},
    {"job (id, subject_kind, subject_id, generation, queue_id, priority, order_key, due_ms, state, "
     "attempts, lease_epoch, lease_token, node_id, fault_node_id, result_digest, fault, "
     "fault_code, fault_detail, created_ms, settled_ms)",
     "@, t.subject_kind, @, t.generation, t.queue_id, t.priority, t.order_key + @, t.due_ms, "
     "t.state, t.attempts, t.lease_epoch, t.lease_token, t.node_id, t.fault_node_id, "
     "t.result_digest, t.fault, t.fault_code, t.fault_detail, t.created_ms, t.settled_ms "
     "FROM job t",
     "t.id", false, true, true},
    {"job_body (job_id, pool, runtime_spec, language, manifest_id, source_sha256, source_bytes, "
     "time_limit_ms, memory_limit_kib, output_limit_kib, job_total_ms, trace_id)",
     "@, t.pool, t.runtime_spec, t.language, t.manifest_id, t.source_sha256, t.source_bytes, "
     "t.time_limit_ms, t.memory_limit_kib, t.output_limit_kib, t.job_total_ms, t.trace_id "
     "FROM job_body t",
     "t.job_id", false, true, true},
    {"job_result (job_id, encoding, bytes, content)",
     "@, t.encoding, t.bytes, t.content FROM job_result t", "t.job_id", false, true, false},
    {"job_ready (queue_id, priority, order_key, job_id)",
     "t.queue_id, t.priority, t.order_key + @, @ FROM job_ready t", "t.job_id", false, false, true},
};

static const char derived_sql[] =
    "INSERT INTO user_problem (user_id, problem_id, best_verdict, best_score_micro, "
    "best_submission_id) SELECT s.user_id, s.problem_id, s.verdict, s.score_micro, MIN(s.id) FROM "
    "submission s WHERE s.verdict <> 0 AND NOT EXISTS (SELECT 1 FROM user_problem u WHERE "
    "u.user_id = s.user_id AND u.problem_id = s.problem_id) GROUP BY s.user_id, s.problem_id, "
    "s.verdict, s.score_micro";
static const char turns_sql[] =
    "INSERT INTO lane_turn (queue_id, priority, user_id, last_key) SELECT j.queue_id, j.priority, "
    "s.user_id, "
    "MAX(j.order_key) FROM job j JOIN submission s ON s.id = j.subject_id WHERE NOT EXISTS (SELECT "
    "1 FROM lane_turn u WHERE u.queue_id = j.queue_id AND u.priority = j.priority AND u.user_id = "
    "s.user_id) GROUP BY "
    "j.queue_id, j.priority, s.user_id";

/* ---- the two originals ---- */

static void wake(struct write_item *item) {
    sem_post(item->context);
}

static bool run_stages(struct queue_client *client, int stages, struct err *err) {
    sem_t done;
    CHECK(sem_init(&done, 0, 0) == 0);
    bool ok = true;
    for (int i = 0; ok && i < stages; i++) {
        bool finished = false;
        queue_client_begin(client, wake, &done);
        while (sem_wait(&done) != 0) {
        }
        ok = queue_client_next(client, &finished, err);
    }
    (void)sem_destroy(&done);
    return ok;
}

static bool make_originals(struct queue_world *world, int64_t *ret_finished, int64_t *ret_waiting,
                           struct err *err) {
    struct queue_client client;
    queue_client_init(&client, world, 0);
    bool ok = run_stages(&client, QUEUE_STAGES, err);
    *ret_finished = client.submit.submission.value;
    ok = ok && run_stages(&client, 1, err);
    *ret_waiting = client.submit.submission.value;
    queue_client_done(&client);
    return ok;
}

/* ---- their copies ---- */

static bool query_i64(struct db *db, const char *sql, int64_t id, int64_t *ret_value,
                      struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id);
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    *ret_value = found ? db_i64(stmt, 0) : 0;
    return true;
}

static bool run_sql(struct db *db, const char *sql, struct err *err) {
    return db_begin(db, err) && db_script(db, str_from(sql), err) && db_commit(db, err);
}

/* 0, 1, 2 ... CHUNK_ROWS - 1: what every copy is counted by. */
static bool make_numbers(struct db *db, struct err *err) {
    own_buf sql = {0};
    buf_init(&sql, MIB);
    buf_append_c(&sql, "CREATE TABLE bench_number (n BIGINT NOT NULL PRIMARY KEY);"
                       "INSERT INTO bench_number (n) VALUES (0)");
    for (int i = 1; i < CHUNK_ROWS; i++) {
        buf_printf(&sql, ",(%d)", i);
    }
    return db_script(db, buf_str(&sql), err);
}

struct range {
    int64_t original; /* submission */
    int64_t job;
    int64_t first; /* new ids */
    int64_t count;
    bool finished;
};

static const char *copy_sql(const struct copied *table, const struct range *range, int64_t first,
                            char sql[SQL_BYTES]) {
    struct buf out;
    buf_init(&out, SQL_BYTES);
    buf_printf(&out, "INSERT INTO %s SELECT ", table->into);
    for (const char *c = table->select; *c != '\0'; c++) {
        if (*c == '@') {
            buf_printf(&out, "(b.n + %lld)", (long long)first);
        } else {
            buf_append(&out, str_of(c, 1));
        }
    }
    buf_printf(&out, ", bench_number b WHERE %s = %lld AND b.n < %lld", table->where,
               (long long)(table->by_submission ? range->original : range->job),
               (long long)(range->first + range->count - first));
    (void)snprintf(sql, SQL_BYTES, "%s", buf_c(&out));
    buf_done(&out);
    return sql;
}

static bool copy_range(struct db *db, const struct range *range, struct err *err) {
    char sql[SQL_BYTES];
    for (int64_t first = range->first; first < range->first + range->count; first += CHUNK_ROWS) {
        for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
            const struct copied *table = &tables[i];
            bool wanted = range->finished ? table->finished : table->waiting;
            if (wanted && !run_sql(db, copy_sql(table, range, first, sql), err)) {
                return false;
            }
        }
    }
    return true;
}

static bool raise_ids(struct db *db, int64_t next, struct err *err) {
    char sql[SQL_BYTES];
    (void)snprintf(sql, sizeof sql,
                   "UPDATE id_block SET next_value = %lld WHERE name IN ('submission', 'job')",
                   (long long)next);
    return run_sql(db, sql, err);
}

static bool wait_for_events(struct db *db, struct err *err) {
    int64_t left = 1;
    while (left > 0) {
        if (!query_i64(db, "SELECT count(*) FROM settlement_event WHERE job_id > ?", 0, &left,
                       err)) {
            return false;
        }
        clock_sleep_ms(&clock_real, left > 0 ? 10 : 0);
    }
    return true;
}

static bool find_job(struct db *db, struct range *range, struct err *err) {
    return query_i64(db, "SELECT current_job_id FROM submission WHERE id = ?", range->original,
                     &range->job, err);
}

/* Of a MariaDB of our own: nobody needs what is filled after a crash, nor in the binary log. What
 * is measured afterwards is durable again. */
static bool hurry(const struct queue_world *world, struct db *db, bool on, struct err *err) {
    if (world->mariadb.process <= 0) {
        return true;
    }
    return db_script(db,
                     on ? STR("SET SESSION sql_log_bin = 0, unique_checks = 0; "
                              "SET GLOBAL innodb_flush_log_at_trx_commit = 2")
                        : STR("SET SESSION sql_log_bin = 1, unique_checks = 1; "
                              "SET GLOBAL innodb_flush_log_at_trx_commit = 1"),
                     err);
}

bool queue_fill(struct queue_world *world, struct err *err) {
    own(db) db = NULL;
    const struct queue_plan *plan = world->plan;
    struct range finished = {.first = FIRST_ID, .count = plan->history, .finished = true};
    struct range waiting = {.first = FIRST_ID + plan->history, .count = plan->backlog};
    if (!make_originals(world, &finished.original, &waiting.original, err) ||
        !queue_world_connect(world, false, &db, err) || !wait_for_events(db, err) ||
        !find_job(db, &finished, err) || !find_job(db, &waiting, err)) {
        return false;
    }
    return hurry(world, db, true, err) && make_numbers(db, err) && copy_range(db, &finished, err) &&
           copy_range(db, &waiting, err) && raise_ids(db, waiting.first + waiting.count, err) &&
           run_sql(db, derived_sql, err) && run_sql(db, turns_sql, err) &&
           run_sql(db, "DROP TABLE bench_number", err) && hurry(world, db, false, err) &&
           invariants_check(db, err);
}
