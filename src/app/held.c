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

int ids_find(const int64_t *ids, int count, int64_t id) {
    int low = 0;
    int high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && ids[low] == id ? low : -1;
}

/* ---- the packet ---- */

/* Rows that one packet reads, and where they go. */
struct holding {
    struct held_nodes nodes;
    struct held_jobs jobs;
    struct submission_facts *submissions; /* by place in submission_ids */
    int64_t *submission_ids;
    int submission_count;
    struct rows_read reads[6];
    int read_count;
};

static struct rows_value *sorted_keys(struct arena *arena, int64_t *ids, int *count) {
    struct rows_value *keys = arena_array(arena, (size_t)*count + 1, sizeof keys[0]);
    ids_sort(ids, count);
    for (int i = 0; i < *count; i++) {
        keys[i] = rows_i64(ids[i]);
    }
    return keys;
}

static void add_read(struct holding *holding, struct rows_read read) {
    CHECK(holding->read_count < (int)(sizeof holding->reads / sizeof holding->reads[0]));
    read.context = holding;
    holding->reads[holding->read_count++] = read;
}

static void take_node(void *context, struct db_stmt *row) {
    struct holding *holding = context;
    holding->nodes.rows[holding->nodes.count++] = node_from_row(row);
}

static int compare_nodes(const void *a, const void *b) {
    return compare(&((const struct node *)a)->id.value, &((const struct node *)b)->id.value);
}

static void take_job(void *context, struct db_stmt *row) {
    struct holding *holding = context;
    struct held_job *held = held_find(&holding->jobs, (struct job_id){db_i64(row, 0)});
    held->job = job_from_row(row, 1);
    held->found = true;
}

static void take_lease(void *context, struct db_stmt *row) {
    struct holding *holding = context;
    struct lease lease = lease_from_row(row);
    struct held_job *held = held_find(&holding->jobs, lease.job);
    held->lease = lease;
    held->has_lease = true;
}

static void take_submission(void *context, struct db_stmt *row) {
    struct holding *holding = context;
    struct submission_facts facts = submission_facts_from_row(row);
    int place = ids_find(holding->submission_ids, holding->submission_count, facts.id.value);
    holding->submissions[place] = facts;
}

static void add_nodes(struct holding *holding, const struct hold_plan *plan, struct arena *arena) {
    int count = plan->nodes.count;
    int64_t *ids = arena_array(arena, (size_t)count + 1, sizeof ids[0]);
    for (int i = 0; i < count; i++) {
        ids[i] = plan->nodes.ids[i].value;
    }
    const struct rows_value *keys = sorted_keys(arena, ids, &count);
    holding->nodes.rows = arena_array(arena, (size_t)count + 1, sizeof holding->nodes.rows[0]);
    /* The heartbeat beside it is not locked, so that no beat waits for a claim. */
    add_read(holding, (struct rows_read){
                          .values = keys, .count = count, .level = LOCK_NODE, .mode = plan->mode});
    add_read(holding,
             (struct rows_read){
                 .select = &node_select, .values = keys, .count = count, .row = take_node});
}

static void add_submissions(struct holding *holding, struct arena *arena) {
    int count = 0;
    holding->submission_ids =
        arena_array(arena, (size_t)holding->jobs.count + 1, sizeof holding->submission_ids[0]);
    for (int i = 0; i < holding->jobs.count; i++) {
        if (holding->jobs.rows[i].found && holding->jobs.rows[i].job.submission.value > 0) {
            holding->submission_ids[count++] = holding->jobs.rows[i].job.submission.value;
        }
    }
    const struct rows_value *keys = sorted_keys(arena, holding->submission_ids, &count);
    holding->submission_count = count;
    holding->submissions = arena_array(arena, (size_t)count + 1, sizeof holding->submissions[0]);
    add_read(holding, (struct rows_read){.select = &submission_facts_select,
                                         .values = keys,
                                         .count = count,
                                         .level = LOCK_SUBMISSION,
                                         .mode = LOCK_EXCLUSIVE,
                                         .row = take_submission});
}

