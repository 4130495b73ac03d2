/* API tokens. */
#include "domain/api_token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void scopes_have_names(void **state) {
    enum token_scope scope = TOKEN_WRITE;
    (void)state;

    assert_true(token_scope_parse(STR("read"), &scope));

    assert_int_equal(scope, TOKEN_READ);
    assert_string_equal(token_scope_name(TOKEN_WRITE), "write");
    assert_false(token_scope_parse(STR("admin"), &scope));
    assert_false(token_scope_parse(STR(""), &scope));
}

static void a_token_is_known_by_prefix_and_length(void **state) {
    (void)state;
    assert_true(api_token_is_one(STR("assize_0123456789012345678901234567890123456789012")));
    assert_false(api_token_is_one(STR("assize_012345678901234567890123456789012345678901")));
    assert_false(api_token_is_one(STR("assizeX0123456789012345678901234567890123456789012")));
    assert_false(api_token_is_one(STR("")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes_have_names),
        cmocka_unit_test(a_token_is_known_by_prefix_and_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
