#include "wire/machine_fields_internal.h"

#include "wire/machine_json.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_token_is_sixteen_lower_case_hex_digits(void **state) {
    (void)state;
    char hex[MACHINE_TOKEN_CHARS + 1];
    uint64_t back = 0;

    machine_token_hex(UINT64_C(0x00ff1234567890ab), hex);

    assert_string_equal(hex, "00ff1234567890ab");
    assert_true(machine_token_parse(str_from(hex), &back));
    assert_true(back == UINT64_C(0x00ff1234567890ab));
}

static void another_text_is_no_token(void **state) {
    (void)state;
    static const char *const texts[] = {"", "00ff1234567890a", "00ff1234567890abc",
                                        "00FF1234567890ab", "00fg1234567890ab"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        uint64_t token = 5;

        assert_false(machine_token_parse(str_from(texts[i]), &token));

        assert_true(token == 5);
    }
}

static void a_message_must_be_an_object(void **state) {
    (void)state;
    static const char *const texts[] = {"[]", "7", "null", "\"a\"", "[{}]"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        own(json) object = NULL;
        struct err err = {0};

        assert_false(field_parse(str_from(texts[i]), NULL, &object, &err));

        assert_string_equal(err.code, "bad_field");
    }
}

static void unknown_members_are_skipped_only_where_nothing_is_named(void **state) {
    (void)state;
    static const char *const known[] = {"a", NULL};
    own(json) lenient = NULL;
    own(json) strict = NULL;
    struct err err = {0};

    assert_true(field_parse(STR("{\"a\":1,\"b\":2}"), NULL, &lenient, &err));
    assert_false(field_parse(STR("{\"a\":1,\"b\":2}"), known, &strict, &err));

    assert_string_equal(err.code, "unknown_field");
}

static void a_digest_is_lower_case(void **state) {
    (void)state;
    own(json) object = NULL;
    struct digest digest;
    struct err err = {0};
    assert_true(field_parse(
        STR("{\"good\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
            "\"big\":\"E3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
            "\"short\":\"e3b0c4\"}"),
        NULL, &object, &err));

    assert_true(field_digest(object, "good", &digest, &err));
    assert_false(field_digest(object, "big", &digest, &err));
    assert_false(field_digest(object, "short", &digest, &err));

    struct digest empty = digest_of(STR(""));
    assert_true(digest_equal(&digest, &empty));
}

static void texts_live_in_the_arena(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    struct str text = {0};
    struct str absent = STR("x");
    struct str empty = {0};
    struct err err = {0};
    {
        own(json) object = NULL;
        assert_true(field_parse(STR("{\"t\":\"hello\",\"e\":\"\"}"), NULL, &object, &err));
        assert_true(field_word(object, "t", 5, arena, &text, &err));
        assert_true(field_opt_text(object, "none", 5, arena, &absent, &err));
        assert_false(field_word(object, "e", 5, arena, &empty, &err));
        assert_false(field_text(object, "t", 4, arena, &empty, &err));
    }

    assert_true(str_eq_c(text, "hello"));
    assert_int_equal(absent.len, 0);
    assert_string_equal(err.code, "field_too_long");
}

static void a_choice_is_one_of_the_names(void **state) {
    (void)state;
    static const char *const names[] = {NULL, "ONE", "TWO"};
    own(json) object = NULL;
    int index = 0;
    struct err err = {0};
    assert_true(field_parse(STR("{\"a\":\"TWO\",\"b\":\"two\",\"c\":2}"), NULL, &object, &err));

    assert_true(field_choice(object, "a", names, 3, &index, &err));
    assert_false(field_choice(object, "c", names, 3, &index, &err));
    assert_false(field_choice(object, "b", names, 3, &index, &err));

    assert_int_equal(index, 2);
    assert_non_null(strstr(err.text, "two"));
}

static void leases_are_one_to_the_limit(void **state) {
    (void)state;
    static const char lease[] =
        "{\"jobId\":7,\"leaseEpoch\":2,\"leaseToken\":\"00000000000000ff\"}";
    own(arena) arena = arena_create(256 * KIB);
    own_buf text = {0};
    buf_init(&text, 64 * KIB);
    const struct machine_lease *leases = NULL;
    int32_t count = 0;

    for (int n = 0; n <= RENEW_JOBS_MAX + 1; n++) {
        own(json) object = NULL;
        struct err err = {0};
        buf_clear(&text);
        buf_append_c(&text, "{\"leases\":[");
        for (int i = 0; i < n; i++) {
            buf_append_c(&text, i == 0 ? "" : ",");
            buf_append_c(&text, lease);
        }
        buf_append_c(&text, "]}");
        assert_true(field_parse(buf_str(&text), NULL, &object, &err));

        bool ok = field_leases(object, arena, &leases, &count, &err);

        assert_int_equal(ok, n >= 1 && n <= RENEW_JOBS_MAX);
    }
    assert_int_equal(count, RENEW_JOBS_MAX);
    assert_int_equal(leases[3].job.value, 7);
    assert_true(leases[3].token == 255);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_is_sixteen_lower_case_hex_digits),
        cmocka_unit_test(another_text_is_no_token),
        cmocka_unit_test(a_message_must_be_an_object),
        cmocka_unit_test(unknown_members_are_skipped_only_where_nothing_is_named),
        cmocka_unit_test(a_digest_is_lower_case),
        cmocka_unit_test(texts_live_in_the_arena),
        cmocka_unit_test(a_choice_is_one_of_the_names),
        cmocka_unit_test(leases_are_one_to_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
