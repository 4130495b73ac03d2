#include "data/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"
#include "config_rows.h"
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void defaults_are_in_force_at_first(void **state) {
    (void)state;
    own(config) config = example_config();

    assert_string_equal(config_address(config, "server.listen")->host, "127.0.0.1");
    assert_int_equal(config_address(config, "server.listen")->port, 8080);
    assert_int_equal(config_i64(config, "server.workers"), 4);
    assert_int_equal(config_i64(config, "server.body-max"), 65536);
    assert_int_equal(config_i64(config, "judge.lease"), 60000);
    assert_string_equal(config_text(config, "log.level"), "info");
    assert_string_equal(config_text(config, "server.secret"), "");
    assert_string_equal(config_text(config, "judge.lease"), "1m");
    assert_false(config_bool(config, "verbose"));
    assert_true(config_bool(config, "colour"));
    assert_false(config_is_set(config, "server.workers"));
    assert_string_equal(config_source(config, "server.workers"), "default");
}

static void values_are_checked_by_type_and_range(void **state) {
    (void)state;
    static const struct {
        const char *name, *value;
        bool fine;
    } cases[] = {
        {"server.listen", "0.0.0.0:80", true},
        {"server.listen", "80", false},
        {"server.workers", "1", true},
        {"server.workers", "64", true},
        {"server.workers", "0", false},
        {"server.workers", "65", false},
        {"server.workers", "", false},
        {"server.body-max", "1GiB", true},
        {"server.body-max", "2GiB", false},
        {"judge.lease", "5s", true},
        {"judge.lease", "4999ms", false},
        {"judge.lease", "11m", false},
        {"judge.lease", "x", false},
        {"log.level", "warn", true},
        {"log.level", "loud", false},
        {"log.level", "", false},
        {"verbose", "YES", true},
        {"verbose", "0", true},
        {"verbose", "2", false},
        {"judge.pool", "", true},
        {"judge.pool", "\xe8\xaf\x84\xe6\xb5\x8b", true},
        {"judge.pool", "a\tb", true},
        {"judge.pool", "a\nb", false},
        {"judge.pool", "a\xff", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        own(config) config = example_config();
        struct err err = {0};
        bool fine = config_set(config, cases[i].name, str_from(cases[i].value), &err);
        if (fine != cases[i].fine) {
            fail_msg("%s = %s: %s", cases[i].name, cases[i].value, err.text);
        }
        assert_int_equal(config_is_set(config, cases[i].name), fine);
    }
}

static void a_refusal_says_what_would_fit(void **state) {
    (void)state;
    own(config) config = example_config();
    struct err err = {0};

    assert_false(config_set(config, "judge.lease", STR("11m"), &err));
    assert_string_equal(err.text, "set: judge.lease: the value must be from 5s to 10m");
    assert_false(config_set(config, "server.body-max", STR("2GiB"), &err));
    assert_string_equal(err.text, "set: server.body-max: the value must be from 0B to 1GiB");
    assert_false(config_set(config, "log.level", STR("loud"), &err));
    assert_string_equal(err.text, "set: log.level: \"loud\" is none of: debug info warn error");
    assert_string_equal(err.code, "bad_config");
}

static void a_secret_never_shows_in_a_message(void **state) {
    (void)state;
    own(config) config = example_config();
    struct err err = {0};

    assert_false(config_set(config, "server.secret", STR("hunter2\n"), &err));

    assert_null(strstr(err.text, "hunter2"));
}

static void addresses_come_in_three_forms(void **state) {
    (void)state;
    static const struct {
        const char *text, *host;
        int port;
    } good[] = {
        {"127.0.0.1:8080", "127.0.0.1", 8080},
        {"[::1]:80", "::1", 80},
        {":0", "0.0.0.0", 0},
        {"judge-1.example.org:65535", "judge-1.example.org", 65535},
        {"[fe80::1%eth0]:1", "fe80::1%eth0", 1},
    };
    static const char *const bad[] = {
        "",         "8080",    "host",     "host:",       "host:x", "host:65536",  "host:-1",
        "::1:80",   "[]:80",   "[::1]",    "[::1]80",     "a b:80", "http://x:80", "a/b:80",
        "[a b]:80", "[::1:80", "host:80 ", "\xc3\xa4:80",
    };
    struct config_address address = {0};
    struct err err = {0};
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(address_parse(str_from(good[i].text), &address, &err));
        assert_string_equal(address.host, good[i].host);
        assert_int_equal(address.port, good[i].port);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        if (address_parse(str_from(bad[i]), &address, &err)) {
            fail_msg("%s", bad[i]);
        }
        assert_string_equal(err.code, "bad_address");
    }
    char endless[400];
    memset(endless, 'a', sizeof(endless));
    memcpy(endless + sizeof(endless) - 3, ":80", 3);
    assert_false(address_parse(str_of(endless, sizeof(endless)), &address, &err));
}

static void a_value_may_be_set_from_itself(void **state) {
    (void)state;
    own(config) config = example_config();
    struct err err = {0};
    assert_true(config_set(config, "judge.pool", STR("cpp"), &err));

    assert_true(
        config_set(config, "judge.pool", str_from(config_text(config, "judge.pool")), &err));

    assert_string_equal(config_text(config, "judge.pool"), "cpp");
}

static const struct config_row twice[] = {
    {.name = "server.listen", .type = CONFIG_TEXT, .help = "again"}, {0}};
static const struct config_row same_flag[] = {
    {.name = "other", .type = CONFIG_TEXT, .flag = "listen", .help = "again"}, {0}};
static const struct config_row bad_default[] = {
    {.name = "n", .type = CONFIG_INT, .fallback = "many", .help = "number"}, {0}};
static const struct config_row secret_number[] = {
    {.name = "n", .type = CONFIG_INT, .fallback = "1", .secret = true, .help = "number"}, {0}};

static void a_wrong_table_is_our_mistake(void **state) {
    (void)state;
    static const struct config_row *const tables[] = {twice, same_flag, bad_default, secret_number};
    for (size_t i = 0; i < COUNT(tables); i++) {
        own(config) config = example_config();
        assert_aborts((config_add(config, "More", tables[i]), 0));
    }
}

static void a_wrong_name_or_type_is_our_mistake(void **state) {
    (void)state;
    own(config) config = example_config();

    assert_aborts(config_text(config, "nothing"));
    assert_aborts(config_i64(config, "judge.pool"));
    assert_aborts(config_bool(config, "server.workers"));
    assert_aborts(config_address(config, "judge.pool"));
    config_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_in_force_at_first),
        cmocka_unit_test(values_are_checked_by_type_and_range),
        cmocka_unit_test(a_refusal_says_what_would_fit),
        cmocka_unit_test(a_secret_never_shows_in_a_message),
        cmocka_unit_test(addresses_come_in_three_forms),
        cmocka_unit_test(a_value_may_be_set_from_itself),
        cmocka_unit_test(a_wrong_table_is_our_mistake),
        cmocka_unit_test(a_wrong_name_or_type_is_our_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
