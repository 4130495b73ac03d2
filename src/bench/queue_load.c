#include "bench/queue_load.h"
#include "base/check.h"
#include "base/thread.h"

#include <stdlib.h>

#define THREADS_MAX 16

struct load;

struct runner {
    struct queue_client client;
    struct load *load;
    struct runner *next; /* of those that are to be carried on */
    int64_t begun_ns;
    bool begun;
};

struct load {
    const struct queue_load_plan *plan;
    struct runner *runners;
    struct mutex mutex; /* all below */
    struct cond ready;
    struct runner *head;
    struct runner *tail;
    int64_t under_way; /* runners that have a stage running */
    int64_t count_from_ns;
    int64_t count_until_ns;
    bool failed;
    struct err err;
    struct queue_load_result result;
};

static void enqueue(struct load *load, struct runner *runner) {
    runner->next = NULL;
    if (load->tail == NULL) {
        load->head = runner;
    } else {
        load->tail->next = runner;
    }
    load->tail = runner;
    cond_signal(&load->ready);
}

/* In the writer's thread. */
static void stage_done(struct write_item *item) {
    struct runner *runner = item->context;
    struct load *load = runner->load;
    mutex_lock(&load->mutex);
    load->under_way--;
    enqueue(load, runner);
    mutex_unlock(&load->mutex);
}

static bool is_over(const struct load *load) {
    return load->failed || clock_real_mono_ns() >= load->count_until_ns;
}

/* NULL: nothing will come any more. */
static struct runner *take_runner(struct load *load) {
    while (load->head == NULL && load->under_way > 0) {
        cond_wait(&load->ready, &load->mutex);
    }
    struct runner *runner = load->head;
    if (runner == NULL) {
        cond_broadcast(&load->ready);
        return NULL;
    }
    load->head = runner->next;
    if (load->head == NULL) {
        load->tail = NULL;
    }
    return runner;
}

static void count(struct load *load, struct runner *runner, enum queue_stage stage, bool finished) {
    int64_t now_ns = clock_real_mono_ns();
    load->result.settled += finished ? 1 : 0;
    if (runner->begun_ns < load->count_from_ns || now_ns >= load->count_until_ns) {
        return;
    }
    if (load->result.stage_ns[stage].count < SAMPLES_MAX) {
        samples_add(&load->result.stage_ns[stage], now_ns - runner->begun_ns);
    }
    load->result.lifecycles += finished ? 1 : 0;
    load->result.empty_claims += stage == QUEUE_CLAIM && runner->client.stage == stage ? 1 : 0;
}

/* With the mutex. */
static bool learn(struct load *load, struct runner *runner) {
    bool finished = false;
    enum queue_stage stage = runner->client.stage;
    struct err err = {0};
    if (runner->begun && !queue_client_next(&runner->client, &finished, &err)) {
        load->err = load->failed ? load->err : err;
        load->failed = true;
        return false;
    }
    if (runner->begun) {
        count(load, runner, stage, finished);
    }
    return !is_over(load);
}

static void *carry_on(void *argument) {
    struct load *load = argument;
    mutex_lock(&load->mutex);
    struct runner *runner = NULL;
    while ((runner = take_runner(load)) != NULL) {
        if (!learn(load, runner)) {
            continue;
        }
        load->under_way++;
        mutex_unlock(&load->mutex);
        runner->begun = true;
        runner->begun_ns = clock_real_mono_ns();
        queue_client_begin(&runner->client, stage_done, runner);
        mutex_lock(&load->mutex);
    }
    mutex_unlock(&load->mutex);
    return NULL;
}

static void begin_runners(struct load *load) {
    load->runners = calloc((size_t)load->plan->clients, sizeof load->runners[0]);
    CHECK(load->runners != NULL);
    for (int64_t i = 0; i < load->plan->clients; i++) {
        load->runners[i].load = load;
        queue_client_init(&load->runners[i].client, load->plan->world, i);
        enqueue(load, &load->runners[i]);
    }
}

static void end_runners(struct load *load) {
    for (int64_t i = 0; i < load->plan->clients; i++) {
        queue_client_done(&load->runners[i].client);
    }
    free(load->runners);
}

bool queue_load_run(const struct queue_load_plan *plan, struct queue_load_result *ret_result,
                    struct err *err) {
    CHECK(plan->threads >= 1 && plan->threads <= THREADS_MAX);
    pthread_t threads[THREADS_MAX];
    struct load load = {.plan = plan};
    mutex_init(&load.mutex);
    cond_init(&load.ready);
    begin_runners(&load);
    load.count_from_ns = clock_real_mono_ns() + plan->warm_up_ms * 1000000;
    load.count_until_ns = load.count_from_ns + plan->run_ms * 1000000;
    for (int64_t i = 0; i < plan->threads; i++) {
        threads[i] = thread_start("client", carry_on, &load);
    }
    for (int64_t i = 0; i < plan->threads; i++) {
        thread_join(threads[i]);
    }
    end_runners(&load);
    cond_done(&load.ready);
    mutex_done(&load.mutex);
    load.result.measured_ns = plan->run_ms * 1000000;
    if (load.failed) {
        queue_load_result_done(&load.result);
        *err = load.err;
        return err_wrap(err, "an error reached a client");
    }
    *ret_result = load.result;
    return true;
}

void queue_load_result_done(struct queue_load_result *result) {
    for (int i = 0; i < QUEUE_STAGES; i++) {
        samples_done(&result->stage_ns[i]);
    }
}
