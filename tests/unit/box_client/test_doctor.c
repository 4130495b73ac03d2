#include "box_client/doctor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ROWS_MAX 64

static void every_row_has_a_name_and_a_remedy(void **state) {
    (void)state;
    static struct box_requirement rows[ROWS_MAX];
    size_t count = box_doctor(rows, ROWS_MAX);
    assert_in_range(count, 10, ROWS_MAX);
    for (size_t i = 0; i < count; i++) {
        assert_true(rows[i].name[0] != '\0');
        assert_true(rows[i].remedy[0] != '\0');
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(rows[i].name, rows[j].name);
        }
    }
}

static void no_more_rows_than_there_is_room_for(void **state) {
    (void)state;
    struct box_requirement rows[2];
    memset(rows, 0x7f, sizeof(rows));

    size_t count = box_doctor(rows, 1);

    assert_true(count > 1);
    assert_int_equal(rows[1].name[0], 0x7f);
}

static void the_check_agrees_with_the_rows(void **state) {
    (void)state;
    static struct box_requirement rows[ROWS_MAX];
    size_t count = box_doctor(rows, ROWS_MAX);
    const struct box_requirement *missing = NULL;
    for (size_t i = 0; i < count && missing == NULL; i++) {
        missing = rows[i].needed && !rows[i].found ? &rows[i] : NULL;
    }
    struct err err = {0};

    bool right = doctor_check(&err);

    assert_int_equal(right, missing == NULL);
    if (missing != NULL) {
        assert_string_equal(err.code, "box_unavailable");
        assert_non_null(strstr(err.text, missing->name));
        assert_non_null(strstr(err.text, missing->remedy));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_name_and_a_remedy),
        cmocka_unit_test(no_more_rows_than_there_is_room_for),
        cmocka_unit_test(the_check_agrees_with_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
