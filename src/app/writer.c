/* Group commit. Items wait in a queue for each kind; a batch is the front of the queue whose first
 * item has waited longest. What happens to a batch:
 *
 *     begin, run, commit -> committed, done for each
 *     failed, may retry  -> rolled back, tried again up to ATTEMPTS_MAX times
 *     failed otherwise   -> rolled back; each item alone, so that one cannot fail its neighbours
 *     commit unknown     -> each item is read back by its kind, and run again when it took no
 * effect
 *
 * Numbers in parentheses are the invariants of writer.h. */
#include "app/writer_internal.h"
#include "base/check.h"
#include "base/thread.h"

#include <stdlib.h>
#include <string.h>

#define ATTEMPTS_MAX 4
#define RETRY_MS 2 /* doubled each time */
#define UNKNOWN_RETRY_MS 2000

struct kind_queue {
    const struct write_kind *kind;
    struct write_item *head;
    struct write_item *tail;
};

struct thread_runner {
    struct writer_runner needs;
    struct writer *writer;
    pthread_t thread; /* set before the first item, never changed */
};

struct writer {
    struct app *app;
    const struct clock *clock;
    struct id_blocks *ids;
    struct thread_runner runners[WRITER_RUNNERS_MAX];
    int runner_count;
    struct mutex mutex; /* all below */
    bool lane_busy[WRITE_LANE_COUNT];
    struct cond arrived;
    struct kind_queue queues[WRITER_KINDS_MAX];
    int kinds;
    int count;
    uint64_t next_order;
    bool closed;
    bool threaded; /* set before the first item, never changed */
    bool joined;
};

struct batch {
    const struct writer_runner *runner;
    const struct write_kind *kind;
    struct write_item *items[ID_TAKE_MAX];
    int count;
};

enum outcome { COMMITTED = 1, FAILED, UNKNOWN };

struct writer *writer_create(const struct writer_options *options) {
    struct writer *writer = calloc(1, sizeof *writer);
    CHECK(writer != NULL);
    CHECK(options->runner_count >= 1 && options->runner_count <= WRITER_RUNNERS_MAX);
    writer->app = options->app;
    writer->clock = options->clock;
    writer->ids = options->ids;
    writer->runner_count = options->runner_count;
    for (int i = 0; i < options->runner_count; i++) {
        writer->runners[i] = (struct thread_runner){.needs = options->runners[i], .writer = writer};
    }
    mutex_init(&writer->mutex);
    cond_init(&writer->arrived);
    return writer;
}

void writer_free(struct writer *writer) {
    if (writer == NULL) {
        return;
    }
    CHECK(writer->count == 0 && (!writer->threaded || writer->joined));
    cond_done(&writer->arrived);
    mutex_done(&writer->mutex);
    free(writer);
}

/* ---- the queue ---- */

static struct kind_queue *queue_of(struct writer *writer, const struct write_kind *kind) {
    for (int i = 0; i < writer->kinds; i++) {
        if (writer->queues[i].kind == kind) {
            return &writer->queues[i];
        }
    }
    CHECK(writer->kinds < WRITER_KINDS_MAX);
    CHECK(kind->batch_max > 0 && kind->batch_max <= ID_TAKE_MAX);
    struct kind_queue *queue = &writer->queues[writer->kinds++];
    queue->kind = kind;
    return queue;
}

static bool put(struct writer *writer, struct write_item *item) {
    bool taken = !writer->closed && writer->count < WRITER_ITEMS_MAX;
    if (!taken) {
        return false;
    }
    struct kind_queue *queue = queue_of(writer, item->kind);
    item->next = NULL;
    item->order = writer->next_order++;
    if (queue->tail == NULL) {
        queue->head = item;
    } else {
        queue->tail->next = item;
    }
    queue->tail = item;
    writer->count++;
    cond_signal(&writer->arrived);
    return true;
}

void writer_queue(struct writer *writer, struct write_item *item) {
    CHECK(item->kind != NULL && item->done != NULL);
    item->ok = false;
    item->held = false;
    item->err = (struct err){0};
    mutex_lock(&writer->mutex);
    bool closed = writer->closed;
    bool taken = put(writer, item);
    mutex_unlock(&writer->mutex);
    if (!taken) {
        (void)err_set(&item->err, ERR_BUSY, "busy",
                      closed ? "the server is stopping" : "too many requests are waiting");
        item->done(item);
    }
}

/* Of a lane that nobody is working in. */
static struct kind_queue *longest_waiting(struct writer *writer) {
    struct kind_queue *found = NULL;
    for (int i = 0; i < writer->kinds; i++) {
        struct kind_queue *queue = &writer->queues[i];
        if (queue->head != NULL && !writer->lane_busy[queue->kind->lane] &&
            (found == NULL || queue->head->order < found->head->order)) {
            found = queue;
        }
    }
    return found;
}

