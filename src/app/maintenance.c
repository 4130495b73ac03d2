/* What has to be done now and then. Each task is a row; a thread runs those that are due, or the
 * simulator steps them. Another server may do the same at the same time: every task looks again
 * under the locks. */
#include "app/claim_desk_internal.h"
#include "app/collect_internal.h"
#include "app/manifest_hold_internal.h"
#include "app/parts_internal.h"
#include "app/progress_internal.h"
#include "app/progress_table_internal.h"
#include "app/queues_internal.h"
#include "app/reap_internal.h"
#include "app/refusal_internal.h"
#include "app/rejudge_step_internal.h"
#include "app/retention_internal.h"
#include "app/watch_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/thread.h"
#include "store/place_store.h"
#include "store/queue_store.h"

#include <stdlib.h>

#define TICK_MS 100 /* how exactly a claim's waiting time is kept */

/* True when there was something to do. */
typedef bool task_fn(struct app *app);

static task_fn reap, promote, drain_events, probe_queues, persist_queues, sweep_progress, retain,
    collect, work_off_rejudgings, push_places, share_progress;

/* clang-format off */
static const struct task {
    const char *name;
    task_fn *run;
    int64_t period_ms; /* 0: the setting reap_ms */
} tasks[] = {
    {"reap",     reap,           0},
    {"promote",  promote,        1000},
    {"events",   drain_events,   5000},
    {"probe",    probe_queues,   1000},
    {"queues",   persist_queues, 5000},
    {"progress", sweep_progress, 60000},
    {"retention", retain,        60000},
    {"files",    collect,        600000},
    {"rejudge",  work_off_rejudgings, 1000},
    {"places",   push_places,    2000},
    {"shared",   share_progress, 1000},
};
/* clang-format on */
#define TASK_PROBE 3
#define TASK_COUNT ((int)(sizeof tasks / sizeof tasks[0]))

struct maintenance {
    struct clock_watch clock;
    int64_t next_mono_ms[TASK_COUNT];
    atomic_bool look;   /* hints were lost: probe now */
    struct mutex mutex; /* of stopping */
    struct cond stop;
    bool stopping;
    bool threaded;
    pthread_t thread;
};

/* ---- the tasks ---- */

/* A lease is judged by the clock only after the clock itself was looked at. */
static bool reap(struct app *app) {
    struct err err = {0};
    if (!clock_guard_pass(app, &app->maintenance->clock, &err)) {
        if (!atomic_load(&app->stopping)) {
            log_warn("maintenance.failed", LOG_STR("task", "reap"), LOG_ERR(&err));
        }
        return false;
    }
    return reap_pass(app);
}

static bool promote(struct app *app) {
    return promote_pass(app);
}

static bool drain_events(struct app *app) {
    events_start(app);
    return false;
}

/* A wake-up may be lost: jobs that another server put there, a node that had no room. One statement
 * for all queues, and none while no claim waits. */
static bool probe_queues(struct app *app) {
    struct queue_id waiting[QUEUES_MAX];
    struct queue_id ready[QUEUES_MAX];
    int count = 0;
    own(db_reader) reader = NULL;
    struct err ignored = {0}; /* the next probe tries again */
    if (claims_waiting(app, waiting) > 0 && db_pool_take(app->readers, &reader, &ignored) &&
        place_ready_queues(reader->db, ready, QUEUES_MAX, &count, &ignored)) {
        for (int i = 0; i < count; i++) {
            claims_wake(app, ready[i], CLAIM_JOBS_MAX);
            claims_look(app, ready[i]);
        }
    }
    return false; /* what it woke is the writer's to do */
}

static void on_look(void *context, const struct wake_message *message) {
    const struct app *app = context;
    (void)message;
    atomic_store(&app->maintenance->look, true);
}

static bool persist_queues(struct app *app) {
    return queues_persist(app);
}

static bool push_places(struct app *app) {
    watches_push_places(app);
    return false;
}

static bool collect(struct app *app) {
    return collect_pass(app);
}

static bool retain(struct app *app) {
    return retention_pass(app);
}

static bool work_off_rejudgings(struct app *app) {
    bool some = manifest_hold_pass(app);
    return rejudge_pass(app) || some;
}

static bool share_progress(struct app *app) {
    bool some = progress_publish(app);
    progress_look(app);
    return some;
}

static bool sweep_progress(struct app *app) {
    progress_sweep(app);
    progress_table_sweep(app);
    return false;
}

/* ---- who drives them ---- */

static int64_t period_of(const struct app *app, int task) {
    return tasks[task].period_ms > 0 ? tasks[task].period_ms : app->settings.reap_ms;
}

bool maintenance_step(struct app *app) {
    struct maintenance *m = app->maintenance;
    int64_t now_ms = clock_mono_ms(app->clock);
    bool some = false;
    if (atomic_exchange(&m->look, false)) {
        m->next_mono_ms[TASK_PROBE] = 0;
    }
    for (int i = 0; i < TASK_COUNT && !atomic_load(&app->stopping); i++) {
        if (now_ms >= m->next_mono_ms[i]) {
            m->next_mono_ms[i] = now_ms + period_of(app, i);
            some = tasks[i].run(app) || some;
        }
    }
    return some;
}

static bool wait_for_tick(struct maintenance *m) {
    mutex_lock(&m->mutex);
    if (!m->stopping) {
        (void)cond_wait_ms(&m->stop, &m->mutex, TICK_MS);
    }
    bool stopping = m->stopping;
    mutex_unlock(&m->mutex);
    return !stopping;
}

static void *maintenance_main(void *argument) {
    struct app *app = argument;
    while (wait_for_tick(app->maintenance)) {
        (void)claims_step(app);
        if (app->maintains) {
            (void)maintenance_step(app);
        }
    }
    return NULL;
}

bool maintenance_part_open(struct app *app, struct err *err) {
    (void)err;
    struct maintenance *m = calloc(1, sizeof *m);
    CHECK(m != NULL);
    mutex_init(&m->mutex);
    cond_init(&m->stop);
    app->maintenance = m;
    CHECK(tasks[TASK_PROBE].run == probe_queues);
    wake_listen(app->wake, WAKE_LOOK, on_look, app);
    if (app->threads) {
        m->threaded = true;
        m->thread = thread_start("maintenance", maintenance_main, app);
    }
    return true;
}

void maintenance_part_stop(struct app *app) {
    struct maintenance *m = app->maintenance;
    if (m == NULL || !m->threaded) {
        return;
    }
    mutex_lock(&m->mutex);
    m->stopping = true;
    cond_signal(&m->stop);
    mutex_unlock(&m->mutex);
    thread_join(m->thread);
    m->threaded = false;
}

void maintenance_part_close(struct app *app) {
    if (app->maintenance != NULL) {
        cond_done(&app->maintenance->stop);
        mutex_done(&app->maintenance->mutex);
        free(app->maintenance);
    }
}
