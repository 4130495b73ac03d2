/* Who wants to know when a submission changes. Buckets by id, each with a lock that is held while
 * its watchers are told: a watch that was closed is told nothing afterwards. */
#include "app/backlog_internal.h"
#include "app/held_internal.h"
#include "app/parts_internal.h"
#include "app/submission.h"
#include "app/watch_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/thread.h"
#include "store/queue_store.h"

#include <stdlib.h>

#define BUCKETS 64 /* a power of two */

struct submission_watch {
    struct app *app;
    int64_t submission;
    submission_notify_fn *notify;
    void *context;
    struct job_id job; /* what follows: under the bucket's mutex; place 0: none was shown */
    struct queue_id queue;
    int64_t place;
    int64_t standing; /* watches_note_standing; 0: none yet */
    struct submission_watch *next;
};

struct bucket {
    struct mutex mutex;
    struct submission_watch *first;
};

struct watch_hub {
    struct bucket buckets[BUCKETS];
    atomic_int count;
};

static struct bucket *bucket_of(struct app *app, int64_t submission) {
    return &app->watches->buckets[(uint64_t)submission & (BUCKETS - 1)];
}

static void on_wake(void *context, const struct wake_message *message) {
    struct bucket *bucket = bucket_of(context, message->id);
    mutex_lock(&bucket->mutex);
    for (struct submission_watch *w = bucket->first; w != NULL; w = w->next) {
        if (w->submission == message->id) {
            w->notify(w->context);
        }
    }
    mutex_unlock(&bucket->mutex);
}

/* Hints were lost: everybody looks. */
static void on_look(void *context, const struct wake_message *message) {
    struct app *app = context;
    (void)message;
    for (int i = 0; i < BUCKETS; i++) {
        struct bucket *bucket = &app->watches->buckets[i];
        mutex_lock(&bucket->mutex);
        for (struct submission_watch *w = bucket->first; w != NULL; w = w->next) {
            w->notify(w->context);
        }
        mutex_unlock(&bucket->mutex);
    }
}

bool submission_watch_open(struct app *app, struct submission_id id, submission_notify_fn *notify,
                           void *context, struct submission_watch **ret_watch, struct err *err) {
    if (atomic_fetch_add(&app->watches->count, 1) >= SUBMISSION_WAITERS_MAX) {
        atomic_fetch_sub(&app->watches->count, 1);
        return err_set(err, ERR_LIMITED, "too_many_requests",
                       "too many submissions are being watched: look again in a while");
    }
    struct submission_watch *watch = calloc(1, sizeof *watch);
    CHECK(watch != NULL);
    *watch = (struct submission_watch){
        .app = app, .submission = id.value, .notify = notify, .context = context};
    struct bucket *bucket = bucket_of(app, id.value);
    mutex_lock(&bucket->mutex);
    watch->next = bucket->first;
    bucket->first = watch;
    mutex_unlock(&bucket->mutex);
    *ret_watch = watch;
    return true;
}

void submission_watch_close(struct submission_watch *watch) {
    if (watch == NULL) {
        return;
    }
    struct bucket *bucket = bucket_of(watch->app, watch->submission);
    mutex_lock(&bucket->mutex);
    struct submission_watch **link = &bucket->first;
    while (*link != watch) {
        CHECK(*link != NULL);
        link = &(*link)->next;
    }
    *link = watch->next;
    mutex_unlock(&bucket->mutex);
    atomic_fetch_sub(&watch->app->watches->count, 1);
    free(watch);
}

/* ---- how they stand ---- */

int watches_list(struct app *app, int64_t *ret_ids, int max) {
    int count = 0;
    for (int i = 0; i < BUCKETS; i++) {
        struct bucket *bucket = &app->watches->buckets[i];
        mutex_lock(&bucket->mutex);
        for (struct submission_watch *w = bucket->first; w != NULL && count < max; w = w->next) {
            ret_ids[count++] = w->submission;
        }
        mutex_unlock(&bucket->mutex);
    }
    ids_sort(ret_ids, &count);
    return count;
}

