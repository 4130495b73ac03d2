/* Nobody waits without a stated reason. */
#include "domain/waiting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void the_reason_follows_from_job_and_nodes(void **state) {
    (void)state;
    static const struct {
        struct waiting_facts facts;
        const char *name;
    } rows[] = {
        {{.running = true}, "starting"},
        {{.held = true, .due_ms = 99, .nodes = {.ready = 1}}, "held"},
        {{.held = true, .by_problem = true, .due_ms = 99}, "problem"},
        {{.due_ms = 99, .nodes = {.ready = 1}}, "backoff"},
        {{.nodes = {.ready = 1, .draining = 1, .silent = 1}}, "queued"},
        {{.nodes = {.draining = 1, .silent = 1, .other_spec = 1}}, "offline"},
        {{.nodes = {.draining = 1, .other_spec = 1}}, "draining"},
        {{.nodes = {.other_spec = 1}}, "no_runtime"},
        {{.nodes = {0}}, "no_node"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(waiting_code_name(waiting_code_of(&rows[i].facts)), rows[i].name);
    }
    assert_null(waiting_code_name(WAITING_NONE));
}

static void the_words_say_what_is_known(void **state) {
    (void)state;
    static const struct {
        struct waiting_words words;
        const char *expected;
    } rows[] = {
        {{.code = WAITING_QUEUED, .place = 3, .places_max = 10}, "number 3 in the queue"},
        {{.code = WAITING_QUEUED, .place = 3, .places_max = 10, .estimate_ms = 4200},
         "number 3 in the queue, about 5 s"},
        {{.code = WAITING_QUEUED, .place = 11, .places_max = 10},
         "more than 10 submissions are before it"},
        {{.code = WAITING_QUEUED, .places_max = 10}, "waiting for a free judge node"},
        {{.code = WAITING_BACKOFF, .wait_ms = 4001, .fault = {"disk full", 9}},
         "tried again in 5 s: disk full"},
        {{.code = WAITING_HELD}, "held back by an operator"},
        {{.code = WAITING_HELD, .detail = {"new tests come", 14}},
         "held back by an operator: new tests come"},
        {{.code = WAITING_NO_NODE, .pool = {"cpp", 3}}, "no judge node of the pool cpp is enabled"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[WAITING_TEXT_BYTES];

        waiting_text(&rows[i].words, text);

        assert_string_equal(text, rows[i].expected);
    }
}

static void every_reason_has_words(void **state) {
    (void)state;
    for (int code = WAITING_QUEUED; code < WAITING_CODE_COUNT; code++) {
        struct waiting_words words = {.code = (enum waiting_code)code};
        char text[WAITING_TEXT_BYTES];

        waiting_text(&words, text);

        assert_true(strlen(text) > 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reason_follows_from_job_and_nodes),
        cmocka_unit_test(the_words_say_what_is_known),
        cmocka_unit_test(every_reason_has_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