static struct rows_value *list_jobs(struct holding *holding, const struct job_list *list,
                                    struct arena *arena) {
    int count = list->count;
    int64_t *ids = arena_array(arena, (size_t)count + 1, sizeof ids[0]);
    for (int i = 0; i < count; i++) {
        ids[i] = list->ids[i].value;
    }
    struct rows_value *keys = sorted_keys(arena, ids, &count);
    holding->jobs.rows = arena_array(arena, (size_t)count + 1, sizeof holding->jobs.rows[0]);
    holding->jobs.count = count;
    for (int i = 0; i < count; i++) {
        holding->jobs.rows[i].id.value = ids[i];
    }
    return keys;
}

/* Only to learn the submissions, which never change: decisions use what is read under the locks. */
static bool read_unlocked(struct db *db, struct holding *holding, const struct rows_value *keys,
                          struct err *err) {
    struct rows_read read = {.select = &job_select,
                             .values = keys,
                             .count = holding->jobs.count,
                             .row = take_job,
                             .context = holding};
    return db_read(db, &read, 1, NULL, err);
}

/* Instead of reading them: what a job's submission is never changes. */
static void use_known(struct holding *holding, const struct hold_plan *plan) {
    for (int i = 0; i < plan->jobs.count; i++) {
        struct held_job *held = held_find(&holding->jobs, plan->jobs.ids[i]);
        held->job.submission = plan->submissions[i];
        held->found = true;
    }
}

static void add_jobs(struct holding *holding, const struct rows_value *keys, enum hold hold) {
    int count = holding->jobs.count;
    for (int i = 0; i < count; i++) {
        holding->jobs.rows[i].found = false;
    }
    add_read(holding, (struct rows_read){.select = &job_select,
                                         .values = keys,
                                         .count = count,
                                         .level = LOCK_JOB,
                                         .mode = LOCK_EXCLUSIVE,
                                         .row = take_job});
    if (hold != HOLD_JOBS) { /* a lease belongs to its job's lock */
        add_read(holding,
                 (struct rows_read){
                     .select = &lease_select, .values = keys, .count = count, .row = take_lease});
    }
}

static void give_submissions(struct holding *holding) {
    for (int i = 0; i < holding->jobs.count; i++) {
        struct held_job *held = &holding->jobs.rows[i];
        int place = ids_find(holding->submission_ids, holding->submission_count,
                             held->job.submission.value);
        if (held->found && place >= 0) {
            held->submission = holding->submissions[place];
        }
    }
}

bool hold_batch(struct db *db, const struct hold_plan *plan, struct arena *arena,
                struct held *ret_held, struct err *err) {
    struct holding holding = {.read_count = 0};
    const struct rows_value *keys = list_jobs(&holding, &plan->jobs, arena);
    if (plan->nodes.count > 0) {
        add_nodes(&holding, plan, arena);
    }
    if (plan->hold == HOLD_SUBMISSIONS && holding.jobs.count > 0) {
        if (plan->submissions != NULL) {
            use_known(&holding, plan);
        } else if (!read_unlocked(db, &holding, keys, err)) {
            return false;
        }
        add_submissions(&holding, arena);
    }
    add_jobs(&holding, keys, plan->hold);
    if (!db_read(db, holding.reads, holding.read_count, plan->with_clock ? &ret_held->now_ms : NULL,
                 err)) {
        return false;
    }
    give_submissions(&holding);
    if (holding.nodes.count > 1) {
        qsort(holding.nodes.rows, (size_t)holding.nodes.count, sizeof holding.nodes.rows[0],
              compare_nodes);
    }
    ret_held->nodes = holding.nodes;
    ret_held->jobs = holding.jobs;
    return true;
}

bool hold_jobs(struct db *db, struct job_list list, enum hold hold, struct arena *arena,
               struct held_jobs *ret_held, struct err *err) {
    struct held held = {0};
    if (!hold_batch(db, &(struct hold_plan){.jobs = list, .hold = hold}, arena, &held, err)) {
        return false;
    }
    *ret_held = held.jobs;
    return true;
}

bool hold_nodes(struct db *db, struct node_list list, enum lock_mode mode, struct arena *arena,
                struct held_nodes *ret_held, struct err *err) {
    struct held held = {0};
    if (!hold_batch(db, &(struct hold_plan){.nodes = list, .mode = mode, .hold = HOLD_JOBS}, arena,
                    &held, err)) {
        return false;
    }
    *ret_held = held.nodes;
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
