#include "app/dispatch.h"
#include "app/parts_internal.h"
#include "app/progress_internal.h"
#include "app/progress_share_internal.h"
#include "app/refusal_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/thread.h"
#include "store/job_store.h"
#include "store/lease_store.h"
#include "store/node_store.h"

#include <stdlib.h>

#define BUCKETS 1024 /* a power of two */
#define ENTRIES_MAX 20000
#define ENTRY_BYTES_MAX (16 * MIB)
#define ENTRY_TEXT_BYTES (4 * MIB) /* beyond it cases are kept without their messages */
#define NAME_BYTES_MAX 512
#define SWEEP_AFTER_MS 900000
#define GONE_MAX 4096 /* more are swept by their age */

struct entry {
    struct lease_ref lease;
    struct submission_id submission;
    int64_t sequence;
    enum judge_stage stage;
    int32_t case_index;
    int32_t cases_total;
    struct case_result *cases;
    int32_t case_count;
    struct arena *arena; /* of cases and their texts */
    int64_t heard_mono_ms;
    bool fresh;     /* reported to this server, and not handed to others yet */
    bool published; /* others may have it from the table */
    struct entry *next;
};

struct progress_board {
    struct mutex mutex;
    struct entry *buckets[BUCKETS];
    int count;
    struct submission_id gone[GONE_MAX]; /* published, and over */
    int gone_count;
};

static struct entry **find(struct progress_board *board, int64_t job) {
    struct entry **link = &board->buckets[(uint64_t)job & (BUCKETS - 1)];
    while (*link != NULL && (*link)->lease.job.value != job) {
        link = &(*link)->next;
    }
    return link;
}

static void drop(struct progress_board *board, struct entry **link) {
    struct entry *entry = *link;
    *link = entry->next;
    if (entry->published && board->gone_count < GONE_MAX) {
        board->gone[board->gone_count++] = entry->submission;
    }
    arena_free(entry->arena);
    free(entry);
    board->count--;
}

static struct entry *add(struct progress_board *board, const struct lease_ref *lease) {
    if (board->count >= ENTRIES_MAX) {
        return NULL; /* shown late rather than grown without end */
    }
    struct entry *entry = calloc(1, sizeof *entry);
    CHECK(entry != NULL);
    entry->lease = *lease;
    entry->arena = arena_create(ENTRY_BYTES_MAX);
    struct entry **link = find(board, lease->job.value);
    CHECK(*link == NULL);
    *link = entry;
    board->count++;
    return entry;
}

/* The entry of this very lease; an older lease's is thrown away, a newer one's stays. */
static struct entry *entry_of(struct progress_board *board, const struct lease_ref *lease) {
    struct entry **link = find(board, lease->job.value);
    if (*link != NULL && (*link)->lease.epoch > lease->epoch) {
        return NULL;
    }
    if (*link != NULL && (*link)->lease.epoch == lease->epoch &&
        (*link)->lease.token == lease->token) {
        return *link;
    }
    if (*link != NULL) {
        drop(board, link);
    }
    return add(board, lease);
}

/* ---- reports ---- */

static void add_case(struct entry *entry, const struct case_result *from) {
    if (entry->case_count >= entry->cases_total) {
        return;
    }
    bool texts = arena_used(entry->arena) < ENTRY_TEXT_BYTES;
    struct case_result *kept = &entry->cases[entry->case_count++];
    *kept = *from;
    kept->name = arena_str(entry->arena, str_utf8_prefix(from->name, NAME_BYTES_MAX));
    kept->message =
        texts ? arena_str(entry->arena, str_utf8_prefix(from->message, CASE_MESSAGE_BYTES_MAX))
              : (struct str){0};
}

static void report(struct entry *entry, const struct progress_item *item) {
    if (entry->cases == NULL && item->cases_total > 0) {
        entry->cases_total = item->cases_total;
        entry->cases = arena_array(entry->arena, (size_t)item->cases_total, sizeof entry->cases[0]);
    }
    entry->sequence = item->sequence;
    entry->stage = item->stage;
    entry->case_index = item->case_index;
    for (int i = 0; i < item->finished_count; i++) {
        add_case(entry, &item->finished[i]);
    }
}