void watches_note_standing(struct app *app, struct submission_id submission, int64_t standing,
                           bool reported) {
    struct bucket *bucket = bucket_of(app, submission.value);
    mutex_lock(&bucket->mutex);
    for (struct submission_watch *w = bucket->first; w != NULL; w = w->next) {
        if (w->submission == submission.value && (reported || w->standing != standing)) {
            w->standing = standing;
            w->notify(w->context);
        }
    }
    mutex_unlock(&bucket->mutex);
}

/* ---- places ---- */

void watches_note_place(struct app *app, struct submission_id submission, const struct job *job,
                        int64_t place) {
    struct bucket *bucket = bucket_of(app, submission.value);
    mutex_lock(&bucket->mutex);
    for (struct submission_watch *w = bucket->first; w != NULL; w = w->next) {
        if (w->submission == submission.value) {
            w->job = job->id;
            w->queue = job->queue;
            w->place = place;
        }
    }
    mutex_unlock(&bucket->mutex);
}

struct shown {
    struct job jobs[QUEUES_MAX]; /* one of each queue that is looked at */
    int count;
};

static void add_queue(struct shown *shown, const struct submission_watch *watch) {
    for (int i = 0; i < shown->count; i++) {
        if (shown->jobs[i].queue.value == watch->queue.value) {
            return;
        }
    }
    if (shown->count < QUEUES_MAX) {
        shown->jobs[shown->count++] = (struct job){.id = watch->job, .queue = watch->queue};
    }
}

static bool has_moved(int64_t from, int64_t to) {
    int64_t step = from / 10 > 1 ? from / 10 : 1;
    return to > 0 && (to <= from - step || to >= from + step);
}

static void tell_moved(struct app *app, struct bucket *bucket) {
    mutex_lock(&bucket->mutex);
    for (struct submission_watch *w = bucket->first; w != NULL; w = w->next) {
        if (w->place > 0 && has_moved(w->place, backlog_known_place(app, w->queue, w->job))) {
            w->notify(w->context);
        }
    }
    mutex_unlock(&bucket->mutex);
}

static void find_shown(struct app *app, struct shown *shown) {
    for (int i = 0; i < BUCKETS; i++) {
        struct bucket *bucket = &app->watches->buckets[i];
        mutex_lock(&bucket->mutex);
        for (struct submission_watch *w = bucket->first; w != NULL; w = w->next) {
            if (w->place > 0) {
                add_queue(shown, w);
            }
        }
        mutex_unlock(&bucket->mutex);
    }
}

void watches_push_places(struct app *app) {
    struct shown *shown = calloc(1, sizeof *shown);
    CHECK(shown != NULL);
    find_shown(app, shown);
    own(db_reader) reader = NULL;
    struct err ignored = {0}; /* looked at again the next time */
    bool read = shown->count > 0 && db_pool_take(app->readers, &reader, &ignored);
    for (int i = 0; read && i < shown->count; i++) {
        int64_t place = 0;
        read = backlog_place(app, reader->db, &shown->jobs[i], &place, &ignored);
    }
    for (int i = 0; read && i < BUCKETS; i++) {
        tell_moved(app, &app->watches->buckets[i]);
    }
    free(shown);
}

/* ---- the part ---- */

bool watches_part_open(struct app *app, struct err *err) {
    (void)err;
    app->watches = calloc(1, sizeof *app->watches);
    CHECK(app->watches != NULL);
    for (int i = 0; i < BUCKETS; i++) {
        mutex_init(&app->watches->buckets[i].mutex);
    }
    wake_listen(app->wake, WAKE_SUBMISSION, on_wake, app);
    wake_listen(app->wake, WAKE_LOOK, on_look, app);
    return true;
}

void watches_part_close(struct app *app) {
    if (app->watches == NULL) {
        return;
    }
    CHECK(atomic_load(&app->watches->count) == 0); /* else a stream outlives the app */
    for (int i = 0; i < BUCKETS; i++) {
        mutex_done(&app->watches->buckets[i].mutex);
    }
    free(app->watches);
}
