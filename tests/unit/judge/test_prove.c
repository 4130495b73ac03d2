/* The toolchain's version and proof. */
#include "fake_problem.h"
#include "judge/prove.h"

static void the_first_line_with_something_on_it_is_the_version(void **state) {
    (void)state;
    assert_true(str_eq_c(prove_first_line(STR("\n \n g++ 12.2 \r\nmore")), "g++ 12.2"));
    assert_int_equal(prove_first_line(STR("\n\n")).len, 0);
    assert_int_equal(prove_first_line(STR("")).len, 0);
    char big[1000];
    memset(big, 'x', sizeof big);
    assert_int_equal(prove_first_line(str_of(big, sizeof big)).len, JUDGE_VERSION_BYTES_MAX - 1);
}

static void a_version_is_asked_for_once(void **state) {
    struct fake_world *world = *state;
    struct str version = {0};
    struct err err = {0};
    fake.open_slots = 1;

    assert_true(prove_version(&world->work, fake_language(world, "cpp"), &version, &err));
    assert_true(str_eq_c(version, "Toy 1.2.3"));
    assert_string_equal(fake.argv, "/usr/bin/g++ --version");
    assert_true(prove_version(&world->work, fake_language(world, "cpp"), &version, &err));
    assert_true(str_eq_c(version, "Toy 1.2.3"));
    assert_int_equal(fake.starts, 1);
    assert_true(prove_version(&world->work, fake_language(world, "c"), &version, &err));
    assert_int_equal(fake.starts, 2);
}

static void a_hello_program_that_says_something_else_is_no_proof(void **state) {
    struct fake_world *world = *state;
    struct str version = {0};
    struct err err = {0};

    /* the fake compiler's program is the source's first word, which says nothing */
    assert_false(judge_prove_language(world->judge, 0, fake_language(world, "cpp"), world->arena,
                                      &version, &err));

    assert_int_equal(err.fault, FAULT_NODE);
    assert_string_equal(err.code, "language_broken");
    assert_int_equal(fake.open_slots, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_with_something_on_it_is_the_version),
        FAKE_TEST(a_version_is_asked_for_once),
        FAKE_TEST(a_hello_program_that_says_something_else_is_no_proof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
