/* Accepting submissions. What needs no lock is checked and packed by the caller's thread; one
 * transaction then writes submission, source, job, snapshot and ready row for a whole batch. */
#include "app/submission.h"
#include "app/app_internal.h"
#include "app/backlog_internal.h"
#include "app/held_internal.h"
#include "app/manifest_cache_internal.h"
#include "app/memo_internal.h"
#include "app/news_internal.h"
#include "app/queues_internal.h"
#include "app/runners_internal.h"
#include "app/turn_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/job_store.h"
#include "store/place_store.h"
#include "store/problem_store.h"
#include "store/source_store.h"
#include "store/submission_store.h"

#include <stdio.h>
#include <string.h>

#define BATCH_MAX 128
#define BATCH_BYTES_MAX (1 * MIB)
#define WORK_BYTES_MAX (2 * MIB)
#define TRACE_BYTES 64

/* Lives from submission_submit to `done`. */
struct submit_work {
    struct app *app;
    struct arena *arena;
    struct source_row source;
    struct digest request_digest;
    struct job_body body;
    const struct queue_info *queue;
    int64_t problem_revision; /* whose data the body has */
    int32_t cases_total;
    uint32_t trace_salt;
    void (*done)(struct write_item *item); /* the caller's */
};

/* ---- what a submission takes from its problem ---- */

static bool allows(struct str languages, struct str id) {
    struct str word = {0};
    bool some = false;
    while (str_next_word(&languages, &word)) {
        some = true;
        if (str_eq(word, id)) {
            return true;
        }
    }
    return !some;
}

static bool check_problem(struct app *app, const struct submit_request *request,
                          const struct problem_row *problem, struct err *err) {
    const struct language *language = language_find(app->languages, request->language);
    bool misplaced = language->sql != NULL && problem->languages.len == 0;
    if (misplaced || !allows(problem->languages, request->language)) {
        return err_set(err, ERR_INVALID, "unknown_language",
                       "this problem does not take the language " STR_FMT,
                       STR_ARG(request->language));
    }
    if ((int64_t)request->source.len > problem->code_limit_kib * KIB) {
        return err_set(err, ERR_TOO_LARGE, "source_too_large",
                       "the source has %zu bytes, this problem takes %lld KiB", request->source.len,
                       (long long)problem->code_limit_kib);
    }
    return true;
}

static bool fill_body(struct app *app, const struct submit_request *request,
                      const struct problem_row *problem, struct submit_work *work,
                      struct err *err) {
    own(cached_manifest) cached = NULL;
    if (!manifest_get(app, problem->manifest.bytes, &cached, err)) {
        err->kind = ERR_SYSTEM; /* the problem is there, its data is not: ours to repair */
        return err_wrap(err, "problem " STR_FMT, STR_ARG(problem->code));
    }
    const struct manifest *manifest = &cached->manifest;
    work->problem_revision = problem->revision;
    work->cases_total = manifest->case_count;
    work->body = (struct job_body){
        .pool = work->queue->pool,
        .runtime_spec = work->queue->runtime_spec,
        .language = request->language,
        .source_bytes = (int64_t)request->source.len,
        .time_limit_ms = manifest_time_ms(manifest, -1, request->language),
        .memory_limit_kib = manifest_memory_kib(manifest, -1, request->language),
        .output_limit_kib = manifest->limits.output_kib,
        .job_total_ms = manifest->limits.job_total_ms,
    };
    memcpy(work->body.manifest_id, problem->manifest.bytes, 32);
    memcpy(work->body.source_sha256, work->source.sha256, 32);
    return true;
}

/* ---- the transaction ---- */

/* Requests whose key was used before the batch. */
struct used_key {
    struct user_id user;
    struct str key;
    struct submission_id submission;
    uint8_t digest[32];
};

struct batch {
    struct app *app;
    struct db *db;
    struct arena *arena;
    struct write_item **items;
    int count;
    struct turns turns;
    struct used_key *used; /* also by earlier items of this batch */
    int used_count;
    int64_t *problem_ids; /* ascending */
    int problem_count;
    int64_t *revisions; /* by place in problem_ids; 0: there is no such problem */
    int64_t now_ms;
};

static struct submit_request *request_at(const struct batch *batch, int index) {
    return (struct submit_request *)batch->items[index];
}

static struct turn_owner owner_of(const struct submit_request *request) {
    return (struct turn_owner){.queue = request->work->queue->id,
                               .priority = job_priority_of(request->origin),
                               .user = request->actor.user};
}

static void take_used(void *context, struct db_stmt *row) {
    struct batch *batch = context;
    struct used_key *used = &batch->used[batch->used_count++];
    used->user.value = db_i64(row, 0);
    used->key = arena_str(batch->arena, db_text(row, 1));
    used->submission.value = db_i64(row, 2);
    (void)db_sha256(row, 3, used->digest);
}

