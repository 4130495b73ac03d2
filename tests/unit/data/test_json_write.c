#include "data/json_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"
#include "data/json.h"

static void a_value_of_each_kind(void **state) {
    (void)state;
    own_buf out;
    buf_init(&out, 1000);
    struct err err = {0};
    struct jw json;
    const uint8_t bytes[] = {0xab, 0x01};

    jw_init(&json, &out);
    jw_object_begin(&json);
    jw_put_i64(&json, "i", INT64_MIN);
    jw_put_bool(&json, "b", true);
    jw_put_null(&json, "n");
    jw_put_str(&json, "s", STR("a\"\xff"));
    jw_put_cstr(&json, "c", NULL);
    jw_put_time(&json, "t", 1796033000042);
    jw_put_time(&json, "never", 0);
    jw_put_hex(&json, "h", bytes, 2);
    jw_put_decimal(&json, "d", 12500000, 6);
    jw_key_str(&json, STR("a\nb"));
    jw_raw(&json, STR("{\"x\":1}"));
    jw_key(&json, "list");
    jw_array_begin(&json);
    jw_array_begin(&json);
    jw_array_end(&json);
    jw_i64(&json, 1);
    jw_object_begin(&json);
    jw_object_end(&json);
    jw_bool(&json, false);
    jw_array_end(&json);
    jw_object_end(&json);

    assert_true(jw_finish(&json, "the answer", &err));
    assert_string_equal(
        buf_c(&out),
        "{\"i\":-9223372036854775808,\"b\":true,\"n\":null,\"s\":\"a\\\"\xef\xbf\xbd\",\"c\":null,"
        "\"t\":\"2026-11-30T10:03:20.042Z\",\"never\":null,\"h\":\"ab01\",\"d\":12.5,"
        "\"a\\nb\":{\"x\":1},\"list\":[[],1,{},false]}");
}

static void decimals_are_exact_and_short(void **state) {
    (void)state;
    static const struct {
        int64_t value;
        int digits;
        const char *text;
    } cases[] = {
        {12500000, 6, "12.5"},
        {0, 6, "0"},
        {1, 6, "0.000001"},
        {-1, 6, "-0.000001"},
        {-12500000, 6, "-12.5"},
        {100000000, 6, "100"},
        {105, 0, "105"},
        {110, 1, "11"},
        {INT64_MAX, 6, "9223372036854.775807"},
        {INT64_MIN, 6, "-9223372036854.775808"},
        {INT64_MAX, 18, "9.223372036854775807"},
        {INT64_MIN, 0, "-9223372036854775808"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        own_buf out;
        buf_init(&out, 100);
        struct err err = {0};
        struct jw json;

        jw_init(&json, &out);
        jw_decimal(&json, cases[i].value, cases[i].digits);

        assert_true(jw_finish(&json, "it", &err));
        assert_string_equal(buf_c(&out), cases[i].text);
    }
}

static void what_is_written_can_be_read(void **state) {
    (void)state;
    own_buf out;
    buf_init(&out, 10000);
    struct err err = {0};
    struct jw json;
    char every_byte[256];
    for (int i = 0; i < 256; i++) {
        every_byte[i] = (char)i;
    }

    jw_init(&json, &out);
    for (int depth = 1; depth < JW_DEPTH_MAX; depth++) {
        jw_array_begin(&json);
    }
    jw_object_begin(&json);
    jw_put_str(&json, "text", str_of(every_byte, sizeof(every_byte)));
    jw_object_end(&json);
    for (int depth = 1; depth < JW_DEPTH_MAX; depth++) {
        jw_array_end(&json);
    }

    assert_true(jw_finish(&json, "it", &err));
    own(json) back = NULL;
    assert_true(jr_parse(buf_str(&out), &back, &err));
}

static void an_overfull_buffer_is_found_at_the_end(void **state) {
    (void)state;
    struct err err = {0};
    for (size_t room = 0; room < 40; room++) {
        own_buf out;
        buf_init(&out, room);
        struct jw json;
        jw_init(&json, &out);
        jw_object_begin(&json);
        jw_put_cstr(&json, "a", "0123456789");
        jw_put_decimal(&json, "b", 15, 1);
        jw_put_hex(&json, "c", (const uint8_t *)"xx", 2);
        jw_object_end(&json);

        bool fits = room >= sizeof("{\"a\":\"0123456789\",\"b\":1.5,\"c\":\"7878\"}") - 1;
        assert_int_equal(jw_finish(&json, "the answer", &err), fits);
    }
    assert_int_equal(err.kind, ERR_TOO_LARGE);
}

/* Each writes something that is no JSON. */
static void wrong_nesting(struct jw *json, int which) {
    struct err err = {0};
    switch (which) {
    case 0:
        jw_object_begin(json);
        jw_i64(json, 1);
        break;
    case 1:
        jw_object_begin(json);
        jw_array_end(json);
        break;
    case 2:
        jw_array_begin(json);
        jw_object_end(json);
        break;
    case 3:
        jw_array_begin(json);
        jw_key(json, "a");
        break;
    case 4:
        jw_object_begin(json);
        jw_key(json, "a");
        jw_key(json, "b");
        break;
    case 5:
        jw_object_begin(json);
        jw_key(json, "a");
        jw_object_end(json);
        break;
    case 6:
        jw_i64(json, 1);
        jw_i64(json, 2);
        break;
    case 7: jw_array_end(json); break;
    case 8: jw_key(json, "a"); break;
    case 9:
        jw_array_begin(json);
        (void)!jw_finish(json, "it", &err);
        break;
    case 10: (void)!jw_finish(json, "it", &err); break;
    case 11: jw_raw(json, STR("")); break;
    case 12:
        for (int i = 0; i <= JW_DEPTH_MAX; i++) {
            jw_array_begin(json);
        }
        break;
    default: break;
    }
}

static void wrong_nesting_is_our_mistake(void **state) {
    (void)state;
    for (int which = 0; which <= 12; which++) {
        own_buf out;
        buf_init(&out, 1000);
        struct jw json;
        jw_init(&json, &out);
        assert_aborts((wrong_nesting(&json, which), 0));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_of_each_kind),
        cmocka_unit_test(decimals_are_exact_and_short),
        cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(an_overfull_buffer_is_found_at_the_end),
        cmocka_unit_test(wrong_nesting_is_our_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
