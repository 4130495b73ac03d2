/* assize bench queue, for one second. */
#include "bench/benches.h"
#include "data/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct config *read_options(int count, const char *const args[]) {
    struct err err = {0};
    const char *rest[16];
    int rest_count = 0;
    struct config *config = config_create();
    config_add(config, "", bench_queue.rows);
    assert_true(config_read_args(config, count, args, rest, &rest_count, &err));
    return config;
}

static void the_report_has_the_numbers_that_are_promised(void **state) {
    (void)state;
    char languages[512];
    const char *root = getenv("ASSIZE_SOURCE_ROOT");
    (void)snprintf(languages, sizeof languages, "%s/languages", root != NULL ? root : ".");
    const char *const args[] = {"--clients",       "4",       "--seconds", "1", "--cases", "0",
                                "--languages-dir", languages, "--backlog", "10"};
    own(config) config = read_options(10, args);
    struct err err = {0};
    own_buf out = {0};
    buf_init(&out, BENCH_REPORT_BYTES_MAX);

    assert_true(bench_queue.run(config, BENCH_JSON, &out, &err));

    own(json) report = NULL;
    const struct json *claim = NULL;
    int64_t value = 0;
    assert_true(jr_parse(buf_str(&out), &report, &err));
    assert_true(jr_i64(report, "lifecyclesPerSecond", 1, INT64_MAX, &value, &err));
    assert_true(jr_object(report, "claimMs", &claim, &err));
    assert_int_not_equal(jr_kind(jr_get(claim, "p50")), JR_MISSING);
    assert_int_not_equal(jr_kind(jr_get(claim, "p99")), JR_MISSING);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_has_the_numbers_that_are_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
