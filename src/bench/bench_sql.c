/* assize bench sql: what a job of SQL costs beyond the student's own statement. */
#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/thread.h"
#include "bench/benches.h"
#include "bench/machine.h"
#include "bench/samples.h"
#include "data/digest.h"
#include "local/session.h"

#include <stdio.h>
#include <string.h>

#define SLOTS 2
#define TABLES 5
#define ROWS_A_TABLE 200
#define JOB_ARENA_BYTES ((size_t)64 * MIB)
#define SCRIPT_BYTES (1 * MIB)
#define NS_A_MS 1000000

static bool run(const struct config *config, enum bench_format format, struct buf *out,
                struct err *err);

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "bench.jobs", .type = CONFIG_INT, .fallback = "200", .flag = "jobs", .min = 1, .max = 100000,
     .help = "jobs that are measured, each way"},
    {.name = "bench.dialect", .type = CONFIG_TEXT, .fallback = "mysql", .flag = "dialect", .choices = "mysql sqlite",
     .help = "where the statements run"},
    {0},
};
/* clang-format on */

const struct bench bench_sql = {
    .name = "sql",
    .summary = "a job of SQL: what it takes beyond its statement, and jobs a second",
    .usage =
        "Usage: assize bench sql [options]\n\n"
        "Judges a SELECT on a schema of 5 tables and 1,000 rows: schema and users made, data\n"
        "loaded, reference and statement run, results compared, all dropped. `overheadMs` is\n"
        "the whole job without the statement's own time; `emptyMs` the same job with one\n"
        "empty table, so that the difference is the schema's part; then the throughput of two\n"
        "slots, each with a server of its own. Needs root, as the sandbox does.",
    .rows = rows,
    .run = run,
};

/* ---- the problem ---- */

struct sql_problem {
    struct manifest manifest;
    struct manifest_case only;
    struct str texts[3]; /* schema, data, reference */
    struct blob_ref blobs[3];
};

static struct blob_ref blob_of(struct str text) {
    struct blob_ref blob = {.bytes = (int64_t)text.len};
    struct digest digest = digest_of(text);
    memcpy(blob.sha256, digest.bytes, sizeof blob.sha256);
    return blob;
}

static bool open_blob(void *context, const struct blob_ref *blob, int *ret_fd, struct err *err) {
    const struct sql_problem *problem = context;
    for (size_t i = 0; i < 3; i++) {
        if (memcmp(problem->blobs[i].sha256, blob->sha256, sizeof blob->sha256) == 0) {
            return file_memory("text", problem->texts[i], true, ret_fd, err);
        }
    }
    return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "no_blob", "the bench has no such text");
}

static void write_scripts(struct buf *schema, struct buf *data, bool empty) {
    for (int table = 0; table < (empty ? 1 : TABLES); table++) {
        (void)buf_printf(
            schema,
            "CREATE TABLE t%d (id INT PRIMARY KEY, ref INT NOT NULL, name VARCHAR(40), "
            "amount DECIMAL(10, 2));\n",
            table);
        for (int row = 0; row < (empty ? 0 : ROWS_A_TABLE); row++) {
            if (row == 0) {
                (void)buf_printf(data, "INSERT INTO t%d VALUES ", table);
            }
            (void)buf_printf(data, "%s(%d, %d, 'name of %d', %d.%02d)%s", row > 0 ? ", " : "", row,
                             (row * 7) % ROWS_A_TABLE, row, row * 3, row % 100,
                             row == ROWS_A_TABLE - 1 ? ";\n" : "");
        }
    }
}

static void make_problem(struct sql_problem *problem, const char *dialect, bool empty,
                         struct arena *arena) {
    own_buf schema;
    own_buf data;
    char reference[256];
    buf_init(&schema, SCRIPT_BYTES);
    buf_init(&data, SCRIPT_BYTES);
    write_scripts(&schema, &data, empty);
    (void)snprintf(reference, sizeof reference,
                   "SELECT a.ref, COUNT(*), SUM(b.amount) FROM t0 a JOIN t%d b ON b.id = a.ref "
                   "GROUP BY a.ref ORDER BY a.ref",
                   empty ? 0 : 1);
    problem->texts[0] = arena_str(arena, buf_str(&schema));
    problem->texts[1] = arena_str(arena, buf_str(&data));
    problem->texts[2] = arena_str(arena, str_from(reference));
    for (size_t i = 0; i < 3; i++) {
        problem->blobs[i] = blob_of(problem->texts[i]);
    }
    manifest_defaults(&problem->manifest);
    problem->only = (struct manifest_case){
        .name = STR("secret/1"), .group = -1, .input = {.bytes = -1}, .answer = {.bytes = -1}};
    problem->manifest.kinds = PROBLEM_PASS_FAIL | PROBLEM_SQL;
    problem->manifest.cases = &problem->only;
    problem->manifest.case_count = 1;
    problem->manifest.sql.dialect = str_from(dialect);
    problem->manifest.sql.statements = STR("SELECT VALUES WITH");
    problem->manifest.sql.ordered = true;
    problem->manifest.sql.ddl = problem->blobs[0];
    problem->manifest.sql.seed = problem->blobs[1];
    problem->manifest.sql.reference = problem->blobs[2];
}

/* ---- measuring ---- */

struct sql_bench {
    struct session session;
    struct sql_problem full;
    struct sql_problem empty;
    const struct language *language;
    int64_t jobs;
};

