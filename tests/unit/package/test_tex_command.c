/* Commands of TeX. */
#include "tex_fixture.h"

static void commands_become_markdown(void **state) {
    (void)state;
    static const struct tex_row rows[] = {
        {"\\textbf{b} \\emph{e} \\texttt{a_b} \\t{x\\_y}", "**b** *e* `a_b` `x_y`"},
        {"\\textbf{\\textit{both}}", "***both***"},
        {"\\t{$x$}", "$x$"},
        {"\\section*{Head} text", "## Head\n\ntext"},
        {"\\InputFile\nline", "## Input\n\nline"},
        {"\\includegraphics[width=3cm]{a b.png}", "![](a%20b.png)"},
        {"\\illustration{0.3}{x.png}{See}", "![See](x.png)"},
        {"\\url{http://a/b_c}", "<http://a/b_c>"},
        {"\\href{http://a}{text}", "[text](http://a)"},
        {"a\\footnote{note}b", "a (note)b"},
        {"a\\\\b", "a  \nb"},
        {"\\verb|a_b| \\verb!x`y!", "`a_b` `` x`y ``"},
        {"caf\\'e \\\"{o}", "cafe\xcc\x81 o\xcc\x88"},
        {"\\ldots{} \\dots", "… …"},
        {"\\vspace{3cm}\\noindent a\\label{x}", "a"},
        {"\\exmp{1 2}{3}", "```\n1 2\n```\n\n```\n3\n```"},
        {"\\problemname{Title}Text", "Text"},
    };
    tex_check(rows, sizeof(rows) / sizeof(rows[0]));
}

static void what_is_not_known_stays_visible(void **state) {
    (void)state;
    static const struct tex_row rows[] = {
        {"\\foo", "\\\\foo"},
        {"\\foo{bar}{\\textbf{x}}", "\\\\foo{bar}{**x**}"},
        {"\\textbf", "\\\\textbf"},
        {"\\newcommand{\\x}{y}", "\\\\newcommand{\\\\x}{y}"},
        {"\\input{secret}", "\\\\input{secret}"},
    };
    own_buf out;
    struct err err = {0};
    int unknown = 0;
    tex_check(rows, sizeof(rows) / sizeof(rows[0]));

    buf_init(&out, KIB);
    assert_true(tex_to_markdown(STR("\\foo \\bar \\foo"), &out, tex_count, &unknown, &err));
    assert_int_equal(unknown, 2); /* each is told once */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_become_markdown),
        cmocka_unit_test(what_is_not_known_stays_visible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
