/* Line ends, byte order marks, and binary data. */
#include "fixture.h"

#define STEP (64 * 1024) /* how much is read at once: what falls between two steps matters */

static struct str case_input(struct fixture *f) {
    fixture_must_read(f);
    return fixture_content(f, &f->problem.manifest.cases[1].input);
}

static void expect_input(struct str content, struct str expected) {
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put_bytes(&f, "data/secret/1.in", content);

    struct str input = case_input(&f);

    assert_int_equal(input.len, expected.len);
    assert_true(str_eq(input, expected));
    assert_int_equal(f.report.warnings.count, str_eq(content, expected) ? 0 : 1);
    fixture_done(&f);
}

static void windows_line_ends_become_plain_ones(void **state) {
    (void)state;
    expect_input(STR("1\r\n2\r\n"), STR("1\n2\n"));
    expect_input(STR("\r\n\r\n"), STR("\n\n"));
    expect_input(STR("1\r\r\n"), STR("1\r\n"));
    expect_input(STR("1\r\n\r"), STR("1\n\r"));
}

static void a_byte_order_mark_is_taken_off(void **state) {
    (void)state;
    expect_input(STR("\xef\xbb\xbf"
                     "1\n"),
                 STR("1\n"));
    expect_input(STR("\xef\xbb\xbf"), STR(""));
}

static void everything_else_stays_as_it_is(void **state) {
    (void)state;
    expect_input(STR(""), STR(""));
    expect_input(STR("1 2"), STR("1 2"));
    expect_input(STR("a\rb\r"), STR("a\rb\r"));
    expect_input(STR("\xff\xfe\x80"), STR("\xff\xfe\x80"));
    expect_input(STR("bin\0ary\r\n"), STR("bin\0ary\r\n"));
}

static void a_line_end_between_two_reads_is_seen(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    char *content = arena_alloc(f.arena, STEP + 1);
    memset(content, 'x', STEP + 1);
    content[STEP - 1] = '\r';
    content[STEP] = '\n';
    fixture_put_bytes(&f, "data/secret/1.in", str_of(content, STEP + 1));

    struct str input = case_input(&f);

    assert_int_equal(input.len, STEP);
    assert_int_equal(input.ptr[STEP - 1], '\n');
    fixture_done(&f);
}

static void a_lone_carriage_return_between_two_reads_stays(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    char *content = arena_alloc(f.arena, STEP + 4);
    memset(content, 'x', STEP + 4);
    content[STEP - 1] = '\r';
    content[STEP + 2] = '\r';
    content[STEP + 3] = '\n';
    fixture_put_bytes(&f, "data/secret/1.in", str_of(content, STEP + 4));

    struct str input = case_input(&f);

    assert_int_equal(input.len, STEP + 3);
    assert_int_equal(input.ptr[STEP - 1], '\r');
    assert_int_equal(input.ptr[STEP], 'x');
    fixture_done(&f);
}

static void line_ends_are_kept_when_asked(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "data/secret/1.in", "1\r\n");
    f.options.keep_line_ends = true;

    assert_true(str_eq_c(case_input(&f), "1\r\n"));
    fixture_done(&f);
}

static void the_change_is_said_once(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "data/secret/1.in", "1\r\n");
    fixture_put(&f, "data/secret/1.ans", "1\r\n");

    fixture_must_read(&f);

    assert_int_equal(f.report.warnings.count, 1);
    assert_true(notes_have(&f.report.warnings, "2 files had CRLF line ends"));
    fixture_done(&f);
}

static void a_statement_that_is_not_utf8_is_refused(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "problem_statement/problem.zh.md", "\xd6\xd0\xce\xc4\n");

    fixture_must_refuse(&f, "bad_package", "problem_statement/problem.zh.md: it is not UTF-8");
    fixture_done(&f);
}

static void a_statement_loses_its_mark_and_windows_line_ends(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "problem_statement/problem.en.md", "\xef\xbb\xbf# A\r\n\r\nB\r\n");

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.statements[0].text, "# A\n\nB\n"));
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_line_ends_become_plain_ones),
        cmocka_unit_test(a_byte_order_mark_is_taken_off),
        cmocka_unit_test(everything_else_stays_as_it_is),
        cmocka_unit_test(a_line_end_between_two_reads_is_seen),
        cmocka_unit_test(a_lone_carriage_return_between_two_reads_stays),
        cmocka_unit_test(line_ends_are_kept_when_asked),
        cmocka_unit_test(the_change_is_said_once),
        cmocka_unit_test(a_statement_that_is_not_utf8_is_refused),
        cmocka_unit_test(a_statement_loses_its_mark_and_windows_line_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
