/* Which submissions a command means. */
#include "base/limits.h"
#include "cli/selection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const struct config_row rows[] = {SELECTION_ROWS, {0}};

static void read_args(struct cli *cli, int count, const char *const args[]) {
    struct err err = {0};
    *cli = (struct cli){.config = config_create()};
    config_add(cli->config, "Options", rows);
    if (!config_read_args(cli->config, count, args, cli->arguments, &cli->count, &err)) {
        fail_msg("%s", err.text);
    }
}

static void every_flag_has_its_place(void **state) {
    (void)state;
    static const char *const args[] = {
        "--problem=3",  "--of-user=4",    "--language=c++", "--verdict=PARTIAL",
        "--fault=NODE", "--state=FAILED", "--held",         "--from=a",
        "--to=b",       "--all",          "word",           "8"};
    own(arena) arena = arena_create(1 * MIB);
    own_buf text;
    struct cli cli;
    struct jw json;
    struct err err = {0};
    buf_init(&text, 4 * KIB);
    jw_init(&json, &text);
    read_args(&cli, 12, args);

    jw_object_begin(&json);
    assert_true(selection_write(&json, &cli, 1, &err));
    jw_object_end(&json);

    assert_true(jw_finish(&json, "it", &err));
    assert_true(str_eq_c(
        buf_str(&text),
        "{\"selection\":{\"all\":true,\"held\":true,\"problemId\":3,\"userId\":4,\"language\":"
        "\"c++\",\"verdict\":\"PARTIAL\",\"fault\":\"NODE\",\"jobState\":\"FAILED\",\"from\":\"a\","
        "\"to\":\"b\",\"submissionIds\":[8]}}"));
    assert_string_equal(selection_query_text(cli.config, arena),
                        "&held=true&problemId=3&userId=4&language=c%2B%2B&verdict=PARTIAL&fault="
                        "NODE&jobState=FAILED&from=a&to=b");
    config_free(cli.config);
}

static void what_is_no_number_is_refused(void **state) {
    (void)state;
    static const char *const args[] = {"--problem=sum"};
    own_buf text;
    struct cli cli;
    struct jw json;
    struct err err = {0};
    buf_init(&text, 4 * KIB);
    jw_init(&json, &text);
    read_args(&cli, 1, args);
    jw_object_begin(&json);

    assert_false(selection_write(&json, &cli, 1, &err));

    assert_string_equal(err.code, "bad_argument");
    config_free(cli.config);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flag_has_its_place),
        cmocka_unit_test(what_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
