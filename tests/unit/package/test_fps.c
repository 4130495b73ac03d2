/* FPS files. */
#include "fixture.h"

#define ITEM(inner) "<item><title>Sum</title><description>Add</description>" inner "</item>"
#define TESTS                                                                                      \
    "<test_input>1\n</test_input><test_input>2\n</test_input><test_output>3\n</test_output>"       \
    "<test_output>4\n</test_output>"
#define FPS(items)                                                                                 \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fps version=\"1.4\">" items "</fps>"

static void a_whole_problem_is_read(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_put(&f, "any.xml",
                "<?xml version='1.0'?><!DOCTYPE fps PUBLIC 'x' 'http://nowhere/fps.dtd'>"
                "<fps version='1.4'><generator name='HUSTOJ'/>" ITEM(
                    "<time_limit unit='s'><![CDATA[1.500]]></time_limit>"
                    "<memory_limit unit='kb'>65536</memory_limit>"
                    "<sample_input>1 2</sample_input><sample_output>3</sample_output>"
                    "<hint><![CDATA[see <img src=\"/a/b.png\">&nbsp;]]></hint>"
                    "<img><src>/a/b.png</src><base64>iVBORw0KGgo=</base64></img>"
                    "<solution language='C++'>int main(){}</solution>" TESTS) "</fps>");

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_string_equal(f.report.format, "fps");
    assert_int_equal(manifest->limits.time_ms, 1500);
    assert_int_equal(manifest->limits.memory_kib, 65536);
    assert_int_equal(manifest->case_count, 2);
    assert_true(str_eq_c(fixture_content(&f, &manifest->cases[1].input), "2\n"));
    assert_true(str_eq_c(fixture_content(&f, &manifest->cases[1].answer), "4\n"));
    assert_true(str_eq_c(f.problem.samples[0].answer, "3"));
    assert_int_equal(f.problem.asset_count, 1);
    assert_true(str_eq_c(f.problem.assets[0].name, "image1.png"));
    assert_non_null(strstr(f.problem.statements[0].text.ptr, "<img src=\"image1.png\">"));
    assert_int_equal(f.problem.submission_count, 1);
    fixture_done(&f);
}

static void tests_are_paired_by_name_where_all_have_one(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_put(&f, "a.xml",
                FPS(ITEM("<test_input name='x'>1</test_input><test_input name='y'>2</test_input>"
                         "<test_output name='y'>two</test_output>"
                         "<test_output name='x'>one</test_output>")));

    fixture_must_read(&f);

    assert_true(str_eq_c(fixture_content(&f, &f.problem.manifest.cases[0].answer), "one"));
    fixture_done(&f);
}

static void what_has_no_partner_is_told_and_left_out(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_put(&f, "a.xml", FPS(ITEM(TESTS "\n<test_input>5</test_input>")));

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.case_count, 2);
    assert_true(notes_have(&f.report.warnings, "a.xml:7: there is no <test_output>"));
    assert_true(notes_have(&f.report.warnings, "there are 3 inputs and 2 outputs"));
    fixture_done(&f);
}

static void judges_of_their_own_are_called_as_they_expect(void **state) {
    (void)state;
    static const struct {
        const char *element;
        enum program_adapter adapter;
    } rows[] = {{"spj", ADAPTER_HUSTOJ}, {"tpj", ADAPTER_HUSTOJ_TESTLIB}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        fixture_init(&f);
        fixture_put(&f, "a.xml",
                    arena_printf(f.arena, FPS(ITEM("<%s language='C++'>int main(){}</%s>" TESTS)),
                                 rows[i].element, rows[i].element));
        fixture_must_read(&f);
        assert_int_equal(f.problem.manifest.checker.program.adapter, rows[i].adapter);
        fixture_done(&f);
    }
}

static void each_problem_stands_alone(void **state) {
    (void)state;
    struct fixture f;
    struct package_list list;
    fixture_init(&f);
    fixture_put(&f, "a.xml",
                FPS(ITEM(TESTS) "\n" ITEM("<remote_oj>x</remote_oj>") "\n" ITEM(TESTS) "<item><"));
    assert_true(package_tree_open(f.folder, &f.tree, &f.err));
    assert_true(package_list(f.tree, f.arena, &list, &f.err));
    f.options.list = &list;

    assert_int_equal(list.count, 4);
    static const char *const messages[] = {"", "a.xml:7: problem `Sum` has no test data", "",
                                           "a.xml:12: "};
    for (int i = 0; i < 4; i++) {
        struct err err = {0};
        f.options.index = i;
        bool ok = package_read(f.tree, &f.options, f.arena, &f.problem, &f.report, &err);
        assert_int_equal(ok, messages[i][0] == '\0');
        assert_non_null(strstr(err.text, messages[i]));
    }
    fixture_done(&f);
}

static void bad_xml_is_refused_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"<?xml version='1.0'?>\n<!DOCTYPE fps [<!ENTITY a 'x'><!ENTITY b '&a;&a;&a;&a;'>]>\n"
         "<fps><item><title>&b;</title></item></fps>",
         "a.xml:2: its DOCTYPE declares entities"},
        {"<?xml version='1.0'?>\n<!DOCTYPE fps [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>\n"
         "<fps><item><title>&f;</title></item></fps>",
         "a.xml:2: its DOCTYPE declares entities"},
        {"<?xml version='1.0' encoding='GB2312'?>\n<fps><item/></fps>",
         "a.xml:1: unknown encoding"},
        {"<?xml version='1.0'?>\n<fps><item><title>x", "a.xml:2: "},
        {FPS(ITEM("<time_limit>soon</time_limit>" TESTS)), "a.xml:2: `soon` is no limit"},
        {FPS(ITEM("<time_limit>9999</time_limit>" TESTS)), "a.xml:2: the time limit"},
        {FPS(ITEM("<spj language='Text'>x</spj>" TESTS)), "a.xml:2: HUSTOJ's text judge"},
        {FPS(ITEM("")), "has no test data"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        fixture_init(&f);
        fixture_put(&f, "a.xml", rows[i].text);
        assert_false(fixture_read(&f));
        if (strstr(f.err.text, rows[i].message) == NULL) {
            print_error("%s\nexpected: %s\n", f.err.text, rows[i].message);
        }
        assert_non_null(strstr(f.err.text, rows[i].message));
        fixture_done(&f);
    }
}

static void a_file_by_itself_is_a_package(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_put(&f, "whatever.bin", FPS(ITEM(TESTS)));

    assert_true(package_tree_open(fixture_path(&f, "whatever.bin"), &f.tree, &f.err));
    assert_true(package_read(f.tree, &f.options, f.arena, &f.problem, &f.report, &f.err));

    assert_int_equal(f.problem.manifest.case_count, 2);
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_problem_is_read),
        cmocka_unit_test(tests_are_paired_by_name_where_all_have_one),
        cmocka_unit_test(what_has_no_partner_is_told_and_left_out),
        cmocka_unit_test(judges_of_their_own_are_called_as_they_expect),
        cmocka_unit_test(each_problem_stands_alone),
        cmocka_unit_test(bad_xml_is_refused_with_its_line),
        cmocka_unit_test(a_file_by_itself_is_a_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