static bool judge_one(struct sql_bench *bench, struct sql_problem *problem, int slot, int64_t job,
                      int64_t *ret_overhead_ns, struct err *err) {
    own(arena) arena = arena_create(JOB_ARENA_BYTES);
    struct judgement judgement = {.verdict = VERDICT_NONE};
    const struct judge_source source = {.name = STR("main.sql"), .text = problem->texts[2]};
    const struct judge_request request = {.slot = slot,
                                          .manifest = &problem->manifest,
                                          .language = bench->language,
                                          .sources = &source,
                                          .source_count = 1,
                                          .job = job,
                                          .lease_epoch = slot,
                                          .open_blob = open_blob,
                                          .context = problem};
    int64_t before_ns = clock_real_mono_ns();
    if (!judge_submission(bench->session.judge, &request, arena, &judgement, err)) {
        return false;
    }
    int64_t whole_ns = clock_real_mono_ns() - before_ns;
    if (judgement.verdict != VERDICT_ACCEPTED) {
        return err_set(err, ERR_SYSTEM, "bench_failed", "a job was not accepted: %s",
                       verdict_code(judgement.verdict));
    }
    *ret_overhead_ns = whole_ns - judgement.cases[0].wall_ms * NS_A_MS;
    return true;
}

static bool measure(struct sql_bench *bench, struct sql_problem *problem, struct samples *samples,
                    struct err *err) {
    int64_t ns = 0;
    if (!judge_one(bench, problem, 0, 0, &ns, err)) { /* the server starts */
        return false;
    }
    for (int64_t i = 0; i < bench->jobs; i++) {
        if (!judge_one(bench, problem, 0, i, &ns, err)) {
            return false;
        }
        samples_add(samples, ns);
    }
    return true;
}

struct sql_worker {
    struct sql_bench *bench;
    int slot;
    bool good;
    struct err err;
};

static void *work(void *argument) {
    struct sql_worker *worker = argument;
    int64_t ns = 0;
    worker->good = true;
    for (int64_t i = 0; worker->good && i < worker->bench->jobs; i++) {
        worker->good =
            judge_one(worker->bench, &worker->bench->full, worker->slot, i, &ns, &worker->err);
    }
    return NULL;
}

static bool measure_throughput(struct sql_bench *bench, int64_t *ret_per_second_milli,
                               struct err *err) {
    struct sql_worker workers[SLOTS];
    pthread_t threads[SLOTS];
    int64_t ns = 0;
    if (!judge_one(bench, &bench->full, 1, 0, &ns, err)) { /* the second server starts */
        return false;
    }
    int64_t before_ns = clock_real_mono_ns();
    for (int i = 0; i < SLOTS; i++) {
        workers[i] = (struct sql_worker){.bench = bench, .slot = i};
        threads[i] = thread_start("sql-bench", work, &workers[i]);
    }
    bool good = true;
    for (int i = 0; i < SLOTS; i++) {
        thread_join(threads[i]);
        if (good && !workers[i].good) {
            *err = workers[i].err;
            good = false;
        }
    }
    int64_t whole_ms = (clock_real_mono_ns() - before_ns) / NS_A_MS;
    *ret_per_second_milli = SLOTS * bench->jobs * 1000 * 1000 / (whole_ms > 0 ? whole_ms : 1);
    return good;
}

/* ---- the report ---- */

static bool report(struct samples *full, struct samples *empty, int64_t per_second_milli,
                   enum bench_format format, struct buf *out, struct err *err) {
    struct machine machine;
    struct jw json;
    machine_read(&machine);
    if (format != BENCH_JSON) {
        machine_print(&machine, out);
        (void)buf_printf(
            out,
            "\na job beyond its statement: median %lld us, p99 %lld us\n"
            "the same on one empty table: median %lld us, p99 %lld us\n"
            "two slots: %lld.%01lld jobs a second\n",
            (long long)samples_median(full) / 1000, (long long)samples_p99(full) / 1000,
            (long long)samples_median(empty) / 1000, (long long)samples_p99(empty) / 1000,
            (long long)per_second_milli / 1000, (long long)per_second_milli % 1000 / 100);
        return true;
    }
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_key(&json, "machine");
    machine_json(&machine, &json);
    jw_key(&json, "overheadMs");
    samples_json(full, 6, &json);
    jw_key(&json, "emptyMs");
    samples_json(empty, 6, &json);
    jw_put_i64(&json, "jobsPerSecond", per_second_milli / 1000);
    jw_object_end(&json);
    if (!jw_finish(&json, "the report", err)) {
        return false;
    }
    (void)buf_append_c(out, "\n");
    return true;
}

static bool measure_all(struct sql_bench *bench, const char *dialect, struct samples *full,
                        struct samples *empty, int64_t *ret_per_second_milli, struct err *err) {
    if (!session_open(&bench->session, "", SLOTS, err)) {
        return false;
    }
    bench->language = language_find(bench->session.languages, str_from(dialect));
    if (bench->language == NULL) {
        return err_set(err, ERR_MISSING, "no_language", "there is no language %s", dialect);
    }
    return measure(bench, &bench->empty, empty, err) && measure(bench, &bench->full, full, err) &&
           measure_throughput(bench, ret_per_second_milli, err);
}

static bool run(const struct config *config, enum bench_format format, struct buf *out,
                struct err *err) {
    own(arena) arena = arena_create(4 * (size_t)MIB);
    own_samples full;
    own_samples empty;
    struct sql_bench bench = {.jobs = config_i64(config, "bench.jobs")};
    const char *dialect = config_text(config, "bench.dialect");
    int64_t per_second_milli = 0;
    samples_init(&full);
    samples_init(&empty);
    make_problem(&bench.full, dialect, false, arena);
    make_problem(&bench.empty, dialect, true, arena);
    bool good = measure_all(&bench, dialect, &full, &empty, &per_second_milli, err);
    session_done(&bench.session);
    return good && report(&full, &empty, per_second_milli, format, out, err);
}
