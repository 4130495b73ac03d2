#include "data/password.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include <string.h>

static void a_password_fits_its_hash_and_no_other(void **state) {
    (void)state;
    struct err err = {0};
    char hash[PASSWORD_HASH_BYTES];

    assert_true(password_hash(STR("correct horse"), &password_cost_test, hash, &err));

    assert_true(password_verify(hash, STR("correct horse")));
    assert_false(password_verify(hash, STR("correct horsf")));
    assert_false(password_verify(hash, STR("correct horse ")));
    assert_false(password_verify(hash, STR("")));
}

static void the_same_password_hashes_differently_each_time(void **state) {
    (void)state;
    struct err err = {0};
    char a[PASSWORD_HASH_BYTES];
    char b[PASSWORD_HASH_BYTES];

    assert_true(password_hash(STR("same"), &password_cost_test, a, &err));
    assert_true(password_hash(STR("same"), &password_cost_test, b, &err));

    assert_string_not_equal(a, b);
}

static void the_default_cost_is_argon2id_with_19_mib(void **state) {
    (void)state;
    struct err err = {0};
    char hash[PASSWORD_HASH_BYTES];

    assert_true(password_hash(STR("x"), &password_cost_default, hash, &err));

    assert_non_null(strstr(hash, "$argon2id$v=19$m=19456,t=2,p=1$"));
    assert_true(password_verify(hash, STR("x")));
    assert_false(password_is_outdated(hash, &password_cost_default));
    assert_true(password_is_outdated(hash, &password_cost_test));
}

static void what_is_no_hash_fits_nothing(void **state) {
    (void)state;
    char endless[400];
    memset(endless, '$', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    static const char *const broken[] = {
        "",
        "x",
        "$argon2id$",
        "$argon2id$v=19$m=99999999999,t=2,p=1$AAAA$AAAA",
        "$2y$10$abcdefghijklmnopqrstuv",
    };

    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        assert_false(password_verify(broken[i], STR("")));
        assert_false(password_verify(broken[i], STR("x")));
        assert_true(password_is_outdated(broken[i], &password_cost_test));
    }
    assert_false(password_verify(endless, STR("x")));
    assert_false(password_verify(NULL, STR("x")));
    assert_true(password_is_outdated(NULL, &password_cost_test));
}

static void lengths_are_bounded(void **state) {
    (void)state;
    struct err err = {0};
    char hash[PASSWORD_HASH_BYTES];
    char longest[PASSWORD_BYTES_MAX + 1];
    memset(longest, 'a', sizeof(longest));

    assert_true(password_check(STR("12345678"), &err));
    assert_true(password_check(str_of(longest, PASSWORD_BYTES_MAX), &err));
    assert_false(password_check(STR("1234567"), &err));
    assert_string_equal(err.text, "a password must have 8 to 256 bytes");
    assert_false(password_check(str_of(longest, sizeof(longest)), &err));
    assert_false(password_check(STR("1234567\xff"), &err));
    assert_false(password_check(STR("1234567\0"), &err));
    assert_false(password_hash(str_of(longest, sizeof(longest)), &password_cost_test, hash, &err));
    assert_string_equal(err.code, "bad_password");
}

static void a_generated_password_is_readable(void **state) {
    (void)state;
    struct random_seeded seeded;
    random_seeded_init(&seeded, 5);
    char password[PASSWORD_GENERATED_BYTES];
    char other[PASSWORD_GENERATED_BYTES];
    struct err err = {0};

    for (int round = 0; round < 200; round++) {
        password_generate(&seeded.random, password);
        assert_int_equal(strlen(password), 19);
        assert_true(strspn(password, "abcdefghjkmnpqrstuvwxyz23456789-") == 19);
        assert_int_equal(password[4], '-');
        assert_int_equal(password[14], '-');
        assert_true(password_check(str_from(password), &err));
    }

    password_generate(&random_real, password);
    password_generate(&random_real, other);
    assert_string_not_equal(password, other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_password_fits_its_hash_and_no_other),
        cmocka_unit_test(the_same_password_hashes_differently_each_time),
        cmocka_unit_test(the_default_cost_is_argon2id_with_19_mib),
        cmocka_unit_test(what_is_no_hash_fits_nothing),
        cmocka_unit_test(lengths_are_bounded),
        cmocka_unit_test(a_generated_password_is_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
