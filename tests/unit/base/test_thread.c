#include "base/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"
#include "base/clock.h"
#include <string.h>

struct shared {
    struct mutex mutex;
    struct cond cond;
    int count;
    bool signals_blocked;
    char name[16];
};

static void *add_many(void *argument) {
    struct shared *shared = argument;
    for (int i = 0; i < 10000; i++) {
        mutex_lock(&shared->mutex);
        shared->count++;
        mutex_unlock(&shared->mutex);
    }
    return NULL;
}

static void a_mutex_keeps_threads_apart(void **state) {
    (void)state;
    struct shared shared = {0};
    mutex_init(&shared.mutex);

    pthread_t a = thread_start("a", add_many, &shared);
    pthread_t b = thread_start("b", add_many, &shared);
    thread_join(a);
    thread_join(b);

    assert_int_equal(shared.count, 20000);
    mutex_done(&shared.mutex);
}

static void *announce(void *argument) {
    struct shared *shared = argument;
    mutex_lock(&shared->mutex);
    shared->count = 1;
    cond_signal(&shared->cond);
    mutex_unlock(&shared->mutex);
    return NULL;
}

static void a_signal_wakes_the_waiter(void **state) {
    (void)state;
    struct shared shared = {0};
    mutex_init(&shared.mutex);
    cond_init(&shared.cond);

    mutex_lock(&shared.mutex);
    pthread_t thread = thread_start("announcer", announce, &shared);
    bool woken = true;
    while (shared.count == 0 && woken) {
        woken = cond_wait_ms(&shared.cond, &shared.mutex, 10000);
    }
    mutex_unlock(&shared.mutex);
    thread_join(thread);

    assert_true(woken);
    cond_done(&shared.cond);
    mutex_done(&shared.mutex);
}

static void a_wait_ends_after_its_time(void **state) {
    (void)state;
    struct shared shared = {0};
    mutex_init(&shared.mutex);
    cond_init(&shared.cond);
    int64_t start_ms = clock_mono_ms(&clock_real);

    mutex_lock(&shared.mutex);
    bool woken = true;
    while (woken) { /* spurious wake-ups are allowed */
        woken = cond_wait_ms(&shared.cond, &shared.mutex, 30);
    }
    bool woken_at_once = cond_wait_ms(&shared.cond, &shared.mutex, -1);
    mutex_unlock(&shared.mutex);

    assert_true(clock_mono_ms(&clock_real) - start_ms >= 29);
    assert_false(woken_at_once);
    cond_done(&shared.cond);
    mutex_done(&shared.mutex);
}

static void *look_around(void *argument) {
    struct shared *shared = argument;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    shared->signals_blocked = sigismember(&blocked, SIGTERM) == 1;
    mutex_lock(&shared->mutex); /* the name is set before the starter lets go */
    mutex_unlock(&shared->mutex);
    pthread_getname_np(pthread_self(), shared->name, sizeof(shared->name));
    return NULL;
}

static void a_thread_has_its_name_and_no_signals(void **state) {
    (void)state;
    struct shared shared = {0};
    mutex_init(&shared.mutex);
    sigset_t mine;

    mutex_lock(&shared.mutex);
    pthread_t thread = thread_start("fifteen-bytes-x", look_around, &shared);
    mutex_unlock(&shared.mutex);
    thread_join(thread);
    pthread_sigmask(SIG_SETMASK, NULL, &mine);

    assert_true(shared.signals_blocked);
    assert_string_equal(shared.name, "fifteen-bytes-x");
    assert_int_equal(sigismember(&mine, SIGTERM), 0);
    assert_aborts(thread_start("sixteen-bytes-xx", look_around, &shared) == 0);
    mutex_done(&shared.mutex);
}

static void a_wait_for_ever_does_not_overflow(void **state) {
    (void)state;
    struct shared shared = {0};
    mutex_init(&shared.mutex);
    cond_init(&shared.cond);

    mutex_lock(&shared.mutex);
    pthread_t thread = thread_start("announcer", announce, &shared);
    while (shared.count == 0) {
        assert_true(cond_wait_ms(&shared.cond, &shared.mutex, INT64_MAX));
    }
    mutex_unlock(&shared.mutex);
    thread_join(thread);

    cond_done(&shared.cond);
    mutex_done(&shared.mutex);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mutex_keeps_threads_apart),
        cmocka_unit_test(a_signal_wakes_the_waiter),
        cmocka_unit_test(a_wait_ends_after_its_time),
        cmocka_unit_test(a_thread_has_its_name_and_no_signals),
        cmocka_unit_test(a_wait_for_ever_does_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