bool progress_take(struct app *app, const struct progress_item *item,
                   struct submission_id submission) {
    struct progress_board *board = app->progress;
    mutex_lock(&board->mutex);
    struct entry *entry = entry_of(board, &item->lease);
    bool fresh = entry != NULL && item->sequence > entry->sequence;
    if (fresh) {
        entry->submission = submission;
        entry->heard_mono_ms = clock_mono_ms(app->clock);
        report(entry, item);
    }
    mutex_unlock(&board->mutex);
    return fresh;
}

bool progress_adopt(struct app *app, const struct progress_item *item,
                    struct submission_id submission) {
    struct progress_board *board = app->progress;
    mutex_lock(&board->mutex);
    struct entry **link = find(board, item->lease.job.value);
    const struct entry *old = *link;
    bool fresh = old == NULL || old->lease.epoch < item->lease.epoch ||
                 (old->lease.epoch == item->lease.epoch && old->sequence < item->sequence);
    if (fresh && old != NULL) {
        drop(board, link);
    }
    struct entry *entry = fresh ? add(board, &item->lease) : NULL;
    if (entry != NULL) {
        entry->submission = submission;
        entry->heard_mono_ms = clock_mono_ms(app->clock);
        report(entry, item);
    }
    mutex_unlock(&board->mutex);
    return entry != NULL;
}

static void mark_fresh(struct app *app, struct job_id job) {
    mutex_lock(&app->progress->mutex);
    struct entry **link = find(app->progress, job.value);
    if (*link != NULL) {
        (*link)->fresh = true;
    }
    mutex_unlock(&app->progress->mutex);
}

static bool check_item(const struct progress_item *item, struct err *err) {
    if (item->cases_total < 0 || item->cases_total > MANIFEST_CASES_MAX || item->case_index < -1 ||
        item->case_index >= MANIFEST_CASES_MAX || item->finished_count < 0 ||
        item->finished_count > MANIFEST_CASES_MAX) {
        return err_set(err, ERR_INVALID, "bad_field", "progress of job %lld is out of range",
                       (long long)item->lease.job.value);
    }
    return true;
}

struct reporter {
    struct db *db;
    struct node node;
    int64_t now_ms;
};

static bool read_reporter(struct db *db, const struct actor *actor, struct reporter *reporter,
                          struct err *err) {
    bool found = false;
    reporter->db = db;
    if (!node_store_get(db, actor->node, &reporter->node, &found, err)) {
        return false;
    }
    if (!found) {
        return err_set(err, ERR_UNAUTHENTICATED, "bad_credential", "there is no such node");
    }
    return db_now(db, &reporter->now_ms, err);
}

/* Looked up, not locked: nothing durable hangs on it. */
static bool check_lease(const struct reporter *reporter, const struct lease_ref *shown,
                        struct submission_id *ret_submission, struct err *err) {
    struct job job = {0};
    struct lease lease = {0};
    bool job_found = false;
    bool lease_found = false;
    if (!job_store_get(reporter->db, shown->job, &job, &job_found, err) ||
        !lease_store_get(reporter->db, shown->job, &lease, &lease_found, err)) {
        return false;
    }
    *ret_submission = job.submission;
    return lease_check(lease_found ? &lease : NULL, &reporter->node, shown, reporter->now_ms, err);
}

