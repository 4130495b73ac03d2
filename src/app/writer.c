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

struct kind_queue {
    const struct write_kind *kind;
    struct write_item *head;
    struct write_item *tail;
};

struct writer {
    struct writer_options options;
    struct mutex mutex; /* all below */
    struct cond arrived;
    struct kind_queue queues[WRITER_KINDS_MAX];
    int kinds;
    int count;
    uint64_t next_order;
    bool closed;
    bool threaded; /* set before the first item, never changed */
    bool joined;
    pthread_t thread;
};

struct batch {
    const struct write_kind *kind;
    struct write_item *items[ID_TAKE_MAX];
    int count;
};

enum outcome { COMMITTED = 1, FAILED, UNKNOWN };

struct writer *writer_create(const struct writer_options *options) {
    struct writer *writer = calloc(1, sizeof *writer);
    CHECK(writer != NULL);
    writer->options = *options;
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

static struct kind_queue *longest_waiting(struct writer *writer) {
    struct kind_queue *found = NULL;
    for (int i = 0; i < writer->kinds; i++) {
        struct kind_queue *queue = &writer->queues[i];
        if (queue->head != NULL && (found == NULL || queue->head->order < found->head->order)) {
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

static enum outcome attempt(struct writer *writer, const struct write_kind *kind,
                            struct write_item **items, int count, struct err *err) {
    struct db *db = writer->options.db;
    forget_outcome(items, count);
    if (!id_blocks_fill(writer->options.ids, db, err) || !db_begin(db, err)) {
        return FAILED;
    }
    bool done = kind->run(writer->options.app, db, items, count, err) && db_commit(db, err);
    if (!done) {
        bool unknown = err->code != NULL && strcmp(err->code, "commit_unknown") == 0;
        db_rollback(db);
        return unknown ? UNKNOWN : FAILED;
    }
    return COMMITTED;
}

static enum outcome attempt_often(struct writer *writer, const struct write_kind *kind,
                                  struct write_item **items, int count, struct err *err) {
    enum outcome outcome = FAILED;
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
        if (i > 0) {
            clock_sleep_ms(writer->options.clock, RETRY_MS << i);
        }
        *err = (struct err){0};
        outcome = attempt(writer, kind, items, count, err);
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
        kind->committed(writer->options.app, items, count);
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
static enum made was_made(struct writer *writer, const struct write_kind *kind,
                          struct write_item *item, struct err *err) {
    struct db *db = writer->options.db;
    if (kind->read_back == NULL) {
        return NOT_MADE;
    }
    *err = (struct err){0};
    if (!db_begin(db, err)) {
        return NOT_READ;
    }
    bool found = kind->read_back(writer->options.app, db, item, err);
    db_rollback(db);
    item->ok = found;
    if (found) {
        return MADE;
    }
    bool answered = err->kind == ERR_NONE || err->kind == ERR_MISSING ||
                    err->kind == ERR_UNAUTHENTICATED; /* no such session */
    return answered ? NOT_MADE : NOT_READ;
}

/* Each item by itself; after an unknown commit it is looked for before it is run again (4). */
static void run_alone(struct writer *writer, const struct write_kind *kind, struct write_item *item,
                      bool unknown) {
    struct err err = {0};
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
        enum made made = unknown ? was_made(writer, kind, item, &err) : NOT_MADE;
        if (made == MADE) {
            finish(writer, kind, &item, 1);
            return;
        }
        if (made == NOT_READ) {
            clock_sleep_ms(writer->options.clock, RETRY_MS << i);
            continue;
        }
        switch (attempt_often(writer, kind, &item, 1, &err)) {
        case COMMITTED: finish(writer, kind, &item, 1); return;
        case FAILED: fail_item(item, &err); return;
        case UNKNOWN: unknown = true; break;
        }
    }
    fail_item(item, &err);
}

static void run_batch(struct writer *writer, struct batch *batch) {
    struct err err = {0};
    enum outcome outcome = attempt_often(writer, batch->kind, batch->items, batch->count, &err);
    if (outcome == COMMITTED) {
        finish(writer, batch->kind, batch->items, batch->count);
        return;
    }
    if (outcome == FAILED && batch->count == 1) {
        fail_item(batch->items[0], &err);
        return;
    }
    for (int i = 0; i < batch->count; i++) {
        run_alone(writer, batch->kind, batch->items[i], outcome == UNKNOWN);
    }
}

/* ---- who drives it ---- */

bool writer_step(struct writer *writer) {
    struct batch batch = {0};
    mutex_lock(&writer->mutex);
    bool found = take_batch(writer, &batch);
    mutex_unlock(&writer->mutex);
    if (found) {
        run_batch(writer, &batch);
    }
    return found;
}

static bool wait_for_batch(struct writer *writer, struct batch *batch) {
    mutex_lock(&writer->mutex);
    while (writer->count == 0 && !writer->closed) {
        cond_wait(&writer->arrived, &writer->mutex);
    }
    bool found = take_batch(writer, batch);
    mutex_unlock(&writer->mutex);
    return found;
}

static void *writer_main(void *argument) {
    struct writer *writer = argument;
    struct batch batch = {0};
    while (wait_for_batch(writer, &batch)) {
        run_batch(writer, &batch);
    }
    return NULL;
}

void writer_start(struct writer *writer) {
    writer->threaded = true;
    writer->thread = thread_start("writer", writer_main, writer);
}

void writer_close(struct writer *writer) {
    mutex_lock(&writer->mutex);
    writer->closed = true;
    cond_broadcast(&writer->arrived);
    mutex_unlock(&writer->mutex);
}

void writer_finish(struct writer *writer) {
    if (writer->threaded && !writer->joined) {
        thread_join(writer->thread);
        writer->joined = true;
    }
    while (writer_step(writer)) { /* what a stepped writer still has */
    }
}

bool writer_is_here(const struct writer *writer) {
    return writer->threaded && pthread_equal(writer->thread, pthread_self());
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
