/* XML as a tree. */
#include "package/xml.h"

#include "fixture.h"

static void a_tree_is_read(void **state) {
    (void)state;
    struct err err = {0};
    const struct xml *root = NULL;
    own(arena) arena = arena_create(64 * MIB);
    const struct str text = STR("<?xml version='1.0'?>\n<a x='1'>\n<b>one</b><c/><b y='&lt;'> two "
                                "</b></a>");

    assert_true(xml_parse(arena, STR("f.xml"), text, &root, &err));

    const struct xml *b = xml_child(root, "b");
    assert_true(str_eq_c(xml_attribute(root, "x"), "1"));
    assert_true(str_eq_c(xml_attribute(root, "y"), ""));
    assert_true(str_eq_c(b->text, "one"));
    assert_int_equal(b->line, 3);
    assert_true(str_eq_c(xml_next(b)->text, "two"));
    assert_true(str_eq_c(xml_attribute(xml_next(b), "y"), "<"));
    assert_null(xml_next(xml_next(b)));
    assert_null(xml_path(root, "b/c"));
    assert_null(xml_child(NULL, "b"));
}

static void what_would_cost_or_read_more_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "f.xml:1: no element found"},
        {"<a>", "f.xml:1: no element found"},
        {"<a></b>", "f.xml:1: mismatched tag"},
        {"\n<!DOCTYPE a [<!ENTITY x 'yyyy'>]><a>&x;</a>", "f.xml:2: its DOCTYPE declares"},
        {"<!DOCTYPE a [<!ENTITY % p SYSTEM 'http://x'>%p;]><a/>", "f.xml:1: its DOCTYPE declares"},
        {"<a>&x;</a>", "f.xml:1: undefined entity"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct err err = {0};
        const struct xml *root = NULL;
        own(arena) arena = arena_create(64 * MIB);
        assert_false(xml_parse(arena, STR("f.xml"), str_from(rows[i].text), &root, &err));
        if (strstr(err.text, rows[i].message) == NULL) {
            print_error("%s\n", err.text);
        }
        assert_non_null(strstr(err.text, rows[i].message));
    }
}

static void depth_is_bounded(void **state) {
    (void)state;
    struct err err = {0};
    const struct xml *root = NULL;
    own(arena) arena = arena_create(64 * MIB);
    own_buf text;
    buf_init(&text, MIB);
    for (int i = 0; i < 1000; i++) {
        buf_append_c(&text, "<a>");
    }

    assert_false(xml_parse(arena, STR("f.xml"), buf_str(&text), &root, &err));

    assert_non_null(strstr(err.text, "nested too deep"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_is_read),
        cmocka_unit_test(what_would_cost_or_read_more_is_refused),
        cmocka_unit_test(depth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
