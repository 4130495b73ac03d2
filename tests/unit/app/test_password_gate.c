/* Only a few password checks at a time. */
#include "account_fixture.h"

#include "app/auth_internal.h"

#define THREADS 12

struct worker {
    struct app *app;
    const char *hash;
    bool ok;
    bool right;
};

static void *check_once(void *argument) {
    struct worker *worker = argument;
    struct err err = {0};
    worker->ok =
        password_gate_verify(worker->app, worker->hash, STR(ADMIN_PASSWORD), &worker->right, &err);
    return NULL;
}

static void everybody_gets_a_turn(void **state) {
    struct fixture *f = *state;
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    char hash[PASSWORD_HASH_BYTES];
    assert_true(password_gate_hash(f->app, STR(ADMIN_PASSWORD), hash, &f->err));

    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.app = f->app, .hash = hash};
        threads[i] = thread_start("gate", check_once, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        thread_join(threads[i]);
    }

    for (int i = 0; i < THREADS; i++) {
        assert_true(workers[i].ok);
        assert_true(workers[i].right);
    }
    assert_int_equal(f->app->auth->running, 0);
    assert_int_equal(f->app->auth->waiting, 0);
}

static void who_finds_both_places_taken_waits(void **state) {
    struct fixture *f = *state;
    struct auth *auth = f->app->auth;
    char hash[PASSWORD_HASH_BYTES];
    assert_true(password_gate_hash(f->app, STR(ADMIN_PASSWORD), hash, &f->err));
    auth->running = PASSWORDS_RUNNING_MAX;
    struct worker worker = {.app = f->app, .hash = hash};

    pthread_t thread = thread_start("gate", check_once, &worker);
    int waiting = 0;
    while (waiting == 0) {
        clock_sleep_ms(&clock_real, 1);
        mutex_lock(&auth->mutex);
        waiting = auth->waiting;
        mutex_unlock(&auth->mutex);
    }
    mutex_lock(&auth->mutex);
    assert_false(worker.ok);
    auth->running = 0;
    cond_signal(&auth->freed);
    mutex_unlock(&auth->mutex);
    thread_join(thread);

    assert_true(worker.ok);
}

static void who_finds_too_many_waiting_is_sent_away(void **state) {
    struct fixture *f = *state;
    char hash[PASSWORD_HASH_BYTES];
    bool right = false;
    f->app->auth->waiting = PASSWORDS_WAITING_MAX;

    assert_false(password_gate_hash(f->app, STR(ADMIN_PASSWORD), hash, &f->err));
    assert_int_equal(f->err.kind, ERR_BUSY);
    assert_false(password_gate_verify(f->app, "x", STR(ADMIN_PASSWORD), &right, &f->err));

    assert_string_equal(f->err.code, "busy");
    f->app->auth->waiting = 0;
}

int main(void) {
#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, fixture_setup_empty, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_APP(everybody_gets_a_turn),
        WITH_APP(who_finds_both_places_taken_waits),
        WITH_APP(who_finds_too_many_waiting_is_sent_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
