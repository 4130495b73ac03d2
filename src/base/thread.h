#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Thin over pthreads: failures here are our own mistakes, so they abort. Waits use the monotonic
 * clock. */
struct mutex {
    pthread_mutex_t raw;
};
struct cond {
    pthread_cond_t raw;
};

void mutex_init(struct mutex *mutex);
void mutex_done(struct mutex *mutex);
void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);

void cond_init(struct cond *cond);
void cond_done(struct cond *cond);
void cond_signal(struct cond *cond);
void cond_broadcast(struct cond *cond);
void cond_wait(struct cond *cond, struct mutex *mutex);
/* False when `ms` passed without a signal. */
bool cond_wait_ms(struct cond *cond, struct mutex *mutex, int64_t ms);

/* Starts a thread with signals blocked; `name` has at most 15 bytes and shows in ps. */
pthread_t thread_start(const char *name, void *(*main)(void *), void *argument);
void thread_join(pthread_t thread);

#endif
