/* Tests, groups and points of Polygon packages. */
#include "polygon_fixture.h"

#define TESTSET(tests) POLYGON("", POLYGON_LIMITS tests, POLYGON_ASSETS)

static void groups_have_points_and_dependencies(void **state) {
    (void)state;
    struct fixture f;
    polygon(&f, TESTSET("<tests><test group='0' points='0.0' sample='true'/>"
                        "<test group='1' points='32.5'/></tests>"
                        "<groups><group name='0' points='0.0' points-policy='each-test'/>"
                        "<group name='1' points='32.5' points-policy='complete-group'>"
                        "<dependencies><dependency group='0'/></dependencies></group></groups>"));

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_int_equal(manifest->group_count, 2);
    assert_int_equal(manifest->groups[0].aggregation, AGGREGATE_SUM);
    assert_int_equal(manifest->groups[1].aggregation, AGGREGATE_PASS_FAIL);
    assert_int_equal(manifest->groups[1].score_micro, 32500000);
    assert_int_equal(manifest->groups[1].depend_count, 1);
    assert_int_equal(manifest->score_micro, 32500000);
    fixture_done(&f);
}

static void points_of_tests_alone_make_it_scored(void **state) {
    (void)state;
    struct fixture f;
    polygon(&f, TESTSET("<tests><test points='40.0'/><test points='60.0'/></tests>"));

    fixture_must_read(&f);

    assert_true((f.problem.manifest.kinds & PROBLEM_SCORING) != 0);
    assert_int_equal(f.problem.manifest.score_micro, 100000000);
    fixture_done(&f);
}

static void a_standard_package_has_recipes(void **state) {
    (void)state;
    struct fixture f;
    polygon(&f, TESTSET("<tests><test method='manual'/>"
                        "<test cmd='gen -n 5  7' method='generated'/></tests>"));
    fixture_remove(&f, "tests/01.a");
    fixture_remove(&f, "tests/02");
    fixture_remove(&f, "tests/02.a");
    fixture_must_refuse(&f, "bad_package", "send the full package");
    f.options.recipes = true;

    fixture_must_read(&f);

    assert_int_equal(f.problem.recipe_count, 2);
    assert_null(f.problem.recipes[0].generator);
    assert_int_equal(f.problem.recipes[1].case_index, 1);
    assert_true(str_eq_c(f.problem.recipes[1].generator->entry, "gen.cpp"));
    assert_true(str_eq_c(f.problem.recipes[1].args, "-n 5  7"));
    assert_true(notes_have(&f.report.guessed, "2 of 2 tests are made by"));
    fixture_done(&f);
}

static void what_is_wrong_is_said_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *tests, *message;
    } rows[] = {
        {"<tests><test points='-1'/><test points='5'/></tests>", "problem.xml:3: `points`"},
        {"<tests><test points='1'/><test/></tests><groups><group name='a' points='1'>"
         "<dependencies><dependency group='b'/></dependencies></group></groups>",
         "problem.xml:3: a group depends on groups that stand before it"},
        {"<tests><test points='1'/><test/></tests><groups><group name='a'/><group name='a'/>"
         "</groups>",
         "problem.xml:3: two groups have this name"},
        {"<tests><test points='1'/><test/></tests><groups><group name='../a'/></groups>",
         "is no name for a group"},
        {"<tests><test/><test/><test method='manual'/></tests>",
         "problem.xml:3: the input of this test is missing"},
        {"<tests><test/><test/><test cmd='nobody 1'/></tests>",
         "problem.xml:3: there is no generator `nobody`"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        own_buf xml;
        buf_init(&xml, 64 * KIB);
        buf_append_c(
            &xml,
            "<?xml version='1.0'?>\n<problem>\n<judging><testset name='tests'>" POLYGON_LIMITS);
        buf_append_c(&xml, rows[i].tests);
        buf_append_c(&xml, "</testset></judging></problem>");
        polygon(&f, buf_c(&xml));
        f.options.recipes = true;
        fixture_must_say(&f, rows[i].message);
        fixture_done(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_have_points_and_dependencies),
        cmocka_unit_test(points_of_tests_alone_make_it_scored),
        cmocka_unit_test(a_standard_package_has_recipes),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