/* The front of one queue, in its order (2). */
static bool take_batch(struct writer *writer, struct batch *batch) {
    struct kind_queue *queue = longest_waiting(writer);
    if (queue == NULL) {
        return false;
    }
    batch->kind = queue->kind;
    batch->count = 0;
    writer->lane_busy[queue->kind->lane] = true;
    while (queue->head != NULL && batch->count < queue->kind->batch_max) {
        struct write_item *item = queue->head;
        queue->head = item->next;
        item->next = NULL;
        batch->items[batch->count++] = item;
    }
    if (queue->head == NULL) {
        queue->tail = NULL;
    }
    writer->count -= batch->count;
    return true;
}

/* ---- one batch ---- */

static void forget_outcome(struct write_item **items, int count) {
    for (int i = 0; i < count; i++) {
        items[i]->ok = false;
        items[i]->held = false;
        items[i]->err = (struct err){0};
    }
}

static enum outcome attempt(struct writer *writer, const struct batch *batch,
                            struct write_item **items, int count, struct err *err) {
    const struct write_kind *kind = batch->kind;
    const struct writer_runner *runner = batch->runner;
    struct db *db = runner->db;
    forget_outcome(items, count);
    if (!id_blocks_fill(writer->ids, db, err) || !db_begin(db, err)) {
        return FAILED;
    }
    bool done = kind->run(writer->app, db, items, count, err) && db_commit(db, err);
    if (!done) {
        bool unknown = err->code != NULL && strcmp(err->code, "commit_unknown") == 0;
        db_rollback(db);
        return unknown ? UNKNOWN : FAILED;
    }
    return COMMITTED;
}

static enum outcome attempt_often(struct writer *writer, const struct batch *batch,
                                  struct write_item **items, int count, struct err *err) {
    enum outcome outcome = FAILED;
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
        if (i > 0) {
            clock_sleep_ms(writer->clock, RETRY_MS << i);
        }
        *err = (struct err){0};
        outcome = attempt(writer, batch, items, count, err);
        if (outcome != FAILED || !db_may_retry(err)) {
            break;
        }
    }
    return outcome;
}

/* What `committed` keeps is no longer ours. */
static void finish(struct writer *writer, const struct write_kind *kind, struct write_item **items,
                   int count) {
    CHECK(count <= ID_TAKE_MAX);
    struct write_item *left[ID_TAKE_MAX];
    for (int i = 0; i < count; i++) {
        CHECK(!items[i]->held || kind->committed != NULL);
        left[i] = items[i]->held ? NULL : items[i];
    }
    if (kind->committed != NULL) {
        kind->committed(writer->app, items, count);
    }
    for (int i = 0; i < count; i++) {
        if (left[i] != NULL) {
            left[i]->done(left[i]); /* may free it */
        }
    }
}

static void fail_item(struct write_item *item, const struct err *err) {
    item->ok = false;
    item->held = false;
    item->err = *err;
    item->done(item);
}

enum made { MADE = 1, NOT_MADE, NOT_READ };

/* Looks for the item's effect. A reading that failed tells nothing: running the item again then
 * could make it twice. */
static enum made was_made(struct writer *writer, const struct batch *batch, struct write_item *item,
                          struct err *err) {
    const struct write_kind *kind = batch->kind;
    const struct writer_runner *runner = batch->runner;
    struct db *db = runner->db;
    if (kind->read_back == NULL) {
        return NOT_MADE;
    }
    *err = (struct err){0};
    if (!db_begin(db, err)) {
        return NOT_READ;
    }
    bool found = kind->read_back(writer->app, db, item, err);
    db_rollback(db);
    item->ok = found;
    if (found) {
        return MADE;
    }
    bool answered = err->kind == ERR_NONE || err->kind == ERR_MISSING ||
                    err->kind == ERR_UNAUTHENTICATED; /* no such session */
    return answered ? NOT_MADE : NOT_READ;
}

/* It may be kept or not, and the database does not answer: whoever asked must not take it for a
 * refusal. */
static void fail_unknown(struct write_item *item) {
    struct err err = {0};
    (void)err_set(&err, ERR_BUSY, "outcome_unknown",
                  "the database broke off, and nobody can tell yet whether this was kept: look "
                  "whether it is there, or send the same again under the same key");
    err.retry_ms = UNKNOWN_RETRY_MS;
    fail_item(item, &err);
}

