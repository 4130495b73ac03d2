/* Who runs while one run is measured alone. */
#include "judge/quiet.h"

#include <stdatomic.h>

#include "fake_problem.h"
#include "judge/work.h"

static struct judge judge;
static struct clock_manual hands;
static int asked;
static int answers; /* how often to say "go on" */

/* Each question is one second later. */
static bool on_progress(void *context, const struct judge_progress *progress) {
    (void)context;
    (void)progress;
    asked++;
    clock_manual_advance(&hands, 1000);
    return asked <= answers;
}

static struct work a_work(void) {
    return (struct work){.judge = &judge, .progress = on_progress};
}

static int begin(void **state) {
    (void)state;
    clock_manual_init(&hands, 0);
    quiet_init(&judge.quiet, &hands.clock);
    asked = 0;
    answers = 1000;
    return 0;
}

static int end(void **state) {
    (void)state;
    quiet_done(&judge.quiet); /* CHECKs that nobody runs or holds */
    return 0;
}

static void runs_do_not_wait_for_each_other(void **state) {
    (void)state;
    struct work first = a_work();
    struct work second = a_work();
    struct err err = {0};

    assert_true(quiet_enter(&first, &err) && quiet_enter(&second, &err));

    assert_int_equal(asked, 0);
    quiet_leave(&first);
    quiet_leave(&second);
}

static void the_quiet_waits_for_runs_only_so_long(void **state) {
    (void)state;
    struct work runs = a_work();
    struct work alone = a_work();
    struct err err = {0};
    assert_true(quiet_enter(&runs, &err));

    assert_true(quiet_begin(&alone, &err));

    assert_true(alone.quiet);
    assert_int_equal(asked, QUIET_IDLE_MS_MAX / 1000);
    assert_true(quiet_enter(&alone, &err)); /* its own run is let through */
    quiet_leave(&alone);
    quiet_end(&alone);
    quiet_leave(&runs);
}

static void others_pause_only_so_long(void **state) {
    (void)state;
    struct work alone = a_work();
    struct work other = a_work();
    struct err err = {0};
    assert_true(quiet_begin(&alone, &err));
    assert_int_equal(asked, 0);

    assert_true(quiet_enter(&other, &err));

    assert_int_equal(asked, QUIET_PAUSE_MS_MAX / 1000);
    quiet_leave(&other);
    quiet_end(&alone);
}

static void a_second_quiet_that_waited_too_long_goes_ahead_without(void **state) {
    (void)state;
    struct work first = a_work();
    struct work second = a_work();
    struct err err = {0};
    assert_true(quiet_begin(&first, &err));

    assert_true(quiet_begin(&second, &err));

    assert_false(second.quiet);
    quiet_end(&second);
    assert_true(judge.quiet.held);
    quiet_end(&first);
}

static void who_is_no_longer_wanted_waits_no_more(void **state) {
    (void)state;
    struct work runs = a_work();
    struct work alone = a_work();
    struct err err = {0};
    assert_true(quiet_enter(&runs, &err));
    answers = 1;

    assert_false(quiet_begin(&alone, &err));

    assert_int_equal(err.kind, ERR_CANCELLED);
    assert_false(judge.quiet.held); /* and holds up nobody */
    quiet_leave(&runs);

    asked = 0;
    answers = 0;
    struct work holder = a_work();
    assert_true(quiet_begin(&holder, &err));
    assert_false(quiet_enter(&runs, &err));
    quiet_end(&holder);
}

/* ---- in threads: no run is seen beside the one that is alone ---- */

#define THREADS 4
#define ROUNDS 200

static atomic_int running;
static atomic_bool alone_now;
static atomic_int broken;

static void look(int expected_beside) {
    atomic_fetch_add(&broken, atomic_load(&running) > expected_beside ? 1 : 0);
}

static void *runs_and_measures(void *argument) {
    int64_t number = *(int64_t *)argument;
    struct work work = {.judge = &judge};
    struct err err = {0};
    for (int i = 0; i < ROUNDS; i++) {
        if ((i + number) % 5 == 0) {
            assert_true(quiet_begin(&work, &err));
            atomic_store(&alone_now, true);
            look(0);
            atomic_store(&alone_now, false);
            quiet_end(&work);
        }
        assert_true(quiet_enter(&work, &err));
        atomic_fetch_add(&running, 1);
        atomic_fetch_add(&broken, atomic_load(&alone_now) ? 1 : 0);
        atomic_fetch_sub(&running, 1);
        quiet_leave(&work);
    }
    return NULL;
}

static void nobody_runs_beside_the_one_that_is_alone(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    int64_t numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        threads[i] = thread_start("quiet", runs_and_measures, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        thread_join(threads[i]);
    }
    assert_int_equal(atomic_load(&broken), 0);
}

int main(void) {
#define QUIET_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        QUIET_TEST(runs_do_not_wait_for_each_other),
        QUIET_TEST(the_quiet_waits_for_runs_only_so_long),
        QUIET_TEST(others_pause_only_so_long),
        QUIET_TEST(a_second_quiet_that_waited_too_long_goes_ahead_without),
        QUIET_TEST(who_is_no_longer_wanted_waits_no_more),
        QUIET_TEST(nobody_runs_beside_the_one_that_is_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
