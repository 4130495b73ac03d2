/* The life of a rejudging, and who gains or loses by it. */
#include "domain/rejudging.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void it_goes_from_creation_to_undo_and_back(void **state) {
    (void)state;
    static const struct {
        enum rejudging_event event;
        const char *name;
    } way[] = {{REJUDGING_CREATED, "JUDGING"}, {REJUDGING_JUDGED, "READY"},
               {REJUDGING_APPLY, "APPLYING"},  {REJUDGING_DONE, "APPLIED"},
               {REJUDGING_APPLY, "APPLYING"},  {REJUDGING_DONE, "APPLIED"},
               {REJUDGING_UNDO, "UNDOING"},    {REJUDGING_DONE, "UNDONE"},
               {REJUDGING_APPLY, "APPLYING"}};
    enum rejudging_state now = REJUDGING_CREATING;
    struct err err = {0};
    for (size_t i = 0; i < sizeof way / sizeof way[0]; i++) {
        assert_true(rejudging_apply_event(&now, way[i].event, &err));
        assert_string_equal(rejudging_state_name(now), way[i].name);
    }
}

static void what_the_state_does_not_allow_is_refused(void **state) {
    (void)state;
    static const struct {
        enum rejudging_state state;
        enum rejudging_event event;
    } rows[] = {{REJUDGING_CREATING, REJUDGING_APPLY},  {REJUDGING_JUDGING, REJUDGING_APPLY},
                {REJUDGING_READY, REJUDGING_UNDO},      {REJUDGING_APPLYING, REJUDGING_CANCEL},
                {REJUDGING_APPLIED, REJUDGING_CANCEL},  {REJUDGING_CANCELLED, REJUDGING_APPLY},
                {REJUDGING_CANCELLED, REJUDGING_CANCEL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum rejudging_state now = rows[i].state;
        struct err err = {0};
        assert_false(rejudging_apply_event(&now, rows[i].event, &err));
        assert_string_equal(err.code, "rejudging_not_ready");
        assert_int_equal(now, rows[i].state);
    }
}

static void it_is_over_when_nothing_is_left_to_do(void **state) {
    (void)state;
    int over = 0;
    for (int s = REJUDGING_CREATING; s < REJUDGING_STATE_COUNT; s++) {
        over += rejudging_is_over((enum rejudging_state)s) ? 1 : 0;
    }
    assert_int_equal(over, 3);
    assert_true(rejudging_is_over(REJUDGING_CANCELLED));
    assert_false(rejudging_is_over(REJUDGING_READY));
}

static void accepted_beats_all_else_then_the_score(void **state) {
    (void)state;
    static const struct {
        struct item_worth before;
        struct item_worth after;
        const char *name;
    } rows[] = {
        {{VERDICT_WRONG_ANSWER, 0}, {VERDICT_ACCEPTED, 9}, "GAIN"},
        {{VERDICT_ACCEPTED, 9}, {VERDICT_TIME_LIMIT_EXCEEDED, 0}, "LOSS"},
        {{VERDICT_PARTIAL, 3}, {VERDICT_PARTIAL, 4}, "GAIN"},
        {{VERDICT_PARTIAL, 3}, {VERDICT_PARTIAL, 2}, "LOSS"},
        {{VERDICT_ACCEPTED, 3}, {VERDICT_ACCEPTED, 4}, "GAIN"},
        {{VERDICT_WRONG_ANSWER, 0}, {VERDICT_RUNTIME_ERROR, 0}, "OTHER"},
        {{VERDICT_ACCEPTED, 9}, {VERDICT_ACCEPTED, 9}, "SAME"},
        {{VERDICT_ACCEPTED, 9}, {VERDICT_NONE, 0}, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *name = item_change_name(item_change_of(rows[i].before, rows[i].after));
        assert_true(name == NULL ? rows[i].name == NULL : strcmp(name, rows[i].name) == 0);
    }
}

static void every_word_has_a_name(void **state) {
    (void)state;
    enum item_change change = CHANGE_NONE;
    for (int s = ITEM_JUDGING; s < ITEM_STATE_COUNT; s++) {
        assert_non_null(item_state_name((enum item_state)s));
    }
    for (int r = REASON_BEING_JUDGED; r < REASON_COUNT; r++) {
        assert_non_null(item_reason_code((enum item_reason)r));
    }
    assert_null(item_reason_code(REASON_NONE));
    assert_true(item_change_parse(STR("LOSS"), &change));
    assert_int_equal(change, CHANGE_LOSS);
    assert_false(item_change_parse(STR("loss"), &change));
    assert_true(verdict_is_none(VERDICT_NONE) && verdict_is_none(VERDICT_SYSTEM_ERROR));
    assert_false(verdict_is_none(VERDICT_CANCELLED) || verdict_is_none(VERDICT_WRONG_ANSWER));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_from_creation_to_undo_and_back),
        cmocka_unit_test(what_the_state_does_not_allow_is_refused),
        cmocka_unit_test(it_is_over_when_nothing_is_left_to_do),
        cmocka_unit_test(accepted_beats_all_else_then_the_score),
        cmocka_unit_test(every_word_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
