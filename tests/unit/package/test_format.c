/* Which kind a package is of: by what is in it. */
#include "fixture.h"
#include "package/format.h"

static void the_kind_is_found_by_what_is_inside(void **state) {
    (void)state;
    static const struct {
        const char *file, *content, *format;
    } rows[] = {
        {"problem.yaml", "name: x\n", "icpc"},
        {"a/b/problem.yaml", "problem_format_version: 2025-09\n", "icpc"},
        {"problem.yaml", "pid: P1\ntitle: x\n", "hydro"},
        {"x/problem.xml", "<?xml version='1.0'?><problem revision='1'/>", "polygon"},
        {"1/problem.json", "{}", "qduoj"},
        {"any.xml", "<?xml version='1.0'?><fps version='1.4'><item/></fps>", "fps"},
        {"deep/er/init.yml", "test_cases: []\n", "dmoj"},
        {"init.yml", "colour: green\n", NULL},
        {"problem.xml", "<html/>", NULL},
        {"readme.txt", "nothing", NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        struct package_list list;
        fixture_init(&f);
        fixture_put(&f, rows[i].file, rows[i].content);
        assert_true(package_tree_open(f.folder, &f.tree, &f.err));
        assert_true(package_list(f.tree, f.arena, &list, &f.err));
        assert_int_equal(list.count, 1);
        if (rows[i].format == NULL) {
            assert_null(list.format);
        } else {
            assert_string_equal(list.format, rows[i].format);
        }
        fixture_done(&f);
    }
}

static void what_is_of_no_kind_says_which_there_are(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_put(&f, "readme.txt", "nothing");

    fixture_must_refuse(&f, "bad_package", "nor one of Polygon (problem.xml), Hydro, QDUOJ");

    assert_int_equal(f.report.refused.count, 1);
    fixture_done(&f);
}

/* An attachment, a solution, a vendored package: the mark nearest to the top decides. */
static void marks_inside_of_a_problem_are_its_own(void **state) {
    (void)state;
    struct fixture f;
    struct package_list list;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "attachments/init.yml", "test_cases: []\n");
    fixture_put(&f, "attachments/x/problem.yaml", "name: other\n");
    fixture_put(&f, "submissions/accepted/problem.xml", "<problem/>");
    assert_true(package_tree_open(f.folder, &f.tree, &f.err));

    assert_true(package_list(f.tree, f.arena, &list, &f.err));

    assert_string_equal(list.format, "icpc");
    assert_int_equal(list.count, 1);
    fixture_done(&f);
}

static void several_problems_are_read_one_by_one(void **state) {
    (void)state;
    struct fixture f;
    struct package_list list;
    fixture_init(&f);
    static const char *const names[] = {"first", "second"};
    for (int i = 0; i < 2; i++) {
        fixture_put(&f, arena_printf(f.arena, "%s/problem.yaml", names[i]), "name: T\n");
        fixture_put(&f, arena_printf(f.arena, "%s/data/secret/1.in", names[i]), "1\n");
        fixture_put(&f, arena_printf(f.arena, "%s/data/secret/1.ans", names[i]), "2\n");
    }
    assert_true(package_tree_open(f.folder, &f.tree, &f.err));
    assert_true(package_list(f.tree, f.arena, &list, &f.err));
    assert_int_equal(list.count, 2);
    f.options.list = &list;
    for (f.options.index = 0; f.options.index < 2; f.options.index++) {
        assert_true(package_read(f.tree, &f.options, f.arena, &f.problem, &f.report, &f.err));
        assert_true(str_eq_c(f.problem.code, names[f.options.index]));
        assert_true(str_eq_c(list.items[f.options.index].name, names[f.options.index]));
    }

    f.options.code = STR("given");
    f.options.index = 1;
    assert_true(package_read(f.tree, &f.options, f.arena, &f.problem, &f.report, &f.err));
    assert_true(str_eq_c(f.problem.code, "given-2"));
    fixture_done(&f);
}

static void a_refusal_has_its_place_in_the_report(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "problem.yaml", "name: x\nlimits: [1\n");

    assert_false(fixture_read(&f));

    assert_int_equal(f.report.refused.count, 1);
    assert_true(str_eq_c(f.report.refused.items[0].file, "problem.yaml"));
    assert_true(f.report.refused.items[0].line >= 2);
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kind_is_found_by_what_is_inside),
        cmocka_unit_test(what_is_of_no_kind_says_which_there_are),
        cmocka_unit_test(marks_inside_of_a_problem_are_its_own),
        cmocka_unit_test(several_problems_are_read_one_by_one),
        cmocka_unit_test(a_refusal_has_its_place_in_the_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
