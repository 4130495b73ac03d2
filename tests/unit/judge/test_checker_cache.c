/* Checkers are compiled once and shared. */
#include "fake_problem.h"
#include "judge/checker_cache.h"

static const struct program *acquire(struct fake_world *world, int blob) {
    const struct program *program = NULL;
    struct err err = {0};
    fake_checker(world, blob);
    fake.open_slots = 1;
    if (!checker_acquire(&world->work, &world->manifest, &world->manifest.checker.program, &program,
                         &err)) {
        fail_msg("%s", err.text);
    }
    return program;
}

static void the_same_checker_is_compiled_once(void **state) {
    struct fake_world *world = *state;

    const struct program *first = acquire(world, 3);
    const struct program *second = acquire(world, 3);
    const struct program *other = acquire(world, 4);

    assert_ptr_equal(first, second);
    assert_ptr_not_equal(first, other);
    assert_int_equal(fake.compiles, 2);
    checker_release(world->judge, first);
    checker_release(world->judge, second);
    checker_release(world->judge, other);
    checker_release(world->judge, NULL);
}

static void a_failed_one_is_tried_again_and_says_why(void **state) {
    struct fake_world *world = *state;
    const struct program *program = NULL;
    fake_checker(world, 7);
    fake.open_slots = 1;
    for (int i = 1; i <= 2; i++) {
        struct err err = {0};

        assert_false(checker_acquire(&world->work, &world->manifest,
                                     &world->manifest.checker.program, &program, &err));

        assert_int_equal(err.fault, FAULT_PROBLEM);
        assert_non_null(strstr(err.text, "no such word"));
        assert_int_equal(fake.compiles, i);
    }
}

static void the_oldest_idle_one_makes_room(void **state) {
    struct fake_world *world = *state;
    const struct program *held = acquire(world, 3);
    for (int i = 0; i < JUDGE_CHECKERS_MAX + 5; i++) {
        char entry[32];
        const struct program *program = NULL;
        struct err err = {0};
        (void)snprintf(entry, sizeof entry, "entry%d", i);
        fake_checker(world, 4);
        world->manifest.checker.program.entry = str_from(entry);
        assert_true(checker_acquire(&world->work, &world->manifest,
                                    &world->manifest.checker.program, &program, &err));
        checker_release(world->judge, program);
    }
    int compiles = fake.compiles;

    const struct program *again = acquire(world, 3);

    assert_ptr_equal(held, again); /* it was in use all the time */
    assert_int_equal(fake.compiles, compiles);
    checker_release(world->judge, held);
    checker_release(world->judge, again);
}

static void the_key_follows_everything_that_goes_in(void **state) {
    struct fake_world *world = *state;
    const struct language *cpp = fake_language(world, "cpp");
    const struct language *c = fake_language(world, "c");
    struct manifest_file files[2] = {{.name = STR("a"), .blob = fake_blob(1)},
                                     {.name = STR("b"), .blob = fake_blob(2)}};
    struct manifest_program program = {.language = STR("cpp"), .files = files, .file_count = 2};
    struct digest before = checker_key(&program, cpp);
    struct digest again = checker_key(&program, cpp);
    assert_true(digest_equal(&before, &again));

    struct digest other = checker_key(&program, c);
    assert_false(digest_equal(&before, &other));
    program.entry = STR("a");
    other = checker_key(&program, cpp);
    assert_false(digest_equal(&before, &other));
    program.entry = STR("");
    files[1].name = STR("c");
    other = checker_key(&program, cpp);
    assert_false(digest_equal(&before, &other));
    files[1].name = STR("b");
    files[1].blob = fake_blob(3);
    other = checker_key(&program, cpp);
    assert_false(digest_equal(&before, &other));
    program.args = STR("flags"); /* are given at each run */
    files[1].blob = fake_blob(2);
    other = checker_key(&program, cpp);
    assert_true(digest_equal(&before, &other));
}

static void what_cannot_be_run_is_the_problems_fault(void **state) {
    struct fake_world *world = *state;
    const struct program *program = NULL;
    struct err err = {0};
    fake.open_slots = 1;
    fake_checker(world, 3);
    world->manifest.checker.program.adapter = ADAPTER_NONE;
    assert_false(checker_acquire(&world->work, &world->manifest, &world->manifest.checker.program,
                                 &program, &err));
    assert_string_equal(err.code, "unsupported_checker");
    fake_checker(world, 3);
    world->manifest.checker.program.language = STR("cobol");
    assert_false(checker_acquire(&world->work, &world->manifest, &world->manifest.checker.program,
                                 &program, &err));
    assert_non_null(strstr(err.text, "cobol"));
    fake_checker(world, 3);
    world->checker_file.name = STR("../check.cpp");
    assert_false(checker_acquire(&world->work, &world->manifest, &world->manifest.checker.program,
                                 &program, &err));
    assert_string_equal(err.code, "bad_checker_file");
    assert_int_equal(err.fault, FAULT_PROBLEM);
    fake_checker(world, 3);
    fake.fail_start = true;
    assert_false(checker_acquire(&world->work, &world->manifest, &world->manifest.checker.program,
                                 &program, &err));
    assert_int_equal(err.fault, FAULT_NODE); /* not the checker's fault at all */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(the_same_checker_is_compiled_once),
        FAKE_TEST(a_failed_one_is_tried_again_and_says_why),
        FAKE_TEST(the_oldest_idle_one_makes_room),
        FAKE_TEST(the_key_follows_everything_that_goes_in),
        FAKE_TEST(what_cannot_be_run_is_the_problems_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
