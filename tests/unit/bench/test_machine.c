/* What is said of the machine. */
#include "bench/machine.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_field_is_found_by_its_name(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *value;
    } rows[] = {
        {"processor\t: 0\nmodel name\t: A B\nmodel name\t: C\n", "A B"},
        {"model name 2 : X\n", ""},
        {"model name\n", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct str value = machine_field(str_from(rows[i].text), "model name");

        assert_true(str_eq_c(value, rows[i].value));
    }
}

static void this_machine_is_described(void **state) {
    (void)state;
    struct machine machine;
    struct jw json;
    struct err err = {0};
    own_buf out;
    buf_init(&out, 4 * KIB);

    machine_read(&machine);

    assert_true(machine.processors > 0);
    assert_int_equal(strncmp(machine.kernel, "Linux ", 6), 0);
    jw_init(&json, &out);
    machine_json(&machine, &json);
    assert_true(jw_finish(&json, "machine", &err));
    assert_non_null(strstr(buf_c(&out), "\"processors\":"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_is_found_by_its_name),
        cmocka_unit_test(this_machine_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
