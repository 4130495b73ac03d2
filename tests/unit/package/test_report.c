/* Notes and refusals. */
#include "fixture.h"

#include "package/reader_internal.h"

static void notes_keep_their_text_file_and_line(void **state) {
    (void)state;
    own(arena) arena = arena_create(16 * MIB);
    struct package_report report = {.format = "icpc-legacy"};
    struct package_reader reader = {.arena = arena, .report = &report};

    note_read(&reader, STR("a.in"));
    note_guessed(&reader, "default %d", 5);
    note_dropped(&reader, STR("b"), 0, "no %s", "use");
    note_warning(&reader, STR("c.yaml"), 7, "odd");

    assert_true(str_eq_c(report.read.items[0].text, "a.in"));
    assert_true(str_eq_c(report.guessed.items[0].text, "default 5"));
    assert_true(str_eq_c(report.dropped.items[0].file, "b"));
    assert_true(str_eq_c(report.dropped.items[0].text, "no use"));
    assert_int_equal(report.warnings.items[0].line, 7);
}

static void a_flood_of_notes_is_cut(void **state) {
    (void)state;
    own(arena) arena = arena_create(16 * MIB);
    struct package_report report = {.format = "icpc-legacy"};
    struct package_reader reader = {.arena = arena, .report = &report};

    for (int i = 0; i < 3 * PACKAGE_NOTES_MAX; i++) {
        note_warning(&reader, STR("x"), i, "note %d", i);
    }

    assert_int_equal(report.warnings.count, PACKAGE_NOTES_MAX);
    assert_true(str_eq_c(report.warnings.items[PACKAGE_NOTES_MAX - 1].text, "note 999"));
}

static void refusals_begin_with_their_place(void **state) {
    (void)state;
    struct err err = {0};

    assert_false(package_refuse(&err, STR("a.yaml"), 3, "too %s", "odd"));
    assert_string_equal(err.text, "a.yaml:3: too odd");
    assert_string_equal(err.code, "bad_package");
    assert_int_equal(err.kind, ERR_INVALID);
    assert_false(package_refuse(&err, STR("a.yaml"), 0, "too odd"));
    assert_string_equal(err.text, "a.yaml: too odd");
    assert_false(package_refuse(&err, STR(""), 0, "too odd"));
    assert_string_equal(err.text, "too odd");
    assert_false(package_unsupported(&err, STR("a.yaml"), 2, "odd problems"));
    assert_string_equal(err.text, "a.yaml:2: odd problems are not supported yet");
    assert_string_equal(err.code, "unsupported_package");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_keep_their_text_file_and_line),
        cmocka_unit_test(a_flood_of_notes_is_cut),
        cmocka_unit_test(refusals_begin_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
