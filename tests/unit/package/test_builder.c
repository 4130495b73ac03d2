/* What all importers put problems together with. */
#include "package/builder.h"

#include "fixture.h"

static void numbers_in_names_order_by_value(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
    } rows[] = {
        {"2.in", "10.in"}, {"a9", "a10"},    {"a", "b"},   {"1-2", "1-10"},
        {"01", "1"},       {"x2y1", "x2y3"}, {"9", "09a"}, {"", "1"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct str a = str_from(rows[i].a);
        struct str b = str_from(rows[i].b);
        assert_true(build_compare_natural(a, b) < 0);
        assert_true(build_compare_natural(b, a) > 0);
        assert_int_equal(build_compare_natural(a, a), 0);
    }
}

struct made {
    struct fixture f;
    struct package_reader reader;
    struct builder builder;
};

static void made_init(struct made *made) {
    fixture_init(&made->f);
    made->reader = (struct package_reader){
        .options = &made->f.options, .arena = made->f.arena, .report = &made->f.report};
    manifest_defaults(&made->reader.problem.manifest);
    builder_init(&made->builder, &made->reader);
}

static void made_done(struct made *made) {
    builder_done(&made->builder);
    fixture_done(&made->f);
}

static void a_missing_answer_is_refused_where_the_checker_needs_it(void **state) {
    (void)state;
    struct made made;
    struct err err = {0};
    struct manifest_case *row = NULL;
    made_init(&made);
    assert_true(build_case(&made.builder, STR("1"), false, &row, &err));
    assert_true(content_put_text(&made.reader, STR("x"), true, &row->input, &err));

    assert_false(build_finish(&made.builder, &err));

    assert_non_null(strstr(err.text, "secret/1: its expected answer is missing"));
    made_done(&made);
}

static void points_of_groups_and_loose_cases_add_up(void **state) {
    (void)state;
    struct made made;
    struct err err = {0};
    struct manifest_case *row = NULL;
    struct manifest_group *group = NULL;
    made_init(&made);
    build_scoring(&made.builder);
    assert_true(build_group(&made.builder, STR("g"), AGGREGATE_MIN, &group, &err));
    group->score_micro = 40000000;
    for (int i = 0; i < 3; i++) {
        const char *name = arena_printf(made.f.arena, "%d", i);
        assert_true(build_case(&made.builder, str_from(name), false, &row, &err));
        row->group = i == 0 ? 0 : -1;
        row->score_micro = 30000000;
        assert_true(content_put_text(&made.reader, STR("x"), true, &row->answer, &err));
    }

    assert_true(build_finish(&made.builder, &err));

    assert_int_equal(made.reader.problem.manifest.score_micro, 100000000);
    made_done(&made);
}

static void names_that_lead_outside_are_refused(void **state) {
    (void)state;
    struct made made;
    struct err err = {0};
    struct manifest_case *row = NULL;
    struct manifest_group *group = NULL;
    made_init(&made);

    assert_false(build_case(&made.builder, STR("../../x"), false, &row, &err));
    assert_false(build_group(&made.builder, STR("/etc"), AGGREGATE_SUM, &group, &err));

    made_done(&made);
}

static void what_is_to_be_made_needs_somebody_who_makes_it(void **state) {
    (void)state;
    struct made made;
    struct err err = {0};
    struct manifest_case *row = NULL;
    const struct package_recipe recipe = {.answer = true, .input = {.bytes = -1}};
    made_init(&made);
    assert_true(build_case(&made.builder, STR("1"), false, &row, &err));

    assert_false(build_recipe(&made.builder, &recipe, &err));
    assert_non_null(strstr(err.text, "assize problem export"));
    made.f.options.recipes = true;
    assert_true(build_recipe(&made.builder, &recipe, &err));
    assert_true(build_finish(&made.builder, &err));

    assert_int_equal(made.reader.problem.recipe_count, 1);
    made_done(&made);
}

static void sections_become_one_statement(void **state) {
    (void)state;
    struct made made;
    struct err err = {0};
    made_init(&made);

    build_section(&made.builder, "", "markdown", STR("[md]one[/md]"));
    build_section(&made.builder, "Input", "markdown", STR("two"));
    build_section(&made.builder, "Output", "markdown", STR("  "));
    assert_true(build_statement_end(&made.builder, STR("en"), "markdown", &err));

    assert_int_equal(made.builder.statement_count, 1);
    assert_true(str_eq_c(made.builder.statements[0].text, "one\n\n## Input\n\ntwo"));
    made_done(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_names_order_by_value),
        cmocka_unit_test(a_missing_answer_is_refused_where_the_checker_needs_it),
        cmocka_unit_test(points_of_groups_and_loose_cases_add_up),
        cmocka_unit_test(names_that_lead_outside_are_refused),
        cmocka_unit_test(what_is_to_be_made_needs_somebody_who_makes_it),
        cmocka_unit_test(sections_become_one_statement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