static void take_revision(void *context, struct db_stmt *row) {
    struct batch *batch = context;
    int place = ids_find(batch->problem_ids, batch->problem_count, db_i64(row, 0));
    batch->revisions[place] = db_i64(row, 1);
}

static struct rows_read read_revisions(struct batch *batch) {
    size_t room = (size_t)batch->count + 1;
    struct rows_value *keys = arena_array(batch->arena, room, sizeof keys[0]);
    batch->problem_ids = arena_array(batch->arena, room, sizeof batch->problem_ids[0]);
    batch->revisions = arena_array(batch->arena, room, sizeof batch->revisions[0]);
    for (int i = 0; i < batch->count; i++) {
        batch->problem_ids[i] = request_at(batch, i)->problem.value;
    }
    batch->problem_count = batch->count;
    ids_sort(batch->problem_ids, &batch->problem_count);
    for (int i = 0; i < batch->problem_count; i++) {
        keys[i] = rows_i64(batch->problem_ids[i]);
    }
    return (struct rows_read){.select = &problem_revision_select,
                              .values = keys,
                              .count = batch->problem_count,
                              .row = take_revision,
                              .context = batch};
}

/* One packet: whose turn it is, which keys were used, what was edited, the clock. */
static bool hold(struct batch *batch, struct err *err) {
    struct rows_read reads[TURNS_READS + 2];
    struct rows_value *keys = arena_array(batch->arena, 2 * (size_t)batch->count, sizeof keys[0]);
    int key_count = 0;
    batch->used = arena_array(batch->arena, 2 * (size_t)batch->count, sizeof batch->used[0]);
    turns_init(&batch->turns, batch->count, batch->arena);
    for (int i = 0; i < batch->count; i++) {
        const struct submit_request *request = request_at(batch, i);
        struct turn_owner owner = owner_of(request);
        turns_add(&batch->turns, &owner);
        if (request->request_id.len > 0) {
            keys[2 * key_count] = rows_i64(request->actor.user.value);
            keys[2 * key_count + 1] = rows_text(request->request_id);
            key_count++;
        }
    }
    turns_reads(&batch->turns, reads);
    reads[TURNS_READS] = (struct rows_read){.select = &request_select,
                                            .values = keys,
                                            .count = key_count,
                                            .row = take_used,
                                            .context = batch};
    reads[TURNS_READS + 1] = read_revisions(batch);
    return db_read(batch->db, reads, TURNS_READS + 2, &batch->now_ms, err);
}

static const struct used_key *find_used(const struct batch *batch,
                                        const struct submit_request *request) {
    for (int i = 0; request->request_id.len > 0 && i < batch->used_count; i++) {
        const struct used_key *used = &batch->used[i];
        if (used->user.value == request->actor.user.value &&
            str_eq(used->key, request->request_id)) {
            return used;
        }
    }
    return NULL;
}

/* True when the key was used before, and the item has its answer. */
static bool answer_repeated(const struct batch *batch, struct submit_request *request) {
    const struct used_key *first = find_used(batch, request);
    if (first == NULL) {
        return false;
    }
    if (memcmp(first->digest, request->work->request_digest.bytes, 32) != 0) {
        (void)err_set(&request->item.err, ERR_INVALID, "idempotency_mismatch",
                      "the idempotency key was used with another body");
        return true;
    }
    request->submission = first->submission;
    request->repeated = true;
    request->item.ok = true;
    return true;
}

static void note_used(struct batch *batch, const struct submit_request *request) {
    if (request->request_id.len > 0) {
        struct used_key *used = &batch->used[batch->used_count++];
        used->user = request->actor.user;
        used->key = request->request_id;
        used->submission = request->submission;
        memcpy(used->digest, request->work->request_digest.bytes, 32);
    }
}

static struct str trace_of(const struct submit_request *request, char out[TRACE_BYTES]) {
    if (request->actor.trace_id[0] != '\0') {
        return str_from(request->actor.trace_id);
    }
    int len = snprintf(out, TRACE_BYTES, "trace_%lld_%08x", (long long)request->submission.value,
                       (unsigned)request->work->trace_salt);
    return str_of(out, (size_t)len);
}

static bool is_sql(const struct app *app, struct str language) {
    const struct language *found =
        app->languages != NULL ? language_find(app->languages, language) : NULL;
    return found != NULL && found->sql != NULL;
}

