#include "base/limits.h"
#include "wire/health_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void an_answer_goes_both_ways(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    own_buf out = {0};
    buf_init(&out, 4 * KIB);
    struct digest key = digest_of(STR("credential"));
    struct health health = {.name = STR("n1"),
                            .protocol_min = 1,
                            .protocol_max = 2,
                            .config_digest = STR("aa"),
                            .proof = health_proof(&key, "challenge")};
    struct health read = {0};
    struct err err = {0};

    assert_true(health_encode(&health, &out, &err));
    assert_true(health_decode(buf_str(&out), arena, &read, &err));

    assert_true(str_eq_c(read.name, "n1"));
    assert_int_equal(read.protocol_max, 2);
    assert_true(digest_equal(&read.proof, &health.proof));
}

static void the_proof_depends_on_both(void **state) {
    (void)state;
    struct digest key = digest_of(STR("credential"));
    struct digest other = digest_of(STR("another"));
    struct digest proof = health_proof(&key, "one");
    struct digest by_other = health_proof(&other, "one");
    struct digest of_other = health_proof(&key, "two");

    assert_false(digest_equal(&proof, &by_other));
    assert_false(digest_equal(&proof, &of_other));
}

static void nonsense_is_refused(void **state) {
    (void)state;
    static const char *const rows[] = {"", "{}", "[]", "<html>",
                                       "{\"name\":\"n\",\"protocolMin\":1,\"protocolMax\":2,"
                                       "\"configDigest\":\"\",\"proof\":\"x\"}"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own(arena) arena = arena_create(64 * KIB);
        struct health health = {0};
        struct err err = {0};

        assert_false(health_decode(str_from(rows[i]), arena, &health, &err));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_goes_both_ways),
        cmocka_unit_test(the_proof_depends_on_both),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