/* Each item by itself; after an unknown commit it is looked for before it is run again (4). */
static void run_alone(struct writer *writer, const struct batch *batch, struct write_item *item,
                      bool unknown) {
    const struct write_kind *kind = batch->kind;
    struct err err = {0};
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
        enum made made = unknown ? was_made(writer, batch, item, &err) : NOT_MADE;
        if (made == MADE) {
            finish(writer, kind, &item, 1);
            return;
        }
        if (made == NOT_READ) {
            clock_sleep_ms(writer->clock, RETRY_MS << i);
            continue;
        }
        unknown = false;
        switch (attempt_often(writer, batch, &item, 1, &err)) {
        case COMMITTED: finish(writer, kind, &item, 1); return;
        case FAILED: fail_item(item, &err); return;
        case UNKNOWN: unknown = true; break;
        }
    }
    fail_unknown(item);
}

static void run_batch(struct writer *writer, struct batch *batch) {
    struct err err = {0};
    enum outcome outcome = attempt_often(writer, batch, batch->items, batch->count, &err);
    if (outcome == COMMITTED) {
        finish(writer, batch->kind, batch->items, batch->count);
        return;
    }
    if (outcome == FAILED && batch->count == 1) {
        fail_item(batch->items[0], &err);
        return;
    }
    for (int i = 0; i < batch->count; i++) {
        run_alone(writer, batch, batch->items[i], outcome == UNKNOWN);
    }
}

/* ---- who drives it ---- */

/* Whoever waits may take what has come into the lane meanwhile. */
static void leave_lane(struct writer *writer, const struct batch *batch) {
    mutex_lock(&writer->mutex);
    writer->lane_busy[batch->kind->lane] = false;
    cond_broadcast(&writer->arrived);
    mutex_unlock(&writer->mutex);
}

bool writer_step(struct writer *writer) {
    struct batch batch = {.runner = &writer->runners[0].needs};
    mutex_lock(&writer->mutex);
    bool found = take_batch(writer, &batch);
    mutex_unlock(&writer->mutex);
    if (found) {
        run_batch(writer, &batch);
        leave_lane(writer, &batch);
    }
    return found;
}

/* After the closing, what is left in a busy lane is taken by who is in it. */
static bool wait_for_batch(struct writer *writer, struct batch *batch) {
    mutex_lock(&writer->mutex);
    bool found = take_batch(writer, batch);
    while (!found && !writer->closed) {
        cond_wait(&writer->arrived, &writer->mutex);
        found = take_batch(writer, batch);
    }
    mutex_unlock(&writer->mutex);
    return found;
}

static void *writer_main(void *argument) {
    const struct thread_runner *runner = argument;
    struct batch batch = {.runner = &runner->needs};
    while (wait_for_batch(runner->writer, &batch)) {
        run_batch(runner->writer, &batch);
        leave_lane(runner->writer, &batch);
    }
    return NULL;
}

void writer_start(struct writer *writer) {
    writer->threaded = true;
    for (int i = 0; i < writer->runner_count; i++) {
        writer->runners[i].thread = thread_start("writer", writer_main, &writer->runners[i]);
    }
}

void writer_close(struct writer *writer) {
    mutex_lock(&writer->mutex);
    writer->closed = true;
    cond_broadcast(&writer->arrived);
    mutex_unlock(&writer->mutex);
}

void writer_finish(struct writer *writer) {
    if (writer->threaded && !writer->joined) {
        for (int i = 0; i < writer->runner_count; i++) {
            thread_join(writer->runners[i].thread);
        }
        writer->joined = true;
    }
    while (writer_step(writer)) { /* what a stepped writer still has */
    }
}

static int find_here(const struct writer *writer) {
    for (int i = 0; writer->threaded && i < writer->runner_count; i++) {
        if (pthread_equal(writer->runners[i].thread, pthread_self())) {
            return i;
        }
    }
    return -1;
}

bool writer_is_here(const struct writer *writer) {
    return find_here(writer) >= 0;
}

int writer_runner_here(const struct writer *writer) {
    int found = find_here(writer);
    return found < 0 ? 0 : found;
}

struct waiter {
    struct mutex mutex;
    struct cond cond;
    bool done;
};

static void wake_waiter(struct write_item *item) {
    struct waiter *waiter = item->context;
    mutex_lock(&waiter->mutex);
    waiter->done = true;
    cond_signal(&waiter->cond);
    mutex_unlock(&waiter->mutex);
}

bool writer_wait(struct writer *writer, struct write_item *item, struct err *err) {
    CHECK(!writer_is_here(writer));
    struct waiter waiter = {.done = false};
    mutex_init(&waiter.mutex);
    cond_init(&waiter.cond);
    item->done = wake_waiter;
    item->context = &waiter;
    writer_queue(writer, item);
    while (!writer->threaded && !waiter.done && writer_step(writer)) {
    }
    mutex_lock(&waiter.mutex);
    while (!waiter.done) {
        cond_wait(&waiter.cond, &waiter.mutex);
    }
    mutex_unlock(&waiter.mutex);
    cond_done(&waiter.cond);
    mutex_done(&waiter.mutex);
    if (!item->ok) {
        *err = item->err;
    }
    return item->ok;
}