bool dispatch_progress(struct app *app, const struct actor *actor, int64_t session_epoch,
                       const struct progress_item *items, int count, struct err *err) {
    own(db_reader) reader = NULL;
    struct reporter reporter = {0};
    struct err refused = {0};
    if (!db_pool_take(app->readers, &reader, err) ||
        !read_reporter(reader->db, actor, &reporter, err) ||
        !node_may_act(&reporter.node, session_epoch, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        struct submission_id submission = {0};
        struct err item_err = {0};
        if (!check_item(&items[i], err)) {
            return false;
        }
        if (!check_lease(&reporter, &items[i].lease, &submission, &item_err)) {
            refused = item_err; /* the other items are still good */
        } else if (progress_take(app, &items[i], submission)) {
            mark_fresh(app, items[i].lease.job);
            progress_share(app, &items[i], submission);
        }
    }
    *err = refused.kind != ERR_NONE ? refused : *err;
    return refused.kind == ERR_NONE;
}

/* ---- reading and forgetting ---- */

static void copy_entry(const struct entry *entry, struct arena *arena, struct progress_view *view) {
    *view = (struct progress_view){
        .stage = entry->stage,
        .case_index = entry->case_index,
        .cases_total = entry->cases_total,
        .cases = arena_array(arena, (size_t)entry->case_count + 1, sizeof view->cases[0]),
        .case_count = entry->case_count,
    };
    for (int32_t i = 0; i < entry->case_count; i++) {
        view->cases[i] = entry->cases[i];
        view->cases[i].name = arena_str(arena, entry->cases[i].name);
        view->cases[i].message = arena_str(arena, entry->cases[i].message);
    }
}

static void hand_out(struct entry *entry, struct arena *arena, struct progress_news *news) {
    struct progress_view view;
    copy_entry(entry, arena, &view);
    news->submissions[news->count] = entry->submission;
    news->items[news->count++] = (struct progress_item){.lease = entry->lease,
                                                        .sequence = entry->sequence,
                                                        .stage = view.stage,
                                                        .case_index = view.case_index,
                                                        .cases_total = view.cases_total,
                                                        .finished = view.cases,
                                                        .finished_count = view.case_count};
    entry->fresh = false;
    entry->published = true;
}

/* A submission that is judged again has a new report under the same name. */
static void hand_out_gone(struct progress_board *board, struct progress_news *news) {
    while (board->gone_count > 0 && news->gone_count < news->max) {
        news->gone[news->gone_count++] = board->gone[--board->gone_count];
    }
}

void progress_take_news(struct app *app, struct arena *arena, struct progress_news *news) {
    struct progress_board *board = app->progress;
    mutex_lock(&board->mutex);
    hand_out_gone(board, news);
    for (int i = 0; i < BUCKETS && board->count > 0; i++) {
        for (struct entry *e = board->buckets[i]; e != NULL && news->count < news->max;
             e = e->next) {
            if (e->fresh) {
                hand_out(e, arena, news);
            }
        }
    }
    mutex_unlock(&board->mutex);
}

bool progress_get(struct app *app, struct job_id job, int64_t lease_epoch, struct arena *arena,
                  struct progress_view *ret_view) {
    struct progress_board *board = app->progress;
    mutex_lock(&board->mutex);
    const struct entry *entry = *find(board, job.value);
    bool found = entry != NULL && entry->lease.epoch == lease_epoch;
    if (found) {
        copy_entry(entry, arena, ret_view);
    }
    mutex_unlock(&board->mutex);
    return found;
}

void progress_forget(struct app *app, struct job_id job) {
    struct progress_board *board = app->progress;
    mutex_lock(&board->mutex);
    struct entry **link = find(board, job.value);
    if (*link != NULL) {
        drop(board, link);
    }
    mutex_unlock(&board->mutex);
}

static void sweep_bucket(struct progress_board *board, struct entry **link, int64_t before) {
    while (*link != NULL) {
        if ((*link)->heard_mono_ms < before) {
            drop(board, link);
        } else {
            link = &(*link)->next;
        }
    }
}

void progress_sweep(struct app *app) {
    struct progress_board *board = app->progress;
    int64_t before = clock_mono_ms(app->clock) - SWEEP_AFTER_MS;
    mutex_lock(&board->mutex);
    for (int i = 0; i < BUCKETS && board->count > 0; i++) {
        sweep_bucket(board, &board->buckets[i], before);
    }
    mutex_unlock(&board->mutex);
}

bool progress_part_open(struct app *app, struct err *err) {
    progress_share_listen(app);
    (void)err;
    app->progress = calloc(1, sizeof *app->progress);
    CHECK(app->progress != NULL);
    mutex_init(&app->progress->mutex);
    return true;
}

void progress_part_close(struct app *app) {
    if (app->progress == NULL) {
        return;
    }
    for (int i = 0; i < BUCKETS; i++) {
        while (app->progress->buckets[i] != NULL) {
            drop(app->progress, &app->progress->buckets[i]);
        }
    }
    mutex_done(&app->progress->mutex);
    free(app->progress);
}
