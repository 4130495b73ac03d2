#include "data/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config_rows.h"
#include <string.h>

static void help_lists_the_flags_by_title(void **state) {
    (void)state;
    own(config) config = example_config();
    own_buf text;
    buf_init(&text, 10000);

    config_help(config, &text);

    assert_string_equal(
        buf_c(&text),
        "Server:\n"
        "  --listen HOST:PORT          address of the web server (default 127.0.0.1:8080) "
        "[ASSIZE_SERVER_LISTEN]\n"
        "  --workers N                 threads (default 4) [ASSIZE_SERVER_WORKERS]\n"
        "\n"
        "Judge:\n"
        "  --pool TEXT                 pool that this node serves [ASSIZE_JUDGE_POOL]\n"
        "  --lease DURATION            how long a lease lasts (default 1m) [ASSIZE_JUDGE_LEASE]\n"
        "  --log-level debug|info|warn|error\n"
        "                              what is logged (default info) [ASSIZE_LOG_LEVEL]\n"
        "  --verbose                   more [ASSIZE_VERBOSE]\n"
        "  --colour                    colours (default true) [ASSIZE_COLOUR]\n"
        "  --help                      this text [ASSIZE_HELP]\n");
}

static void the_listing_shows_values_sources_and_no_secret(void **state) {
    (void)state;
    own(config) config = example_config();
    own_buf text;
    buf_init(&text, 10000);
    struct err err = {0};
    assert_true(config_set(config, "server.secret", STR("hunter2"), &err));
    assert_true(config_set(config, "judge.pool", STR("a \"b\" \\ # c"), &err));
    assert_true(config_read_text(config, "odd\nname", STR("verbose=on"), &err));

    config_print(config, &text);

    const char *listing = buf_c(&text);
    assert_null(strstr(listing, "hunter2"));
    assert_non_null(strstr(listing, "# server.secret = \"********\"  # set\n"));
    assert_non_null(strstr(listing, "judge.pool = \"a \\\"b\\\" \\\\ # c\"  # set\n"));
    assert_non_null(strstr(listing, "server.listen = 127.0.0.1:8080  # default\n"));
    assert_non_null(strstr(listing, "verbose = on  # odd?name:1\n"));
}

static void the_listing_reads_back_as_a_file(void **state) {
    (void)state;
    static const char *const pools[] = {"",      "plain", " spaced ", "#x",          "a #b",
                                        "\"q\"", "\\",    "a\tb",     "\xe8\xaf\x84"};
    for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++) {
        own(config) config = example_config();
        own(config) again = example_config();
        own_buf text;
        buf_init(&text, 10000);
        struct err err = {0};
        assert_true(config_set(config, "judge.pool", str_from(pools[i]), &err));
        assert_true(config_set(config, "judge.lease", STR("90s"), &err));

        config_print(config, &text);
        assert_true(config_read_text(again, "printed", buf_str(&text), &err));

        assert_string_equal(config_text(again, "judge.pool"), pools[i]);
        assert_int_equal(config_i64(again, "judge.lease"), 90000);
        assert_string_equal(config_text(again, "server.listen"), "127.0.0.1:8080");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_lists_the_flags_by_title),
        cmocka_unit_test(the_listing_shows_values_sources_and_no_secret),
        cmocka_unit_test(the_listing_reads_back_as_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
