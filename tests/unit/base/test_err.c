#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"
#include "base/str.h"
#include <errno.h>
#include <string.h>

static void setting_an_error_fills_it_and_returns_false(void **state) {
    (void)state;
    struct err err = {.fault = FAULT_NODE, .os_errno = 5};

    assert_false(err_set(&err, ERR_CONFLICT, "lease_expired", "job %d", 7));

    assert_int_equal(err.kind, ERR_CONFLICT);
    assert_int_equal(err.fault, FAULT_NONE);
    assert_int_equal(err.os_errno, 0);
    assert_string_equal(err.code, "lease_expired");
    assert_string_equal(err.text, "job 7");
    assert_non_null(strstr(err.where, "test_err.c:"));
}

static void a_system_error_keeps_errno_and_its_text(void **state) {
    (void)state;
    struct err err = {0};
    errno = ENOSPC;

    assert_false(err_system(&err, "write_failed", "cannot write %s", "/x"));

    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_int_equal(err.os_errno, ENOSPC);
    assert_string_equal(err.text, "cannot write /x: No space left on device");
}

static void a_system_error_without_errno_has_no_reason(void **state) {
    (void)state;
    struct err err = {0};
    errno = 0;

    assert_false(err_system(&err, "odd", "it failed"));

    assert_string_equal(err.text, "it failed");
}

static void wrapping_puts_the_context_first(void **state) {
    (void)state;
    struct err err = {0};
    (void)err_set(&err, ERR_MISSING, "no_file", "there is no such file");
    const char *where = err.where;

    assert_false(err_wrap(&err, "import %s", "hello"));
    assert_false(err_wrap(&err, "command"));

    assert_string_equal(err.text, "command: import hello: there is no such file");
    assert_ptr_equal(err.where, where);
    assert_string_equal(err.code, "no_file");
}

static void long_texts_are_cut_at_a_characters_border(void **state) {
    (void)state;
    struct err err = {0};
    char many[600] = {0};
    for (int i = 0; i < 199; i++) {
        memcpy(many + (ptrdiff_t)3 * i, "\xe2\x82\xac", 3);
    }

    (void)err_set(&err, ERR_INVALID, "long", "a%s", many);
    assert_int_equal(strlen(err.text), 253); /* 1 + 84 * 3: the next would pass 255 */
    assert_true(str_is_utf8(str_from(err.text)));

    (void)err_wrap(&err, "%s", many);
    assert_true(strlen(err.text) <= 255);
    assert_true(str_is_utf8(str_from(err.text)));
}

static void an_error_may_quote_its_own_text(void **state) {
    (void)state;
    struct err err = {0};
    (void)err_set(&err, ERR_INVALID, "first", "the reason");

    (void)err_set(&err, ERR_SYSTEM, "second", "[%s]", err.text);
    assert_string_equal(err.text, "[the reason]");

    (void)err_wrap(&err, "%s", err.text);
    assert_string_equal(err.text, "[the reason]: [the reason]");
}

static void a_fault_is_marked(void **state) {
    (void)state;
    struct err err = {0};

    assert_false(err_fault(&err, FAULT_PROBLEM, ERR_INVALID, "checker_failed", "exit %d", 3));

    assert_int_equal(err.fault, FAULT_PROBLEM);
    assert_string_equal(err.text, "exit 3");
}

static void every_kind_has_a_name_of_its_own(void **state) {
    (void)state;
    for (int i = 0; i < ERR_KIND_COUNT; i++) {
        const char *name = err_kind_name((enum err_kind)i);
        assert_non_null(name);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(name, err_kind_name((enum err_kind)j));
        }
    }
    assert_aborts(err_kind_name(ERR_KIND_COUNT));
}

static void wrapping_nothing_is_our_mistake(void **state) {
    (void)state;
    struct err err = {0};

    assert_aborts(err_wrap(&err, "context"));
    assert_aborts(err_set(&err, ERR_NONE, "none", "nothing"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_an_error_fills_it_and_returns_false),
        cmocka_unit_test(a_system_error_keeps_errno_and_its_text),
        cmocka_unit_test(a_system_error_without_errno_has_no_reason),
        cmocka_unit_test(wrapping_puts_the_context_first),
        cmocka_unit_test(long_texts_are_cut_at_a_characters_border),
        cmocka_unit_test(an_error_may_quote_its_own_text),
        cmocka_unit_test(a_fault_is_marked),
        cmocka_unit_test(every_kind_has_a_name_of_its_own),
        cmocka_unit_test(wrapping_nothing_is_our_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
