#include "base/limits.h"
#include "judge/sql_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void names_say_node_job_and_epoch(void **state) {
    (void)state;
    struct sql_names names;
    struct sql_names other_node;
    struct sql_names other_epoch;

    sql_names_make("node-1", 381, 2, &names);
    sql_names_make("node-2", 381, 2, &other_node);
    sql_names_make("node-1", 381, 3, &other_epoch);

    assert_int_equal(strlen(names.schema), strlen("az_01234567_al_2"));
    assert_string_equal(names.schema + 11, "_al_2");
    assert_string_not_equal(names.schema, other_node.schema);
    assert_string_not_equal(names.schema, other_epoch.schema);
    assert_string_not_equal(names.author, names.student);
    assert_int_equal(strncmp(names.author, names.schema, strlen(names.schema)), 0);
}

static void the_longest_name_is_short_enough_for_mysql(void **state) {
    (void)state;
    struct sql_names names;

    sql_names_make("n", ID_MAX, INT64_C(78364164095), &names); /* 36^7 - 1 */

    assert_in_range(strlen(names.student), 1, 33);
    assert_in_range(strlen(names.schema), 1, 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_say_node_job_and_epoch),
        cmocka_unit_test(the_longest_name_is_short_enough_for_mysql),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
