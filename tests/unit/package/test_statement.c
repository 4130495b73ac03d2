/* Statements and the files they refer to. */
#include "fixture.h"

static const struct package_statement *statement_in(const struct fixture *f, const char *language) {
    for (int32_t i = 0; i < f->problem.statement_count; i++) {
        if (str_eq_c(f->problem.statements[i].language, language)) {
            return &f->problem.statements[i];
        }
    }
    fail_msg("there is no statement in %s", language);
    return &f->problem.statements[0];
}

static void minimal(struct fixture *f) {
    fixture_init(f);
    fixture_minimal(f);
    fixture_remove(f, "problem_statement");
}

static void each_format_and_language_is_read(void **state) {
    (void)state;
    struct fixture f;
    minimal(&f);
    fixture_put(&f, "statement/problem.en.md", "english");
    fixture_put(&f, "statement/problem.zh-CN.tex", "\\textbf{chinese} \\foo");
    fixture_put(&f, "statement/problem.de.html", "<p>deutsch</p>");
    fixture_put(&f, "statement/problem.fr.pdf", "%PDF-1.4");

    fixture_must_read(&f);

    assert_int_equal(f.problem.statement_count, 4);
    assert_string_equal(statement_in(&f, "en")->format, "markdown");
    assert_true(str_eq_c(statement_in(&f, "en")->text, "english"));
    assert_string_equal(statement_in(&f, "zh-CN")->format, "markdown");
    assert_string_equal(arena_cstr(f.arena, str_trim(statement_in(&f, "zh-CN")->text)),
                        "**chinese** \\\\foo");
    assert_true(notes_have(&f.report.guessed, "`foo` of TeX is not known"));
    assert_string_equal(statement_in(&f, "de")->format, "html");
    const struct package_statement *pdf = statement_in(&f, "fr");
    assert_string_equal(pdf->format, "pdf");
    assert_int_equal(pdf->text.len, 0);
    assert_true(str_eq_c(pdf->file, "problem.fr.pdf"));
    assert_int_equal(f.problem.asset_count, 2); /* TeX stays beside its Markdown */
    assert_true(str_eq_c(f.problem.assets[1].name, "problem.zh-CN.tex"));
    assert_true(str_eq_c(f.problem.assets[0].name, "problem.fr.pdf"));
    assert_true(str_eq_c(fixture_content(&f, &f.problem.assets[0].blob), "%PDF-1.4"));
    fixture_done(&f);
}

/* As an exported package has both. */
static void tex_beside_its_markdown_is_no_second_statement(void **state) {
    (void)state;
    struct fixture f;
    minimal(&f);
    fixture_put(&f, "statement/problem.en.md", "english");
    fixture_put(&f, "statement/problem.en.tex", "\\emph{english}");

    fixture_must_read(&f);

    assert_int_equal(f.problem.statement_count, 1);
    assert_true(str_eq_c(f.problem.statements[0].text, "english"));
    assert_true(str_eq_c(f.problem.assets[0].name, "problem.en.tex"));
    fixture_done(&f);
}

static void without_a_language_it_is_english(void **state) {
    (void)state;
    struct fixture f;
    minimal(&f);
    fixture_put(&f, "problem_statement/problem.tex", "x");

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.statements[0].language, "en"));
    fixture_done(&f);
}

static void files_beside_a_statement_are_kept_under_their_relative_names(void **state) {
    (void)state;
    struct fixture f;
    minimal(&f);
    fixture_put(&f, "statement/problem.en.md", "![](img/tree.png)");
    fixture_put(&f, "statement/img/tree.png", "\x89PNG");
    fixture_put(&f, "statement/other.md", "not a statement");

    fixture_must_read(&f);

    assert_int_equal(f.problem.statement_count, 1);
    assert_int_equal(f.problem.asset_count, 2);
    assert_true(str_eq_c(f.problem.assets[0].name, "img/tree.png"));
    assert_true(str_eq_c(f.problem.assets[1].name, "other.md"));
    fixture_done(&f);
}

static void a_statement_beside_problem_yaml_is_found(void **state) {
    (void)state;
    struct fixture f;
    minimal(&f);
    fixture_put(&f, "problem.pdf", "%PDF");

    fixture_must_read(&f);

    assert_int_equal(f.problem.statement_count, 1);
    assert_string_equal(f.problem.statements[0].format, "pdf");
    assert_int_equal(f.report.warnings.count, 0);
    fixture_done(&f);
}

static void titles_come_from_tex_where_the_yaml_has_none(void **state) {
    (void)state;
    const struct {
        const char *tex, *title;
    } rows[] = {
        {"\\problemname{Adding}\n", "Adding"},
        {"% a comment\n  \\problemname{A {\\em b} c}\n", "A {\\em b} c"},
        {"%% plainproblemname: Plain\n\\problemname{\\textbf{Plain}}\n", "Plain"},
        {"\\problemname{}\n", "Sum"}, /* no title in it: English has the yaml's */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        minimal(&f);
        fixture_put(&f, "problem.yaml", i == 3 ? "name: Sum\n" : "");
        fixture_put(&f, "problem_statement/problem.en.tex", rows[i].tex);
        fixture_must_read(&f);
        assert_true(str_eq_c(f.problem.titles[0].text, rows[i].title));
        fixture_done(&f);
    }
}

static void the_yaml_decides_about_titles_it_has(void **state) {
    (void)state;
    struct fixture f;
    minimal(&f);
    fixture_put(&f, "problem_statement/problem.en.tex", "\\problemname{Other}\n");
    fixture_put(&f, "problem_statement/problem.sv.tex", "\\problemname{Summa}\n");

    fixture_must_read(&f);

    assert_int_equal(f.problem.title_count, 2);
    assert_true(str_eq_c(f.problem.titles[0].text, "Sum"));
    assert_true(str_eq_c(f.problem.titles[1].language, "sv"));
    assert_true(str_eq_c(f.problem.titles[1].text, "Summa"));
    fixture_done(&f);
}

static void statements_have_a_size(void **state) {
    (void)state;
    struct fixture f;
    minimal(&f);
    fixture_put(&f, "statement/problem.en.md", "");
    assert_int_equal(truncate(fixture_path(&f, "statement/problem.en.md"), STATEMENT_BYTES_MAX + 1),
                     0);

    fixture_must_refuse(&f, "bad_package", "statement/problem.en.md: the statements are too large");
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_and_language_is_read),
        cmocka_unit_test(tex_beside_its_markdown_is_no_second_statement),
        cmocka_unit_test(without_a_language_it_is_english),
        cmocka_unit_test(files_beside_a_statement_are_kept_under_their_relative_names),
        cmocka_unit_test(a_statement_beside_problem_yaml_is_found),
        cmocka_unit_test(titles_come_from_tex_where_the_yaml_has_none),
        cmocka_unit_test(the_yaml_decides_about_titles_it_has),
        cmocka_unit_test(statements_have_a_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
