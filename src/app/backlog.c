#include "app/backlog_internal.h"
#include "app/parts_internal.h"
#include "app/queues_internal.h"
#include "app/summary_internal.h"
#include "base/check.h"
#include "base/thread.h"
#include "store/place_store.h"
#include "store/queue_store.h"

#include <stdlib.h>

#define FRESH_MS 1000
#define AGAIN_MS 250    /* the least between two scans, for a job that the last one did not see */
#define COST_FACTOR 100 /* scanning takes at most one hundredth of the time */
#define KEPT_MS_MAX 10000
#define RETRY_MS_MIN 5000
#define RETRY_MS_MAX 300000
#define RETRY_MS_DEFAULT 30000

struct placed {
    int64_t job;
    int32_t place;
};

struct lane {
    int64_t depth; /* as counted, and what was accepted since */
    int64_t until_mono_ms;
};

struct entry {
    int64_t queue;
    struct placed *placed; /* by job */
    int count;
    bool whole; /* all that wait are in it */
    int64_t read_mono_ms;
    int64_t until_mono_ms;
    struct lane lanes[PRIORITY_COUNT];
    int64_t pace_ms; /* of a judging, smoothed; 0: none seen */
};

struct backlog {
    struct mutex mutex; /* also while reading: whoever comes meanwhile wants the same */
    struct entry entries[QUEUES_MAX];
    int count;
};

/* Under the mutex; NULL when there are more queues than there may be. */
static struct entry *entry_of(struct backlog *backlog, struct queue_id queue) {
    for (int i = 0; i < backlog->count; i++) {
        if (backlog->entries[i].queue == queue.value) {
            return &backlog->entries[i];
        }
    }
    if (backlog->count == QUEUES_MAX) {
        return NULL;
    }
    struct entry *entry = &backlog->entries[backlog->count++];
    *entry = (struct entry){.queue = queue.value, .read_mono_ms = INT64_MIN / 2};
    return entry;
}

static int64_t keep_until(int64_t begin_ms, int64_t end_ms) {
    int64_t keep_ms = (end_ms - begin_ms) * COST_FACTOR;
    keep_ms = keep_ms < FRESH_MS ? FRESH_MS : keep_ms;
    return end_ms + (keep_ms < KEPT_MS_MAX ? keep_ms : KEPT_MS_MAX);
}

/* ---- places ---- */

static int compare(const void *a, const void *b) {
    int64_t left = ((const struct placed *)a)->job;
    int64_t right = ((const struct placed *)b)->job;
    return left < right ? -1 : left > right ? 1 : 0;
}

static bool scan(struct app *app, struct db *db, struct entry *entry, struct err *err) {
    int64_t begin_ms = clock_mono_ms(app->clock);
    struct job_id *jobs = calloc(PLACES_MAX + 1, sizeof jobs[0]);
    CHECK(jobs != NULL);
    int count = 0;
    bool read = place_scan(db, (struct queue_id){entry->queue}, jobs, PLACES_MAX + 1, &count, err);
    if (read) {
        entry->whole = count <= PLACES_MAX;
        entry->count = entry->whole ? count : PLACES_MAX;
        entry->placed = realloc(entry->placed, ((size_t)entry->count + 1) * sizeof(struct placed));
        CHECK(entry->placed != NULL);
        for (int i = 0; i < entry->count; i++) {
            entry->placed[i] = (struct placed){jobs[i].value, i + 1};
        }
        qsort(entry->placed, (size_t)entry->count, sizeof entry->placed[0], compare);
        entry->read_mono_ms = clock_mono_ms(app->clock);
        entry->until_mono_ms = keep_until(begin_ms, entry->read_mono_ms);
    }
    free(jobs);
    return read;
}

static int64_t find(const struct entry *entry, struct job_id job) {
    struct placed wanted = {.job = job.value};
    const struct placed *found =
        entry->count == 0
            ? NULL
            : bsearch(&wanted, entry->placed, (size_t)entry->count, sizeof wanted, compare);
    return found != NULL ? found->place : entry->whole ? 0 : PLACES_MAX + 1;
}

static bool is_due(const struct app *app, const struct entry *entry, struct job_id job) {
    int64_t now_ms = clock_mono_ms(app->clock);
    return now_ms >= entry->until_mono_ms ||
           (find(entry, job) == 0 && now_ms >= entry->read_mono_ms + AGAIN_MS);
}

bool backlog_place(struct app *app, struct db *db, const struct job *job, int64_t *ret_place,
                   struct err *err) {
    struct backlog *backlog = app->backlog;
    mutex_lock(&backlog->mutex);
    struct entry *entry = entry_of(backlog, job->queue);
    bool read = entry == NULL || !is_due(app, entry, job->id) || scan(app, db, entry, err);
    if (read) {
        *ret_place = entry != NULL ? find(entry, job->id) : 0;
    }
    mutex_unlock(&backlog->mutex);
    return read;
}

int64_t backlog_known_place(struct app *app, struct queue_id queue, struct job_id job) {
    mutex_lock(&app->backlog->mutex);
    const struct entry *entry = entry_of(app->backlog, queue);
    int64_t place = entry != NULL ? find(entry, job) : 0;
    mutex_unlock(&app->backlog->mutex);
    return place;
}

/* ---- pace ---- */