static bool insert_job(struct batch *batch, const struct submit_request *request, struct job_id id,
                       struct err *err) {
    struct db *db = batch->db;
    struct turn_owner owner = owner_of(request);
    struct job job = {
        .id = id,
        .subject = is_sql(batch->app, request->language) ? SUBJECT_SQL : SUBJECT_ALGO,
        .submission = request->submission,
        .generation = 1,
        .queue = owner.queue,
        .priority = owner.priority,
        .state = JOB_QUEUED,
    };
    if (!turns_take(batch->app, db, &batch->turns, &owner, &job.order_key, err) ||
        !job_store_insert(db, &job, batch->now_ms, err) ||
        !job_body_insert(db, id, &request->work->body, err) || !place_insert_ready(db, &job, err)) {
        return false;
    }
    news_ready(batch->app, job.queue);
    return true;
}

/* S12: all of it or nothing, before anybody hears "received". */
static bool insert_all(struct batch *batch, struct submit_request *request, struct err *err) {
    char trace[TRACE_BYTES];
    struct submit_work *work = request->work;
    struct job_id job = {runner_take_id(batch->app, ID_JOB)};
    request->submission.value = runner_take_id(batch->app, ID_SUBMISSION);
    work->body.trace_id = trace_of(request, trace);
    struct submission_insert insert = {
        .id = request->submission,
        .kind = is_sql(batch->app, request->language) ? SUBMISSION_SQL : SUBMISSION_ALGO,
        .user = request->actor.user,
        .problem = request->problem,
        .language = request->language,
        .origin = request->origin,
        .job = job,
        .cases_total = work->cases_total,
        .request_key = request->request_id,
        .trace_id = work->body.trace_id,
        .now_ms = batch->now_ms,
    };
    memcpy(insert.manifest_id, work->body.manifest_id, 32);
    memcpy(insert.request_digest, work->request_digest.bytes, 32);
    request->repeated = false;
    request->item.ok = true;
    note_used(batch, request);
    return submission_store_insert(batch->db, &insert, err) &&
           source_store_insert(batch->db, request->submission, &work->source, err) &&
           insert_job(batch, request, job, err);
}

static bool is_current(const struct batch *batch, const struct submit_request *request) {
    int place = ids_find(batch->problem_ids, batch->problem_count, request->problem.value);
    return place >= 0 && batch->revisions[place] == request->work->problem_revision;
}

/* The problem was edited since the request was prepared: this time it is read here. False: the item
 * has its error. */
static bool prepare_again(struct batch *batch, struct submit_request *request) {
    struct problem_row problem = {0};
    struct err *err = &request->item.err;
    if (!problem_store_find(batch->db, request->problem, batch->arena, &problem, err) ||
        !check_problem(batch->app, request, &problem, err)) {
        return false;
    }
    memo_keep_problem(batch->app, &problem);
    return fill_body(batch->app, request, &problem, request->work, err);
}

/* False: the whole batch fails. */
static bool run_one(struct batch *batch, struct submit_request *request, struct err *err) {
    if (answer_repeated(batch, request)) {
        return true;
    }
    if (!is_current(batch, request) && !prepare_again(batch, request)) {
        *err = request->item.err;
        return err->kind != ERR_BUSY; /* the database has given the transaction up */
    }
    return insert_all(batch, request, err);
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    own(arena) arena = arena_create(BATCH_BYTES_MAX);
    struct batch batch = {.app = app, .db = db, .arena = arena, .items = items, .count = count};
    news_reset(app);
    if (!hold(&batch, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!run_one(&batch, request_at(&batch, i), err)) {
            return false;
        }
    }
    return true;
}

/* The id was ours alone, so its row is the proof. */
static bool read_back(struct app *app, struct db *db, struct write_item *item, struct err *err) {
    const struct submit_request *request = (struct submit_request *)item;
    struct submission_facts state = {0};
    bool found = false;
    (void)app;
    return submission_store_get(db, request->submission, &state, &found, err) && found;
}

static const struct write_kind submit_kind = {.name = "submit",
                                              .batch_max = BATCH_MAX,
                                              .lane = WRITE_SUBMIT,
                                              .run = run,
                                              .read_back = read_back,
                                              .committed = news_tell};

/* ---- before the transaction ---- */

