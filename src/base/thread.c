/* pthreads with our rules: failures are our own mistakes, waits follow the monotonic clock, and
 * signals go to the main thread only. */
#include "base/thread.h"

#include "base/check.h"
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#define THREAD_NAME_BYTES_MAX 15

void mutex_init(struct mutex *mutex) {
    CHECK(pthread_mutex_init(&mutex->raw, NULL) == 0);
}

void mutex_done(struct mutex *mutex) {
    CHECK(pthread_mutex_destroy(&mutex->raw) == 0);
}

void mutex_lock(struct mutex *mutex) {
    CHECK(pthread_mutex_lock(&mutex->raw) == 0);
}

void mutex_unlock(struct mutex *mutex) {
    CHECK(pthread_mutex_unlock(&mutex->raw) == 0);
}

void cond_init(struct cond *cond) {
    pthread_condattr_t attributes;
    CHECK(pthread_condattr_init(&attributes) == 0);
    CHECK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_cond_init(&cond->raw, &attributes) == 0);
    CHECK(pthread_condattr_destroy(&attributes) == 0);
}

void cond_done(struct cond *cond) {
    CHECK(pthread_cond_destroy(&cond->raw) == 0);
}

void cond_signal(struct cond *cond) {
    CHECK(pthread_cond_signal(&cond->raw) == 0);
}

void cond_broadcast(struct cond *cond) {
    CHECK(pthread_cond_broadcast(&cond->raw) == 0);
}

void cond_wait(struct cond *cond, struct mutex *mutex) {
    CHECK(pthread_cond_wait(&cond->raw, &mutex->raw) == 0);
}

bool cond_wait_ms(struct cond *cond, struct mutex *mutex, int64_t ms) {
    const int64_t year_ms = INT64_C(365) * 24 * 3600 * 1000;
    ms = ms < 0 ? 0 : ms;
    ms = ms > year_ms ? year_ms : ms; /* "for ever" must not overflow the deadline */
    struct timespec deadline = {0};
    CHECK(clock_gettime(CLOCK_MONOTONIC, &deadline) == 0);
    int64_t nanoseconds = deadline.tv_nsec + ms % 1000 * 1000000;
    deadline.tv_sec += (time_t)(ms / 1000 + nanoseconds / 1000000000);
    deadline.tv_nsec = (long)(nanoseconds % 1000000000);
    int failed = pthread_cond_timedwait(&cond->raw, &mutex->raw, &deadline);
    CHECK(failed == 0 || failed == ETIMEDOUT);
    return failed == 0;
}

pthread_t thread_start(const char *name, void *(*main)(void *), void *argument) {
    CHECK(strlen(name) <= THREAD_NAME_BYTES_MAX);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    CHECK(pthread_sigmask(SIG_SETMASK, &all, &before) == 0); /* the new thread inherits this */
    pthread_t thread = 0;
    int failed = pthread_create(&thread, NULL, main, argument);
    CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
    CHECK(failed == 0);
    pthread_setname_np(thread, name); /* a thread that has ended already needs no name */
    return thread;
}

void thread_join(pthread_t thread) {
    CHECK(pthread_join(thread, NULL) == 0);
}
