/* A dry run of an import. */
#include "cli/dry_run.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void each_problem_of_a_package_is_told(void **state) {
    (void)state;
    char path[4096];
    own_buf text;
    struct err err = {0};
    int refused = -1;
    buf_init(&text, MIB);
    snprintf(path, sizeof(path), "%s/tests/fixtures/problems", getenv("ASSIZE_SOURCE_ROOT"));

    assert_true(dry_run_json(path, "", &text, &refused, &err));

    assert_int_equal(refused, 0);
    assert_non_null(strstr(buf_c(&text), "\"format\":\"icpc\",\"problems\":[{\"name\":\"aplusb\""));
    assert_non_null(strstr(buf_c(&text), "\"code\":\"pairs\""));
    dry_run_print(buf_str(&text));
}

static void a_package_that_is_not_there_is_an_error(void **state) {
    (void)state;
    own_buf text;
    struct err err = {0};
    int refused = -1;
    buf_init(&text, MIB);

    assert_false(dry_run_json("/nonexistent", "", &text, &refused, &err));

    assert_int_equal(err.kind, ERR_MISSING);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_problem_of_a_package_is_told),
        cmocka_unit_test(a_package_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
