/* Counting failed password checks. */
#include "app/attempts_internal.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct clock_manual clock;
    struct random_seeded random;
    struct attempts *attempts;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof(*f));
    clock_manual_init(&f->clock, 1000);
    random_seeded_init(&f->random, 7);
    f->attempts = attempts_create(&f->clock.clock, &f->random.random);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    attempts_free(f->attempts);
    free(f);
    return 0;
}

static bool allowed(struct fixture *f, const char *name, const char *remote) {
    struct err err = {0};
    bool ok = attempts_check(f->attempts, str_from(name), str_from(remote), &err);
    assert_true(ok || err.kind == ERR_LIMITED);
    return ok;
}

static void fail_times(struct fixture *f, const char *name, const char *remote, int times) {
    for (int i = 0; i < times; i++) {
        attempts_failed(f->attempts, str_from(name), str_from(remote));
    }
}

static void ten_failures_from_one_address_close_the_account_to_it(void **state) {
    struct fixture *f = *state;
    struct err err = {0};

    fail_times(f, "ada", "a", ATTEMPTS_PAIR_MAX - 1);
    assert_true(allowed(f, "ada", "a"));
    fail_times(f, "ada", "a", 1);

    assert_false(allowed(f, "ada", "a"));
    assert_true(allowed(f, "ada", "b"));
    assert_true(allowed(f, "bob", "a"));
    assert_false(attempts_check(f->attempts, STR("ada"), STR("a"), &err));
    assert_string_equal(err.code, "too_many_attempts");
    assert_non_null(strstr(err.text, "300 seconds"));
}

static void many_addresses_cannot_guess_one_account(void **state) {
    struct fixture *f = *state;
    char remote[32];

    for (int i = 0; i < ATTEMPTS_NAME_MAX; i++) {
        (void)snprintf(remote, sizeof(remote), "10.0.0.%d", i);
        assert_true(allowed(f, "ada", remote));
        fail_times(f, "ada", remote, 1);
    }

    assert_false(allowed(f, "ada", "fresh"));
    assert_true(allowed(f, "bob", "fresh"));
}

static void one_address_cannot_guess_many_accounts(void **state) {
    struct fixture *f = *state;
    char name[32];

    for (int i = 0; i < ATTEMPTS_REMOTE_MAX; i++) {
        (void)snprintf(name, sizeof(name), "user%d", i);
        fail_times(f, name, "a", 1);
    }

    assert_false(allowed(f, "somebody", "a"));
    assert_true(allowed(f, "somebody", "b"));
}

static void time_heals(void **state) {
    struct fixture *f = *state;
    fail_times(f, "ada", "a", ATTEMPTS_PAIR_MAX);

    clock_manual_advance(&f->clock, ATTEMPTS_WINDOW_MS - 1);
    assert_false(allowed(f, "ada", "a"));
    clock_manual_advance(&f->clock, 1);
    assert_true(allowed(f, "ada", "a"));
    fail_times(f, "ada", "a", ATTEMPTS_PAIR_MAX - 1);

    assert_true(allowed(f, "ada", "a"));
}

static void success_forgets_the_failures_from_the_same_address_only(void **state) {
    struct fixture *f = *state;
    fail_times(f, "ada", "a", ATTEMPTS_PAIR_MAX);
    fail_times(f, "ada", "b", ATTEMPTS_PAIR_MAX);

    attempts_succeeded(f->attempts, STR("ada"), STR("a"));
    attempts_succeeded(f->attempts, STR("nobody"), STR("a"));

    assert_true(allowed(f, "ada", "a"));
    assert_false(allowed(f, "ada", "b"));
}

static void the_border_between_name_and_address_matters(void **state) {
    struct fixture *f = *state;

    fail_times(f, "ab", "c", ATTEMPTS_PAIR_MAX);

    assert_true(allowed(f, "a", "bc"));
}

static void a_flood_of_names_takes_no_more_memory_and_stops_nobody_else(void **state) {
    struct fixture *f = *state;
    char name[32];
    char remote[32];

    for (int i = 0; i < 30000; i++) {
        (void)snprintf(name, sizeof(name), "flood%d", i);
        (void)snprintf(remote, sizeof(remote), "remote%d", i);
        fail_times(f, name, remote, 1);
        clock_manual_advance(&f->clock, 1);
    }

    assert_true(allowed(f, "ada", "a"));
}

int main(void) {
#define WITH_TABLE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_TABLE(ten_failures_from_one_address_close_the_account_to_it),
        WITH_TABLE(many_addresses_cannot_guess_one_account),
        WITH_TABLE(one_address_cannot_guess_many_accounts),
        WITH_TABLE(time_heals),
        WITH_TABLE(success_forgets_the_failures_from_the_same_address_only),
        WITH_TABLE(the_border_between_name_and_address_matters),
        WITH_TABLE(a_flood_of_names_takes_no_more_memory_and_stops_nobody_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
