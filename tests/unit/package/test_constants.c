/* `constants` of problem.yaml. */
#include "fixture.h"

#define YAML                                                                                       \
    "problem_format_version: 2025-09\nname: x\nlimits: {time_limit: 1}\nconstants:\n"              \
    "  k: {value: 5000, tex: '5\\,000'}\n  n: 3\n"

static void begin(struct fixture *f, const char *yaml) {
    fixture_init(f);
    fixture_minimal(f);
    fixture_put(f, "problem.yaml", yaml);
}

static void they_stand_in_all_that_is_not_data(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, YAML);
    fixture_put(&f, "statement/problem.en.md",
                "a {{k}} {{k.value}} {{k.tex}} {{n}} {{other}} {{{n}}}");
    fixture_put(&f, "statement/problem.de.tex", "b \\constant{k} \\constant{o}");
    fixture_put(&f, "output_validator/v.py", "x = {{n}}\n");
    fixture_put(&f, "include/cpp/a.h", "int k = {{k}};\n");
    fixture_put(&f, "submissions/accepted/s.py", "print({{n}})\n");
    fixture_put(&f, "data/secret/1.in", "{{n}}\n");
    fixture_put(&f, "data/secret/test_group.yaml", "output_validator_args: ['{{n}}']\n");

    fixture_must_read(&f);

    const struct package_problem *problem = &f.problem;
    const struct manifest *manifest = &problem->manifest;
    /* TeX, as Markdown: a command that is not known stays, its backslash escaped. */
    assert_true(str_eq_c(problem->statements[0].text, "b 5000 \\\\constant{o}"));
    assert_true(str_eq_c(problem->statements[1].text, "a 5000 5000 5\\,000 3 {{other}} {3}"));
    const struct manifest_program *program = &manifest->checker.program;
    assert_true(str_eq_c(fixture_content(&f, &program->files[0].blob), "x = 3\n"));
    assert_true(str_eq_c(fixture_content(&f, &manifest->includes[0].file.blob), "int k = 5000;\n"));
    assert_null(problem->submissions[1].texts); /* sum.c has none */
    assert_true(str_eq_c(problem->submissions[0].texts[0], "print(3)\n"));
    assert_true(str_eq_c(fixture_content(&f, &manifest->cases[1].input), "{{n}}\n"));
    assert_true(str_eq_c(manifest->cases[1].checker_args, "3"));
    fixture_done(&f);
}

static void bad_ones_are_refused(void **state) {
    (void)state;
    const struct {
        const char *constants, *code, *text;
    } rows[] = {
        {"[1]", "bad_yaml", ":1:"},
        {"{1x: 2}", "bad_package", "letters, digits and _"},
        {"{x: {tex: 2}}", "bad_package", "no `value`"},
        {"{x: {value: 2, a-b: 3}}", "bad_package", "letters, digits and _"},
        {"{x: [2]}", "bad_yaml", ":1:"},
        {"{x: }", "bad_yaml", ":1:"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        begin(&f, "");
        fixture_put(&f, "problem.yaml",
                    arena_printf(f.arena,
                                 "{problem_format_version: 2025-09, name: x, constants: %s}\n",
                                 rows[i].constants));
        fixture_must_refuse(&f, rows[i].code, rows[i].text);
        fixture_done(&f);
    }
}

/* A small package cannot grow without bound. */
static void a_bomb_of_constants_is_refused(void **state) {
    (void)state;
    struct fixture f;
    own_buf yaml;
    own_buf text;
    buf_init(&yaml, MIB);
    buf_init(&text, MIB);
    fixture_init(&f);
    fixture_minimal(&f);
    buf_append_c(&yaml, "problem_format_version: 2025-09\nname: x\nconstants:\n  k: '");
    for (int i = 0; i < 4000; i++) {
        buf_append_char(&yaml, 'x');
    }
    buf_append_c(&yaml, "'\n");
    for (int i = 0; i < 10000; i++) {
        buf_append_c(&text, "{{k}}");
    }
    fixture_put_bytes(&f, "problem.yaml", buf_str(&yaml));
    fixture_put_bytes(&f, "statement/problem.en.md", buf_str(&text));

    assert_false(fixture_read(&f));

    assert_int_equal(f.err.kind, ERR_TOO_LARGE);
    fixture_done(&f);
}

static void the_legacy_format_has_none(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "name: x\nlimits: {time_limit: 1}\nconstants: {n: 3}\n");
    fixture_put(&f, "problem_statement/problem.en.md", "{{n}}");

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.statements[0].text, "{{n}}"));
    assert_true(notes_have(&f.report.warnings, "the legacy format has no `constants`"));
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_stand_in_all_that_is_not_data),
        cmocka_unit_test(bad_ones_are_refused),
        cmocka_unit_test(a_bomb_of_constants_is_refused),
        cmocka_unit_test(the_legacy_format_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
