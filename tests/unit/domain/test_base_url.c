#include "domain/base_url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void hosts_and_ports_are_taken_apart(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *host;
        int port;
    } rows[] = {
        {"https://judge-3.example.org", "judge-3.example.org", 443},
        {"https://judge-3.example.org:8443", "judge-3.example.org", 8443},
        {"https://10.1.2.3:8443", "10.1.2.3", 8443},
        {"https://[fd00::7]:8443", "fd00::7", 8443},
        {"https://[fd00::7]", "fd00::7", 443},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct base_url url = {0};
        struct err err = {0};

        assert_true(base_url_parse(str_from(rows[i].text), &url, &err));

        assert_true(str_eq_c(url.host, rows[i].host));
        assert_int_equal(url.port, rows[i].port);
    }
}

static void what_is_more_or_less_than_that_is_refused(void **state) {
    (void)state;
    static const char *const rows[] = {
        "",
        "http://a",
        "https://",
        "https://a/",
        "https://a/path",
        "https://user@a",
        "https://user:word@a",
        "https://a:0",
        "https://a:65536",
        "https://a:",
        "https://a:x",
        "https://a b",
        "https://a?x",
        "https://a#x",
        "https://fd00::7",
        "https://[fd00::7",
        "https://[a]",
        "https://[fd00::7]x",
        "https://a\r\nX: y",
        "https://a:443:443",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct base_url url = {0};
        struct err err = {0};

        if (base_url_parse(str_from(rows[i]), &url, &err)) {
            fail_msg("taken: %s", rows[i]);
        }

        assert_string_equal(err.code, "bad_field");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_and_ports_are_taken_apart),
        cmocka_unit_test(what_is_more_or_less_than_that_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
