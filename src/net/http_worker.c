/* Threads that may block: password hashing, database reads, imports. The queue is bounded. */
#include "base/check.h"
#include "net/http_internal.h"

#include <stdlib.h>

#define WORKERS_MAX 64

struct http_worker_pool {
    struct mutex lock;
    struct cond wakeup;
    struct http_job *first;
    struct http_job **last;
    int queued;
    bool stopping;
    int count;
    pthread_t threads[WORKERS_MAX];
};

static struct http_job *pop(struct http_worker_pool *pool) {
    mutex_lock(&pool->lock);
    while (pool->first == NULL && !pool->stopping) {
        cond_wait(&pool->wakeup, &pool->lock);
    }
    struct http_job *job = pool->first;
    if (job != NULL) {
        pool->first = job->next;
        if (pool->first == NULL) {
            pool->last = &pool->first;
        }
        pool->queued--;
    }
    mutex_unlock(&pool->lock);
    return job;
}

static void *worker_main(void *argument) {
    struct http_worker_pool *pool = argument;
    for (;;) {
        struct http_job *job = pop(pool);
        if (job == NULL) {
            return NULL;
        }
        job->run(job->context);
    }
}

struct http_worker_pool *http_workers_start(int count) {
    CHECK(count > 0 && count <= WORKERS_MAX);
    struct http_worker_pool *pool = calloc(1, sizeof *pool);
    CHECK(pool != NULL);
    mutex_init(&pool->lock);
    cond_init(&pool->wakeup);
    pool->last = &pool->first;
    pool->count = count;
    for (int i = 0; i < count; i++) {
        pool->threads[i] = thread_start("http-work", worker_main, pool);
    }
    return pool;
}

bool http_workers_push(struct http_worker_pool *pool, struct http_job *job) {
    mutex_lock(&pool->lock);
    bool accepted = pool->queued < HTTP_WORK_QUEUE_MAX && !pool->stopping;
    if (accepted) {
        job->next = NULL;
        *pool->last = job;
        pool->last = &job->next;
        pool->queued++;
        cond_signal(&pool->wakeup);
    }
    mutex_unlock(&pool->lock);
    return accepted;
}

void http_workers_stop(struct http_worker_pool *pool) {
    if (pool == NULL) {
        return;
    }
    mutex_lock(&pool->lock);
    pool->stopping = true;
    cond_broadcast(&pool->wakeup);
    mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->count; i++) {
        thread_join(pool->threads[i]);
    }
}

void http_workers_free(struct http_worker_pool *pool) {
    if (pool == NULL) {
        return;
    }
    cond_done(&pool->wakeup);
    mutex_done(&pool->lock);
    free(pool);
}

bool http_defer(struct http_server *server, struct http_job *job) {
    return http_workers_push(server->workers, job);
}
