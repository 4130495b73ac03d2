#include "data/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct json *parsed(const char *text) {
    struct json *value = NULL;
    struct err err = {0};
    if (!jr_parse(str_from(text), &value, &err)) {
        fail_msg("%s", err.text);
    }
    return value;
}

static void broken_json_is_refused_with_its_place(void **state) {
    (void)state;
    static const struct {
        struct str text;
        const char *place;
    } cases[] = {
        {{"", 0}, "nothing"},
        {{" \n ", 3}, "nothing"},
        {{"{", 1}, "line 1, column 1"},
        {{"{\n  \"a\": tru\n}", 14}, "line 2, column 10"},
        {{"{\"a\":1,\"a\":2}", 13}, "line 1, column 1"},
        {{"{} x", 4}, "line 1, column 4"},
        {{"{}{}", 4}, "line 1, column 3"},
        {{"[1,]", 4}, "line 1, column 4"},
        {{"'a'", 3}, "line 1, column 1"},
        {{"01", 2}, "line 1, column 1: invalid token"},
        {{"[1] // no", 9}, "line 1, column 5"},
        {{"NaN", 3}, "line 1, column"},
        {{"{\"a\\u0000\":1}", 13}, "NUL byte in object key"},
        {{"99999999999999999999", 20}, "too big integer"},
        {{"\"a\xff\"", 4}, "line 1, column 3: this is not UTF-8"},
        {{"\n\n\"\xed\xa0\x80\"", 7}, "line 3, column 2: this is not UTF-8"},
        {{"\"\\ud800\"", 8}, "line 1"},
        {{"\"a\nb\"", 5}, "line 1"},
        {{"[1]\0", 4}, "line 1"},
        {{"\"\0\"", 3}, "line 1"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct json *value = NULL;
        struct err err = {0};
        assert_false(jr_parse(cases[i].text, &value, &err));
        assert_null(value);
        assert_int_equal(err.kind, ERR_INVALID);
        assert_string_equal(err.code, "bad_json");
        if (strstr(err.text, cases[i].place) == NULL) {
            fail_msg("case %zu: \"%s\" lacks \"%s\"", i, err.text, cases[i].place);
        }
    }
}

static void an_error_quotes_nothing_of_the_text(void **state) {
    (void)state;
    struct json *value = NULL;
    struct err err = {0};

    assert_false(jr_parse(STR("{\"password\": \"hunter2\" oops"), &value, &err));

    assert_string_equal(err.text, "line 1, column 27: '}' expected");
}

static void append_times(struct buf *out, const char *text, int times) {
    for (int i = 0; i < times; i++) {
        assert_true(buf_append_c(out, text));
    }
}

static void depth_is_bounded(void **state) {
    (void)state;
    for (int depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
        own_buf text;
        buf_init(&text, 1000);
        append_times(&text, "[", depth);
        append_times(&text, "]", depth);
        own(json) value = NULL;
        struct err err = {0};

        assert_int_equal(jr_parse(buf_str(&text), &value, &err), depth == JSON_DEPTH_MAX);
    }
}

static void the_number_of_values_is_bounded(void **state) {
    (void)state;
    own_buf text;
    buf_init(&text, 4 * MIB);
    buf_append_char(&text, '[');
    append_times(&text, "1,", JSON_NODES_MAX - 2);
    buf_append_c(&text, "1]");
    own(json) most = NULL;
    own(json) too_many = NULL;
    struct err err = {0};

    assert_true(jr_parse(buf_str(&text), &most, &err));
    text.len--;
    buf_append_c(&text, ",1,1]");
    assert_false(jr_parse(buf_str(&text), &too_many, &err));

    assert_non_null(strstr(err.text, "too many values"));
}

static void brackets_inside_strings_count_for_nothing(void **state) {
    (void)state;
    own_buf text;
    buf_init(&text, 1000);
    buf_append_c(&text, "[\"");
    append_times(&text, "[{,\\\"", 50);
    buf_append_c(&text, "\"]");
    own(json) value = NULL;
    struct err err = {0};

    assert_true(jr_parse(buf_str(&text), &value, &err));
}

static void kinds_are_told_apart(void **state) {
    (void)state;
    own(json) list = parsed("[null, true, false, 1, 1.5, \"x\", [], {}, 1.0, -0]");
    static const enum jr_kind expected[] = {JR_NULL, JR_BOOL,  JR_BOOL,   JR_I64,  JR_REAL,
                                            JR_STR,  JR_ARRAY, JR_OBJECT, JR_REAL, JR_I64};

    assert_int_equal(jr_count(list), COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_int_equal(jr_kind(jr_at(list, i)), expected[i]);
    }
    assert_int_equal(jr_kind(jr_at(list, 99)), JR_MISSING);
    assert_null(jr_get(list, "x"));
    assert_int_equal(jr_count(NULL), 0);
}

static void members_are_read_by_name_and_type(void **state) {
    (void)state;
    own(json) body =
        parsed("{\"n\":7,\"b\":true,\"s\":\"h\\u00e9\",\"a\":[1,\"x\",{}],\"o\":{\"k\":null}}");
    struct err err = {0};
    int64_t n = 0;
    bool b = false;
    struct str s = STR("");
    const struct json *a = NULL;
    const struct json *o = NULL;
    const struct json *item = NULL;

    assert_true(jr_i64(body, "n", 0, 7, &n, &err));
    assert_true(jr_bool(body, "b", &b, &err));
    assert_true(jr_str(body, "s", 3, &s, &err));
    assert_true(jr_array(body, "a", 3, &a, &err));
    assert_true(jr_object(body, "o", &o, &err));

    assert_int_equal(n, 7);
    assert_true(b);
    assert_true(str_eq(s, STR("h\xc3\xa9")));
    assert_int_equal(jr_count(a), 3);
    assert_int_equal(jr_kind(jr_get(o, "k")), JR_NULL);
    assert_true(jr_item_i64(a, 0, 0, 9, &n, &err));
    assert_true(jr_item_str(a, 1, 9, &s, &err));
    assert_true(jr_item_object(a, 2, &item, &err));
    assert_false(jr_item_str(a, 2, 9, &s, &err));
    assert_string_equal(err.text, "item 2 must be text");
    assert_false(jr_item_object(a, 3, &item, &err));
    assert_string_equal(err.text, "item 3 is missing");
}

/* Reads field "f" of `text` in one of the ways, and gives the error's text. */
static const char *error_of(const char *text, const char *way) {
    static struct err err;
    own(json) body = parsed(text);
    int64_t n = 0;
    bool b = false;
    struct str s = STR("");
    const struct json *j = NULL;
    bool fine = true;
    err = (struct err){0};
    if (strcmp(way, "i64") == 0) {
        fine = jr_i64(body, "f", -3, 3, &n, &err);
    } else if (strcmp(way, "bool") == 0) {
        fine = jr_bool(body, "f", &b, &err);
    } else if (strcmp(way, "str") == 0) {
        fine = jr_str(body, "f", 3, &s, &err);
    } else if (strcmp(way, "array") == 0) {
        fine = jr_array(body, "f", 2, &j, &err);
    } else if (strcmp(way, "object") == 0) {
        fine = jr_object(body, "f", &j, &err);
    } else {
        fail();
    }
    assert_int_equal(fine, err.kind == ERR_NONE);
    return fine ? "" : err.text;
}

static void errors_name_the_field(void **state) {
    (void)state;
    static const struct {
        const char *text, *way, *error;
    } cases[] = {
        {"{}", "i64", "field `f` is missing"},
        {"{\"f\":null}", "i64", "field `f` must be a whole number"},
        {"{\"f\":\"1\"}", "i64", "field `f` must be a whole number"},
        {"{\"f\":1.0}", "i64", "field `f` must be a whole number"},
        {"{\"f\":4}", "i64", "field `f` must be from -3 to 3"},
        {"{\"f\":-4}", "i64", "field `f` must be from -3 to 3"},
        {"{\"f\":0}", "bool", "field `f` must be true or false"},
        {"{\"f\":1}", "str", "field `f` must be text"},
        {"{\"f\":\"abc\"}", "str", ""},
        {"{\"f\":\"abcd\"}", "str", "field `f` has 4 bytes; at most 3 are allowed"},
        {"{\"f\":\"\\u20ac\\u20ac\"}", "str", "field `f` has 6 bytes; at most 3 are allowed"},
        {"{\"f\":\"a\\u0000\"}", "str", "field `f` must be text without the character U+0000"},
        {"{\"f\":{}}", "array", "field `f` must be a list"},
        {"{\"f\":[1,2,3]}", "array", "field `f` has 3 items; at most 2 are allowed"},
        {"{\"f\":[]}", "object", "field `f` must be an object"},
        {"[]", "i64", "a JSON object with field `f` is expected"},
        {"3", "object", "a JSON object with field `f` is expected"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(error_of(cases[i].text, cases[i].way), cases[i].error);
    }
}

static void optional_members_keep_the_default(void **state) {
    (void)state;
    own(json) body = parsed("{\"null\":null,\"wrong\":[{}]}");
    struct err err = {0};
    static const char *const absent[] = {"null", "missing"};
    for (size_t i = 0; i < COUNT(absent); i++) {
        int64_t n = 5;
        bool b = true;
        struct str s = STR("kept");
        const struct json *j = body;

        assert_true(jr_opt_i64(body, absent[i], 0, 9, &n, &err));
        assert_true(jr_opt_bool(body, absent[i], &b, &err));
        assert_true(jr_opt_str(body, absent[i], 9, &s, &err));
        assert_true(jr_opt_output(body, absent[i], 9, &s, &err));
        assert_true(jr_opt_array(body, absent[i], 9, &j, &err));
        assert_true(jr_opt_object(body, absent[i], &j, &err));

        assert_int_equal(n, 5);
        assert_true(b);
        assert_true(str_eq(s, STR("kept")));
        assert_ptr_equal(j, body);
    }
    int64_t n = 5;
    bool b = true;
    struct str s = STR("");
    const struct json *j = NULL;
    assert_false(jr_opt_i64(body, "wrong", 0, 9, &n, &err));
    assert_false(jr_opt_bool(body, "wrong", &b, &err));
    assert_false(jr_opt_str(body, "wrong", 9, &s, &err));
    assert_false(jr_opt_array(body, "wrong", 0, &j, &err));
    assert_false(jr_opt_object(body, "wrong", &j, &err));
    assert_false(jr_opt_i64(jr_get(body, "wrong"), "x", 0, 9, &n, &err));
}

static void output_may_hold_a_nul(void **state) {
    (void)state;
    own(json) body = parsed("{\"f\":\"a\\u0000b\"}");
    struct err err = {0};
    struct str s = STR("");

    assert_true(jr_opt_output(body, "f", 3, &s, &err));

    assert_true(str_eq(s, STR("a\0b")));
}

static void unknown_members_are_refused_by_name(void **state) {
    (void)state;
    static const char *const known[] = {"a", "b", NULL};
    own(json) fine = parsed("{\"b\":1}");
    own(json) more = parsed("{\"a\":1,\"speling\":2}");
    own(json) list = parsed("[]");
    struct err err = {0};

    assert_true(jr_refuse_unknown(fine, known, &err));
    assert_false(jr_refuse_unknown(more, known, &err));
    assert_string_equal(err.code, "unknown_field");
    assert_string_equal(err.text, "field `speling` is not known");
    assert_false(jr_refuse_unknown(list, known, &err));
    assert_string_equal(err.code, "bad_field");
}

static void members_come_in_the_order_of_the_text(void **state) {
    (void)state;
    own(json) body = parsed("{\"z\":1,\"a\":2,\"m\":3}");
    void *cursor = NULL;
    struct str name = STR("");
    const struct json *value = NULL;
    char seen[8] = {0};
    size_t count = 0;

    while (jr_next_member(body, &cursor, &name, &value)) {
        seen[count++] = name.ptr[0];
        assert_int_equal(jr_kind(value), JR_I64);
    }

    assert_string_equal(seen, "zam");
    assert_int_equal(jr_count(body), 3);
    own(json) list = parsed("[1]");
    cursor = NULL;
    assert_false(jr_next_member(list, &cursor, &name, &value));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_json_is_refused_with_its_place),
        cmocka_unit_test(an_error_quotes_nothing_of_the_text),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(the_number_of_values_is_bounded),
        cmocka_unit_test(brackets_inside_strings_count_for_nothing),
        cmocka_unit_test(kinds_are_told_apart),
        cmocka_unit_test(members_are_read_by_name_and_type),
        cmocka_unit_test(errors_name_the_field),
        cmocka_unit_test(optional_members_keep_the_default),
        cmocka_unit_test(output_may_hold_a_nul),
        cmocka_unit_test(unknown_members_are_refused_by_name),
        cmocka_unit_test(members_come_in_the_order_of_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