void backlog_pace(struct app *app, struct queue_id queue, int64_t judged_ms) {
    mutex_lock(&app->backlog->mutex);
    struct entry *entry = entry_of(app->backlog, queue);
    judged_ms = judged_ms > 0 ? judged_ms : 1;
    if (entry != NULL) {
        entry->pace_ms =
            entry->pace_ms == 0 ? judged_ms : entry->pace_ms + (judged_ms - entry->pace_ms) / 8;
    }
    mutex_unlock(&app->backlog->mutex);
}

static int64_t estimate(const struct entry *entry, int64_t place, int32_t slots) {
    bool known = entry != NULL && entry->pace_ms > 0 && slots > 0 && place > 0;
    return known ? (place + slots - 1) / slots * entry->pace_ms : 0;
}

int64_t backlog_estimate_ms(struct app *app, struct queue_id queue, int64_t place, int32_t slots) {
    mutex_lock(&app->backlog->mutex);
    int64_t estimate_ms = estimate(entry_of(app->backlog, queue), place, slots);
    mutex_unlock(&app->backlog->mutex);
    return estimate_ms;
}

/* ---- room ---- */

static int64_t limit_of(const struct app *app, enum job_priority priority) {
    switch (priority) {
    case PRIORITY_PRACTICE: return app->settings.practice_waiting_max;
    case PRIORITY_REJUDGE: return app->settings.rejudge_waiting_max;
    case PRIORITY_EXAM: /* nobody is turned away from an exam */
    case PRIORITY_COUNT: break;
    }
    return 0;
}

/* When a tenth of the limit has been judged, so that not all come back for one place. */
static bool refuse(struct entry *entry, enum job_priority priority, int64_t limit, int32_t slots,
                   struct err *err) {
    int64_t retry_ms = estimate(entry, limit / 10 + 1, slots);
    retry_ms = retry_ms == 0 ? RETRY_MS_DEFAULT : retry_ms;
    retry_ms = retry_ms < RETRY_MS_MIN ? RETRY_MS_MIN : retry_ms;
    retry_ms = retry_ms < RETRY_MS_MAX ? retry_ms : RETRY_MS_MAX;
    (void)err_set(err, ERR_LIMITED, "queue_full",
                  "too many %s wait already; nothing was stored, try again in %lld s",
                  priority == PRIORITY_REJUDGE ? "rejudgings" : "submissions",
                  (long long)(retry_ms / 1000));
    err->retry_ms = (int)retry_ms;
    return false;
}

static bool count_lane(struct app *app, struct db *db, struct entry *entry,
                       enum job_priority priority, struct err *err) {
    struct lane *lane = &entry->lanes[priority];
    int64_t begin_ms = clock_mono_ms(app->clock);
    if (begin_ms < lane->until_mono_ms) {
        return true;
    }
    struct lane_query query = {
        .queue = {entry->queue}, .priority = priority, .max = limit_of(app, priority)};
    if (!place_lane_depth(db, &query, &lane->depth, err)) {
        return false;
    }
    lane->until_mono_ms = keep_until(begin_ms, clock_mono_ms(app->clock));
    return true;
}

static bool admit(struct app *app, struct db *db, struct entry *entry, enum job_priority priority,
                  int32_t slots, struct err *err) {
    int64_t limit = limit_of(app, priority);
    if (!count_lane(app, db, entry, priority, err)) {
        return false;
    }
    if (entry->lanes[priority].depth >= limit) {
        return refuse(entry, priority, limit, slots, err);
    }
    entry->lanes[priority].depth++;
    return true;
}

bool backlog_admit(struct app *app, struct db *db, struct queue_id queue,
                   enum job_priority priority, struct err *err) {
    struct waiting_nodes nodes = {0};
    if (limit_of(app, priority) == 0) {
        return true;
    }
    if (!summary_nodes(app, db, queue, &nodes, err)) {
        return false;
    }
    mutex_lock(&app->backlog->mutex);
    struct entry *entry = entry_of(app->backlog, queue);
    bool admitted = entry == NULL || admit(app, db, entry, priority, nodes.slots, err);
    mutex_unlock(&app->backlog->mutex);
    return admitted;
}

bool backlog_admit_bulk(struct app *app, struct err *err) {
    const struct queue_info *queues[QUEUES_MAX];
    own(db_reader) reader = NULL;
    if (app->settings.rejudge_waiting_max == 0) {
        return true;
    }
    if (!db_pool_take(app->readers, &reader, err)) {
        return false;
    }
    int count = queues_all(app, queues);
    for (int i = 0; i < count; i++) {
        if (!backlog_admit(app, reader->db, queues[i]->id, PRIORITY_REJUDGE, err)) {
            return false;
        }
    }
    return true;
}

/* ---- the part ---- */

bool backlog_part_open(struct app *app, struct err *err) {
    (void)err;
    app->backlog = calloc(1, sizeof *app->backlog);
    CHECK(app->backlog != NULL);
    mutex_init(&app->backlog->mutex);
    return true;
}

void backlog_part_close(struct app *app) {
    if (app->backlog == NULL) {
        return;
    }
    for (int i = 0; i < app->backlog->count; i++) {
        free(app->backlog->entries[i].placed);
    }
    mutex_done(&app->backlog->mutex);
    free(app->backlog);
}
