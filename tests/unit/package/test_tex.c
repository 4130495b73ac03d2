/* TeX to Markdown: text, quotes, formulas. */
#include "tex_fixture.h"

static void text_becomes_markdown_that_shows_it(void **state) {
    (void)state;
    static const struct tex_row rows[] = {
        {"plain", "plain"},
        {"a_b *c* <d> [e]", "a\\_b \\*c\\* \\<d> \\[e\\]"},
        {"# no heading\n- no list", "\\# no heading\n\\- no list"},
        {"one\n\n\n\ntwo", "one\n\ntwo"},
        {"   indented is no code", "indented is no code"},
        {"a % comment\n  b", "a b"},
        {"5\\% \\& \\_ \\# \\$ \\{x\\}", "5% &amp; \\_ \\# \\$ {x}"},
        {"``a'' `b' <<c>> -- ---", "“a” ‘b’ «c» – —"},
        {"x~y", "x\xc2\xa0y"},
        {"{group}", "group"},
        {"{\\bf b} {\\it i} {\\tt t}", "**b** *i* `t`"},
    };
    tex_check(rows, sizeof(rows) / sizeof(rows[0]));
}

static void formulas_stay_as_they_are(void **state) {
    (void)state;
    static const struct tex_row rows[] = {
        {"$a_1 * b_2$", "$a_1 * b_2$"},
        {"\\(x\\)", "$x$"},
        {"a \\[ x \\] b", "a\n\n$$\nx\n$$\n\nb"},
        {"$$y$$", "$$\ny\n$$"},
        {"$a\\$b$", "$a\\$b$"},
        {"$a\n- b$", "$a - b$"},
        {"costs 5$", "costs 5\\$"},
    };
    tex_check(rows, sizeof(rows) / sizeof(rows[0]));
}

/* What never closes, or is deeper than anybody writes, is text; and it takes no long time. */
static void nothing_is_swallowed(void **state) {
    (void)state;
    own_buf text;
    own_buf out;
    struct err err = {0};
    int unknown = 0;
    buf_init(&text, 4 * MIB);
    buf_init(&out, 8 * MIB);
    for (int i = 0; i < 200000; i++) {
        buf_append_c(&text, "{\\(");
    }
    buf_append_c(&text, "end");

    assert_true(tex_to_markdown(buf_str(&text), &out, tex_count, &unknown, &err));

    assert_true(str_ends(buf_str(&out), STR("end")));
    assert_true(out.len > 200000);
}

static void a_full_buffer_is_an_error(void **state) {
    (void)state;
    own_buf out;
    struct err err = {0};
    int unknown = 0;
    buf_init(&out, 10);

    assert_false(
        tex_to_markdown(STR("more than ten bytes of text"), &out, tex_count, &unknown, &err));

    assert_int_equal(err.kind, ERR_TOO_LARGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_becomes_markdown_that_shows_it),
        cmocka_unit_test(formulas_stay_as_they_are),
        cmocka_unit_test(nothing_is_swallowed),
        cmocka_unit_test(a_full_buffer_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
