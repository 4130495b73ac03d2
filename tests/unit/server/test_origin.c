/* Which requests may carry our cookies. */
#include "server/server_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void only_our_own_pages_may_write(void **state) {
    (void)state;
    static const struct {
        const char *origin;
        const char *site;
        const char *host;
        bool own;
    } rows[] = {
        {"", "", "a.org", true}, /* no browser */
        {"http://a.org", "same-origin", "a.org", true},
        {"https://A.org", "", "a.org", true},
        {"http://a.org:8080", "", "a.org:8080", true},
        {"http://a.org:8080", "", "a.org", false},
        {"http://evil.org", "", "a.org", false},
        {"http://a.org.evil.org", "", "a.org", false},
        {"null", "", "a.org", false},
        {"file://", "", "a.org", false},
        {"http://a.org", "cross-site", "a.org", false},
        {"", "cross-site", "a.org", false},
        {"", "none", "a.org", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool own =
            origin_is_own(str_from(rows[i].origin), str_from(rows[i].site), str_from(rows[i].host));
        if (own != rows[i].own) {
            fail_msg("row %zu: %s", i, rows[i].origin);
        }
    }
}

static void trust_needs_the_whole_address(void **state) {
    (void)state;
    assert_true(origin_is_trusted("10.0.0.1 ::1", STR("::1")));
    assert_false(origin_is_trusted("10.0.0.1 ::1", STR("10.0.0.11")));
    assert_false(origin_is_trusted("10.0.0.11", STR("10.0.0.1")));
    assert_false(origin_is_trusted("", STR("10.0.0.1")));
    assert_false(origin_is_trusted("10.0.0.1", STR("")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_our_own_pages_may_write),
        cmocka_unit_test(trust_needs_the_whole_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
