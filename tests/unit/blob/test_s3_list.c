/* The list of objects, as stores spell it and as nobody should. */
#include "blob/s3_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct seen {
    int count;
    int stop_after;
    struct s3_object last;
};

static bool see(void *context, const struct s3_object *object) {
    struct seen *seen = context;
    seen->count++;
    seen->last = *object;
    return seen->count != seen->stop_after;
}

#define HEAD                                                                                       \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult "                               \
    "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>judge</Name><Prefix>a/</Prefix>"
#define OBJECT(key, size, time)                                                                    \
    "<Contents><Key>" key "</Key><LastModified>" time "</LastModified><ETag>x</ETag><Size>" size   \
    "</Size><Owner><ID>1</ID><Key>no</Key></Owner></Contents>"
#define TIME "2026-11-30T10:03:11.042Z"

static void objects_are_read_in_their_order(void **state) {
    (void)state;
    struct seen seen = {0};
    struct err err = {0};

    assert_true(s3_list_read(
        STR(HEAD OBJECT("a/1", "5", TIME) OBJECT("a/&amp;2", "7", TIME) "</ListBucketResult>"), see,
        &seen, &err));

    assert_int_equal(seen.count, 2);
    assert_string_equal(seen.last.key, "a/&2");
    assert_int_equal(seen.last.bytes, 7);
    assert_int_equal(seen.last.modified_ms, INT64_C(1796032991042));
}

static void the_visitor_may_stop(void **state) {
    (void)state;
    struct seen seen = {.stop_after = 1};
    struct err err = {0};

    assert_true(s3_list_read(
        STR(HEAD OBJECT("a/1", "5", TIME) OBJECT("a/2", "7", TIME) "</ListBucketResult>"), see,
        &seen, &err));

    assert_int_equal(seen.count, 1);
}

static void what_cannot_be_read_is_left_out(void **state) {
    (void)state;
    struct seen seen = {0};
    struct err err = {0};

    assert_true(
        s3_list_read(STR(HEAD OBJECT("a/1", "-5", TIME) OBJECT("a/2", "7", "yesterday")
                             OBJECT("", "7", TIME) OBJECT("a/3", "7", TIME) "</ListBucketResult>"),
                     see, &seen, &err));

    assert_int_equal(seen.count, 1);
    assert_string_equal(seen.last.key, "a/3");
}

static void a_key_longer_than_any_is_left_out(void **state) {
    (void)state;
    static char text[4000];
    struct seen seen = {0};
    struct err err = {0};
    size_t len = strlen(HEAD "<Contents><Key>");
    memcpy(text, HEAD "<Contents><Key>", len);
    memset(text + len, 'k', 2000);
    (void)snprintf(text + len + 2000, 1000,
                   "</Key><Size>1</Size><LastModified>" TIME
                   "</LastModified></Contents></ListBucketResult>");

    assert_true(s3_list_read(str_from(text), see, &seen, &err));

    assert_int_equal(seen.count, 0);
}

static void what_is_no_list_is_an_error(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "hello",
        "<html><body>proxy</body></html>",
        HEAD,
        HEAD "</Name></ListBucketResult>",
        "<!DOCTYPE x [<!ENTITY a \"b\">]><ListBucketResult>&a;</ListBucketResult>",
        "<Error><Code>AccessDenied</Code></Error>"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct seen seen = {0};
        struct err err = {0};
        assert_false(s3_list_read(str_from(texts[i]), see, &seen, &err));
        assert_string_equal(err.code, "blob_failed");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_read_in_their_order),
        cmocka_unit_test(the_visitor_may_stop),
        cmocka_unit_test(what_cannot_be_read_is_left_out),
        cmocka_unit_test(a_key_longer_than_any_is_left_out),
        cmocka_unit_test(what_is_no_list_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
