/* Options of the built-in checkers. */
#include "judge/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static void the_manifests_options_are_taken(void **state) {
    (void)state;
    struct manifest_checker checker = {.kind = CHECKER_LINES,
                                       .case_sensitive = true,
                                       .space_sensitive = true,
                                       .float_absolute = STR("1e-6"),
                                       .float_relative = STR("0.5")};
    struct compare_rules rules = {0};
    struct err err = {0};

    assert_true(compare_rules_read(&checker, STR(" "), &rules, &err));

    assert_int_equal(rules.kind, CHECKER_LINES);
    assert_true(rules.case_sensitive && rules.space_sensitive);
    assert_true(rules.has_absolute && rules.absolute == 1e-6L);
    assert_true(rules.has_relative && rules.relative == 0.5L);
}

static void a_cases_flags_replace_them_all(void **state) {
    (void)state;
    struct manifest_checker checker = {
        .kind = CHECKER_TOKENS, .case_sensitive = true, .float_absolute = STR("1")};
    struct compare_rules rules = {0};
    struct err err = {0};

    assert_true(compare_rules_read(&checker, STR("space_change_sensitive"), &rules, &err));
    assert_true(rules.space_sensitive);
    assert_false(rules.case_sensitive || rules.has_absolute || rules.has_relative);
    assert_true(
        compare_rules_read(&checker, STR("float_tolerance 1e-9 case_sensitive"), &rules, &err));
    assert_true(rules.case_sensitive && rules.has_absolute && rules.has_relative);
    assert_true(rules.absolute == 1e-9L && rules.relative == 1e-9L);
    assert_true(compare_rules_read(&checker, STR("float_absolute_tolerance 2"), &rules, &err));
    assert_true(rules.has_absolute && !rules.has_relative);
    assert_true(compare_rules_read(&checker, STR("float_relative_tolerance 2"), &rules, &err));
    assert_true(!rules.has_absolute && rules.has_relative);
}

static void what_it_does_not_know_is_the_problems_fault(void **state) {
    (void)state;
    static const struct {
        enum checker_kind kind;
        const char *args;
    } rows[] = {
        {CHECKER_TOKENS, "ignore_everything"},
        {CHECKER_TOKENS, "float_tolerance"},
        {CHECKER_TOKENS, "float_tolerance x"},
        {CHECKER_TOKENS, "float_tolerance -1"},
        {CHECKER_TOKENS, "float_tolerance inf"},
        {CHECKER_TOKENS, "float_tolerance nan"},
        {CHECKER_TOKENS, "float_tolerance 1e"},
        {CHECKER_TOKENS, "float_tolerance "
                         "000000000000000000000000000000000000000000000000000000000000000000001"},
        {CHECKER_UNORDERED_LINES, "float_tolerance 1"},
        {CHECKER_UNORDERED_LINES, "space_change_sensitive"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manifest_checker checker = {.kind = rows[i].kind};
        struct compare_rules rules = {0};
        struct err err = {0};

        if (compare_rules_read(&checker, str_from(rows[i].args), &rules, &err)) {
            fail_msg("\"%s\" was accepted", rows[i].args);
        }

        assert_int_equal(err.fault, FAULT_PROBLEM);
        assert_true(strlen(err.text) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manifests_options_are_taken),
        cmocka_unit_test(a_cases_flags_replace_them_all),
        cmocka_unit_test(what_it_does_not_know_is_the_problems_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
