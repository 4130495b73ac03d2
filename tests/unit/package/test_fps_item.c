/* Pieces of an FPS item. */
#include "package/fps_internal.h"

#include "fixture.h"

static void base64_is_decoded_with_any_white_space(void **state) {
    (void)state;
    static const struct {
        const char *text, *bytes;
        bool ok;
    } rows[] = {
        {"", "", true},
        {"YQ==", "a", true},
        {"YWI=", "ab", true},
        {"YWJj", "abc", true},
        {" Y\nW\tJ j\r\n", "abc", true},
        {"YWJjZA", "abcd", true},
        {"Y*", "", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        own_buf out;
        buf_init(&out, 100);
        assert_int_equal(fps_base64(str_from(rows[i].text), &out), rows[i].ok);
        if (rows[i].ok) {
            assert_true(str_eq_c(buf_str(&out), rows[i].bytes));
        }
    }
}

/* The file is read in steps; what stands across two of them, and CDATA that ends within the text,
 * is whole. */
static void long_data_are_whole(void **state) {
    (void)state;
    struct fixture f;
    own_buf text;
    own_buf data;
    fixture_init(&f);
    buf_init(&text, 4 * MIB);
    buf_init(&data, 4 * MIB);
    for (int i = 0; i < 100000; i++) {
        buf_append_i64(&data, i);
        buf_append_char(&data, '\n');
    }
    buf_append_c(&text, "<fps><item><title>x</title><test_input><![CDATA[");
    buf_append(&text, buf_str(&data));
    buf_append_c(&text, "]]><![CDATA[]]]]><![CDATA[>]]></test_input><test_output>1</test_output>"
                        "</item></fps>");
    fixture_put_bytes(&f, "a.xml", buf_str(&text));
    buf_append_c(&data, "]]>");

    fixture_must_read(&f);

    assert_true(str_eq(fixture_content(&f, &f.problem.manifest.cases[0].input), buf_str(&data)));
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_is_decoded_with_any_white_space),
        cmocka_unit_test(long_data_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
