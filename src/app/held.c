#include "app/held_internal.h"
#include "base/check.h"
#include "store/job_store.h"
#include "store/lease_store.h"
#include "store/node_store.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return left < right ? -1 : left > right ? 1 : 0;
}

void ids_sort(int64_t *ids, int *count) {
    if (*count == 0) {
        return;
    }
    qsort(ids, (size_t)*count, sizeof ids[0], compare);
    int kept = 1;
    for (int i = 1; i < *count; i++) {
        if (ids[i] != ids[kept - 1]) {
            ids[kept++] = ids[i];
        }
    }
    *count = kept;
}

/* Only to learn the submissions, which never change: decisions use what is read under the locks. */
static bool lock_submissions(struct db *db, const int64_t *ids, int count, struct arena *arena,
                             struct err *err) {
    int64_t *submissions = arena_array(arena, (size_t)count + 1, sizeof submissions[0]);
    int found_count = 0;
    for (int i = 0; i < count; i++) {
        struct job job = {0};
        bool found = false;
        if (!job_store_get(db, (struct job_id){ids[i]}, &job, &found, err)) {
            return false;
        }
        if (found && job.submission.value > 0) {
            submissions[found_count++] = job.submission.value;
        }
    }
    ids_sort(submissions, &found_count);
    for (int i = 0; i < found_count; i++) {
        if (!db_lock(db, LOCK_SUBMISSION, LOCK_EXCLUSIVE, submissions[i], err)) {
            return false;
        }
    }
    return true;
}

static bool read_held(struct db *db, struct held_job *row, enum hold hold, struct err *err) {
    if (!job_store_get(db, row->id, &row->job, &row->found, err) ||
        (row->found && !lease_store_get(db, row->id, &row->lease, &row->has_lease, err))) {
        return false;
    }
    if (!row->found || hold != HOLD_SUBMISSIONS) {
        return true;
    }
    bool found = false;
    return submission_store_get(db, row->job.submission, &row->submission, &found, err);
}

bool hold_jobs(struct db *db, struct job_list list, enum hold hold, struct arena *arena,
               struct held_jobs *ret_held, struct err *err) {
    int count = list.count;
    int64_t *sorted = arena_array(arena, (size_t)count + 1, sizeof sorted[0]);
    for (int i = 0; i < count; i++) {
        sorted[i] = list.ids[i].value;
    }
    ids_sort(sorted, &count);
    if (hold == HOLD_SUBMISSIONS && !lock_submissions(db, sorted, count, arena, err)) {
        return false;
    }
    struct held_job *rows = arena_array(arena, (size_t)count + 1, sizeof rows[0]);
    for (int i = 0; i < count; i++) {
        rows[i].id.value = sorted[i];
        if (!db_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, sorted[i], err)) {
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        if (!read_held(db, &rows[i], hold, err)) {
            return false;
        }
    }
    *ret_held = (struct held_jobs){.rows = rows, .count = count};
    return true;
}

struct held_job *held_find(struct held_jobs *held, struct job_id id) {
    int low = 0;
    int high = held->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (held->rows[middle].id.value < id.value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    CHECK(low < held->count && held->rows[low].id.value == id.value);
    return &held->rows[low];
}

bool hold_nodes(struct db *db, struct node_list list, enum lock_mode mode, struct arena *arena,
                struct held_nodes *ret_held, struct err *err) {
    int count = list.count;
    int64_t *sorted = arena_array(arena, (size_t)count + 1, sizeof sorted[0]);
    for (int i = 0; i < count; i++) {
        sorted[i] = list.ids[i].value;
    }
    ids_sort(sorted, &count);
    struct held_nodes held = {.rows = arena_array(arena, (size_t)count + 1, sizeof held.rows[0])};
    for (int i = 0; i < count; i++) {
        bool found = false;
        if (!db_lock(db, LOCK_NODE, mode, sorted[i], err) ||
            !node_store_get(db, (struct node_id){sorted[i]}, &held.rows[held.count], &found, err)) {
            return false;
        }
        held.count += found ? 1 : 0;
    }
    *ret_held = held;
    return true;
}

struct node *held_node(struct held_nodes *held, struct node_id id) {
    for (int i = 0; i < held->count; i++) {
        if (held->rows[i].id.value == id.value) {
            return &held->rows[i];
        }
    }
    return NULL;
}
