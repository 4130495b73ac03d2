#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"
#include <string.h>

static void appends_follow_each_other(void **state) {
    (void)state;
    own_buf buf;
    buf_init(&buf, 1000);

    assert_true(buf_append(&buf, STR("a\0b")));
    assert_true(buf_append_c(&buf, "-c"));
    assert_true(buf_append_char(&buf, '|'));
    assert_true(buf_append_i64(&buf, INT64_MIN));
    assert_true(buf_printf(&buf, "|%s %d", "x", 5));

    assert_true(str_eq(buf_str(&buf), STR("a\0b-c|-9223372036854775808|x 5")));
    assert_int_equal(buf_c(&buf)[buf.len], 0);
}

static void it_can_be_filled_to_the_last_byte(void **state) {
    (void)state;
    own_buf buf;
    buf_init(&buf, 1000);
    struct err err = {0};

    for (int i = 0; i < 1000; i++) {
        assert_true(buf_append_char(&buf, 'x'));
    }

    assert_true(buf_ok(&buf, "the text", &err));
    assert_int_equal(strlen(buf_c(&buf)), 1000);
}

static void over_the_maximum_it_keeps_what_was_there(void **state) {
    (void)state;
    own_buf buf;
    buf_init(&buf, 5);
    struct err err = {0};
    assert_true(buf_append_c(&buf, "abc"));

    assert_false(buf_append_c(&buf, "def"));
    assert_false(buf_append_c(&buf, "d")); /* would fit, but something is missing before it */
    assert_false(buf_printf(&buf, "%d", 1));
    assert_null(buf_reserve(&buf, 1));
    assert_false(buf_append_json(&buf, STR("")));

    assert_true(str_eq(buf_str(&buf), STR("abc")));
    assert_false(buf_ok(&buf, "the report", &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_string_equal(err.text, "the report is larger than 5 bytes");
}

static void cleared_it_starts_again(void **state) {
    (void)state;
    own_buf buf;
    buf_init(&buf, 2);
    assert_false(buf_append_c(&buf, "abc"));

    buf_clear(&buf);

    assert_true(buf_append_c(&buf, "ab"));
    assert_true(str_eq(buf_str(&buf), STR("ab")));
}

static void an_unused_one_is_an_empty_text(void **state) {
    (void)state;
    struct buf zeroed = {0};
    own_buf buf;
    buf_init(&buf, 10);

    assert_string_equal(buf_c(&buf), "");
    assert_int_equal(buf_str(&buf).len, 0);
    assert_non_null(buf_str(&buf).ptr);
    assert_true(buf_append(&buf, STR("")));
    buf_done(&zeroed);
    buf_done(NULL);
    assert_false(buf_append_char(&zeroed, 'x'));
}

static void reserved_room_can_be_written(void **state) {
    (void)state;
    own_buf buf;
    buf_init(&buf, 600);

    char *place = buf_reserve(&buf, 500);
    memset(place, 'y', 500);
    buf_grew(&buf, 400);

    assert_int_equal(buf.len, 400);
    assert_aborts((buf_grew(&buf, 4000), 0));
}

static void json_text_is_escaped(void **state) {
    (void)state;
    static const struct {
        struct str text;
        const char *json;
    } cases[] = {
        {{"", 0}, "\"\""},
        {{"plain", 5}, "\"plain\""},
        {{"a\"b\\c/", 6}, "\"a\\\"b\\\\c/\""},
        {{"\b\t\n\f\r", 5}, "\"\\b\\t\\n\\f\\r\""},
        {{"\0\x01\x1f\x7f", 4}, "\"\\u0000\\u0001\\u001f\\u007f\""},
        {{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9}, "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {{"a\xff"
          "b",
          3},
         "\"a\xef\xbf\xbd"
         "b\""},
        {{"\xe2\x82", 2}, "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 /* cut off */
        {{"\xc0\x80", 2}, "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 /* overlong */
        {{"\xed\xa0\x80", 3}, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* surrogate */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        own_buf buf;
        buf_init(&buf, 100);
        assert_true(buf_append_json(&buf, cases[i].text));
        assert_string_equal(buf_c(&buf), cases[i].json);
    }
}

static void a_json_text_that_does_not_fit_leaves_nothing_behind(void **state) {
    (void)state;
    for (size_t room = 0; room < 12; room++) {
        own_buf buf;
        buf_init(&buf, room);

        assert_false(buf_append_json(&buf, STR("ab\ncd\x01")));

        assert_int_equal(buf.len, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_follow_each_other),
        cmocka_unit_test(it_can_be_filled_to_the_last_byte),
        cmocka_unit_test(over_the_maximum_it_keeps_what_was_there),
        cmocka_unit_test(cleared_it_starts_again),
        cmocka_unit_test(an_unused_one_is_an_empty_text),
        cmocka_unit_test(reserved_room_can_be_written),
        cmocka_unit_test(json_text_is_escaped),
        cmocka_unit_test(a_json_text_that_does_not_fit_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
