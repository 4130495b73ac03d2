#ifndef TESTS_UNIT_BLOB_RACES_H
#define TESTS_UNIT_BLOB_RACES_H

/* What a file store promises to several callers at the same time, and in bad weather. */

#include "blob_contract.h"

#define CONTRACT_THREADS 4
#define CONTRACT_ROUNDS 6

struct contract_worker {
    struct contract *contract;
    struct blob_store *store;
    int failures;
    bool stop;
    struct err err;
};

static void *contract_put_rounds(void *argument) {
    struct contract_worker *worker = argument;
    char text[700000]; /* two chunks */
    for (int round = 0; round < CONTRACT_ROUNDS; round++) {
        memset(text, 'a' + round, sizeof text);
        struct blob_source source = contract_source(str_of(text, sizeof text));
        struct blob_info info;
        own_fd fd = -1;
        if (!blob_put(worker->store, &source, &info, &worker->err) ||
            !blob_open(worker->store, &info.digest, &fd, NULL, &worker->err)) {
            worker->failures++;
        }
    }
    return NULL;
}

static void many_put_the_same_at_once_and_all_may_read_it_at_once(void **state) {
    struct contract *c = *state;
    struct contract_worker workers[CONTRACT_THREADS] = {0};
    pthread_t threads[CONTRACT_THREADS];
    for (int i = 0; i < CONTRACT_THREADS; i++) {
        workers[i].store = i % 2 == 0 ? c->one : c->two;
        threads[i] = thread_start("putter", contract_put_rounds, &workers[i]);
    }
    for (int i = 0; i < CONTRACT_THREADS; i++) {
        thread_join(threads[i]);
        if (workers[i].failures > 0) {
            fail_msg("%s", workers[i].err.text);
        }
    }
    assert_int_equal(contract_each(c->one).count, CONTRACT_ROUNDS);
    assert_int_equal(contract_each(c->one).bytes, CONTRACT_ROUNDS * 700000);
}

static void *contract_remove_always(void *argument) {
    struct contract_worker *worker = argument;
    struct digest digest = digest_of(STR("wanted"));
    while (!__atomic_load_n(&worker->stop, __ATOMIC_SEQ_CST)) {
        bool removed = false;
        worker->failures +=
            blob_remove(worker->store, &digest, 1000001, &removed, &worker->err) ? 0 : 1;
    }
    return NULL;
}

/* The collection's promise: what a server was told is stored stays, even if the sweep had just
 * decided that it is old. */
static void what_was_kept_is_not_swept_away(void **state) {
    struct contract *c = *state;
    struct contract_worker sweeper = {.store = c->two};
    pthread_t thread = thread_start("sweeper", contract_remove_always, &sweeper);
    for (int i = 0; i < 40; i++) {
        struct digest digest = contract_put(c->one, STR("wanted"));
        contract_assert_content(c->one, STR("wanted"));
        c->kind->age(c, &digest, 1000000);
        if (contract_is_stored(c->one, STR("wanted"))) {
            contract_assert_content(c->one, STR("wanted"));
        }
    }
    __atomic_store_n(&sweeper.stop, true, __ATOMIC_SEQ_CST);
    thread_join(thread);
    assert_int_equal(sweeper.failures, 0);
}

static void away_it_says_try_again_and_back_it_goes_on(void **state) {
    struct contract *c = *state;
    struct digest digest = contract_put(c->one, STR("hello"));
    struct blob_source source = contract_source(STR("more"));
    struct blob_info info;
    struct contract_seen seen = {0};
    bool told = false;
    int fd = -1;
    struct err errs[4] = {0};
    if (c->kind->outage == NULL) {
        skip();
    }
    c->kind->outage(c, true);

    assert_false(blob_put(c->one, &source, &info, &errs[0]));
    assert_false(blob_open(c->one, &digest, &fd, NULL, &errs[1]));
    assert_false(blob_keep(c->one, &digest, &told, &errs[2]));
    assert_false(blob_each(c->one, contract_see, &seen, &errs[3]));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(errs[i].kind, ERR_BUSY); /* 503 with Retry-After */
    }
    c->kind->outage(c, false);

    contract_assert_content(c->one, STR("hello"));
    (void)contract_put(c->one, STR("more"));
    contract_assert_content(c->two, STR("more"));
}

/* clang-format off */
#define BLOB_RACES \
    CONTRACT(many_put_the_same_at_once_and_all_may_read_it_at_once), \
    CONTRACT(what_was_kept_is_not_swept_away), \
    CONTRACT(away_it_says_try_again_and_back_it_goes_on)
/* clang-format on */

#endif