static bool check_texts(struct app *app, const struct submit_request *request,
                        const struct language **ret_language, struct err *err) {
    *ret_language =
        app->languages != NULL ? language_find(app->languages, request->language) : NULL;
    if (*ret_language == NULL) {
        return err_set(err, ERR_INVALID, "unknown_language", "there is no language " STR_FMT,
                       STR_ARG(str_utf8_prefix(request->language, LANGUAGE_ID_BYTES_MAX)));
    }
    if (str_trim(request->source).len == 0) {
        return err_set(err, ERR_INVALID, "empty_source", "the source is empty");
    }
    if (request->source.len > SOURCE_BYTES_MAX) {
        return err_set(err, ERR_TOO_LARGE, "source_too_large",
                       "the source has %zu bytes, at most %d are taken", request->source.len,
                       SOURCE_BYTES_MAX);
    }
    if (request->request_id.len > IDEMPOTENCY_KEY_BYTES_MAX) {
        return err_set(err, ERR_INVALID, "bad_field", "the idempotency key has over %d bytes",
                       IDEMPOTENCY_KEY_BYTES_MAX);
    }
    return true;
}

/* As remembered; an edit since then shows in the transaction. Nobody is refused by what is only
 * remembered. */
static bool read_problem(struct app *app, const struct submit_request *request, struct arena *arena,
                         struct problem_row *ret_problem, struct err *err) {
    own(db_reader) reader = NULL;
    if (memo_find_problem(app, request->problem, arena, ret_problem) &&
        check_problem(app, request, ret_problem, err)) {
        return true;
    }
    *err = (struct err){0};
    if (!db_pool_take(app->readers, &reader, err) ||
        !problem_store_find(reader->db, request->problem, arena, ret_problem, err)) {
        return false;
    }
    memo_keep_problem(app, ret_problem);
    return check_problem(app, request, ret_problem, err);
}

static struct digest digest_request(const struct submit_request *request) {
    struct digest_stream stream;
    char problem[32];
    int len = snprintf(problem, sizeof problem, "%lld\n", (long long)request->problem.value);
    digest_begin(&stream);
    digest_add(&stream, str_of(problem, (size_t)len));
    digest_add(&stream, request->language);
    digest_add(&stream, STR("\n"));
    digest_add(&stream, request->source);
    return digest_end(&stream);
}

/* A repeated key has its place already: it gets its answer however full the queue is. */
static bool is_repeated(struct db *db, const struct submit_request *request, bool *ret_repeated,
                        struct err *err) {
    *ret_repeated = false;
    return request->request_id.len == 0 ||
           submission_store_has_request(db, request->actor.user, request->request_id, ret_repeated,
                                        err);
}

static bool check_room(struct app *app, const struct submit_request *request,
                       const struct queue_info *queue, struct err *err) {
    own(db_reader) reader = NULL;
    bool repeated = false;
    enum job_priority priority = job_priority_of(request->origin);
    if (!db_pool_take(app->readers, &reader, err)) {
        return false;
    }
    struct err full = {0};
    if (backlog_admit(app, reader->db, queue->id, priority, &full)) {
        return true;
    }
    if (full.kind == ERR_LIMITED && !is_repeated(reader->db, request, &repeated, err)) {
        return false;
    }
    *err = full;
    return repeated;
}

static bool prepare(struct app *app, struct submit_request *request, struct err *err) {
    own(arena) arena = arena_create(WORK_BYTES_MAX);
    const struct language *language = NULL;
    struct problem_row problem = {0};
    if (!actor_need_user(&request->actor, err) || !check_texts(app, request, &language, err) ||
        !read_problem(app, request, arena, &problem, err)) {
        return false;
    }
    const struct queue_info *queue = queues_of_pool(app, str_from(language->pool));
    CHECK(queue != NULL); /* made for every language when the app opened */
    if (!check_room(app, request, queue, err)) {
        return false;
    }
    struct submit_work *work = arena_new(arena, struct submit_work);
    struct digest source = digest_of(request->source);
    memcpy(work->source.sha256, source.bytes, 32);
    work->source.packed = pack(request->source, arena);
    work->request_digest = digest_request(request);
    work->app = app;
    work->trace_salt = (uint32_t)random_u64(app->random);
    work->queue = queue;
    if (!fill_body(app, request, &problem, work, err)) {
        return false;
    }
    work->arena = take(arena);
    request->work = work;
    return true;
}

static void finish(struct write_item *item) {
    struct submit_request *request = (struct submit_request *)item;
    struct submit_work *work = take(request->work);
    item->done = work->done;
    atomic_fetch_add(&work->app->busy_rejects, !item->ok && item->err.kind == ERR_BUSY ? 1 : 0);
    arena_free(work->arena); /* `work` with it */
    item->done(item);
}

void submission_submit(struct app *app, struct submit_request *request) {
    struct err err = {0};
    request->repeated = false;
    request->work = NULL;
    request->origin = request->origin > 0 ? request->origin : ORIGIN_PRACTICE;
    if (!prepare(app, request, &err)) {
        app_fail(&request->item, &err);
        return;
    }
    request->work->done = request->item.done;
    request->item.done = finish;
    request->item.kind = &submit_kind;
    app_write(app, &request->item);
}
