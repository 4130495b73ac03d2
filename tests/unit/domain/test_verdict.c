#include "domain/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void every_verdict_has_all_its_names_and_none_twice(void **state) {
    (void)state;
    for (int a = VERDICT_NONE + 1; a < VERDICT_COUNT; a++) {
        assert_true(strlen(verdict_code((enum verdict)a)) > 0);
        assert_in_range(strlen(verdict_short((enum verdict)a)), 2, 3);
        assert_true(strlen(verdict_stats_key((enum verdict)a)) > 0);
        for (int b = VERDICT_NONE + 1; b < a; b++) {
            assert_string_not_equal(verdict_code((enum verdict)a), verdict_code((enum verdict)b));
            assert_string_not_equal(verdict_short((enum verdict)a), verdict_short((enum verdict)b));
            assert_string_not_equal(verdict_stats_key((enum verdict)a),
                                    verdict_stats_key((enum verdict)b));
        }
    }
}

static void a_code_parses_back_to_its_verdict(void **state) {
    (void)state;
    for (int verdict = VERDICT_NONE + 1; verdict < VERDICT_COUNT; verdict++) {
        enum verdict parsed = VERDICT_NONE;

        assert_true(verdict_parse(str_from(verdict_code((enum verdict)verdict)), &parsed));

        assert_int_equal(parsed, verdict);
    }
}

static void other_texts_are_no_verdict_and_change_nothing(void **state) {
    (void)state;
    static const char *const texts[] = {"", "accepted", "AC", "ACCEPTED ", "ACCEPTE", "Accepted"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        enum verdict parsed = VERDICT_PARTIAL;

        assert_false(verdict_parse(str_from(texts[i]), &parsed));

        assert_int_equal(parsed, VERDICT_PARTIAL);
    }
}

static void the_stats_key_is_the_code_in_title_case(void **state) {
    (void)state;
    assert_string_equal(verdict_stats_key(VERDICT_TIME_LIMIT_EXCEEDED), "Time_Limit_Exceeded");
    assert_string_equal(verdict_code(VERDICT_NONE), "");
    for (int verdict = VERDICT_NONE + 1; verdict < VERDICT_COUNT; verdict++) {
        assert_true(str_eq_nocase(str_from(verdict_code((enum verdict)verdict)),
                                  str_from(verdict_stats_key((enum verdict)verdict))));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verdict_has_all_its_names_and_none_twice),
        cmocka_unit_test(a_code_parses_back_to_its_verdict),
        cmocka_unit_test(other_texts_are_no_verdict_and_change_nothing),
        cmocka_unit_test(the_stats_key_is_the_code_in_title_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
