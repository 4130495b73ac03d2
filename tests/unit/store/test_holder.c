/* One server per file, named when a second one comes. */
#include "store/holder.h"
#include "store/store_fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_second_holder_is_refused_by_the_firsts_name(void **state) {
    struct fixture *f = *state;
    own(holder) first = NULL;
    own(holder) second = NULL;
    assert_true(holder_lock(f->path, "assize server, pid 71", &f->clock.clock, &first, &f->err));

    assert_false(holder_lock(f->path, "assize server, pid 99", &f->clock.clock, &second, &f->err));

    assert_int_equal(f->err.kind, ERR_CONFLICT);
    assert_string_equal(f->err.code, "database_in_use");
    assert_non_null(strstr(f->err.text, "assize server, pid 71, host "));
    assert_non_null(strstr(f->err.text, "since 2023-11-14T22:13:20.000Z"));
}

static void it_is_free_after_an_orderly_end(void **state) {
    struct fixture *f = *state;
    struct holder *first = NULL;
    own(holder) second = NULL;
    assert_true(holder_lock(f->path, "first", &f->clock.clock, &first, &f->err));

    holder_free(first);

    assert_true(holder_lock(f->path, "second", &f->clock.clock, &second, &f->err));
}

static void a_killed_holder_is_no_obstacle(void **state) {
    struct fixture *f = *state;
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct holder *mine = NULL;
        bool locked = holder_lock(f->path, "killed", &f->clock.clock, &mine, &f->err);
        (void)!write(ready[1], locked ? "y" : "n", 1);
        (void)pause();
        _exit(0);
    }
    char answer = 0;
    assert_int_equal(read(ready[0], &answer, 1), 1);
    assert_int_equal(answer, 'y');
    own(holder) after = NULL;
    assert_false(holder_lock(f->path, "second", &f->clock.clock, &after, &f->err));

    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);

    assert_true(holder_lock(f->path, "second", &f->clock.clock, &after, &f->err));
    close(ready[0]);
    close(ready[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup_empty, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_second_holder_is_refused_by_the_firsts_name),
        TEST(it_is_free_after_an_orderly_end),
        TEST(a_killed_holder_is_no_obstacle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
