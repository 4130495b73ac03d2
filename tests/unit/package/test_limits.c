/* Limits of problem.yaml. */
#include "fixture.h"

static void with_limits(struct fixture *f, const char *limits) {
    fixture_init(f);
    fixture_minimal(f);
    fixture_put(f, "problem.yaml", arena_printf(f->arena, "name: x\nlimits: {%s}\n", limits));
}

static void each_limit_has_its_unit(void **state) {
    (void)state;
    struct fixture f;
    with_limits(&f, "time_limit: 1.5, memory: 256, output: 4, code: 64, compilation_time: 30, "
                    "compilation_memory: 1024, validation_time: 20.5, validation_memory: 512, "
                    "validation_output: 2");

    fixture_must_read(&f);

    const struct manifest_limits *limits = &f.problem.manifest.limits;
    assert_int_equal(limits->time_ms, 1500);
    assert_int_equal(limits->memory_kib, 256 * 1024);
    assert_int_equal(limits->output_kib, 4 * 1024);
    assert_int_equal(limits->code_kib, 64);
    assert_int_equal(limits->compile_time_ms, 30000);
    assert_int_equal(limits->compile_memory_kib, 1024 * 1024);
    assert_int_equal(limits->validation_time_ms, 20500);
    assert_int_equal(limits->validation_memory_kib, 512 * 1024);
    assert_int_equal(limits->validation_output_kib, 2 * 1024);
    fixture_done(&f);
}

static void defaults_are_those_of_the_format(void **state) {
    (void)state;
    struct fixture f;
    with_limits(&f, "time_limit: 1");

    fixture_must_read(&f);

    const struct manifest_limits *limits = &f.problem.manifest.limits;
    assert_int_equal(limits->memory_kib, 2048 * 1024);
    assert_int_equal(limits->output_kib, 8 * 1024);
    assert_int_equal(limits->code_kib, 128);
    assert_int_equal(limits->compile_time_ms, 60000);
    fixture_done(&f);
}

static void a_limit_that_cannot_be_honoured_is_refused(void **state) {
    (void)state;
    const struct {
        const char *limits, *code, *message;
    } rows[] = {
        {"memory: 999999", "bad_package",
         "problem.yaml:2: `memory` is outside of what this judge can give: up to 16384 MiB"},
        {"memory: 1", "bad_package", "`memory` is outside"},
        {"time_limit: 601", "bad_package",
         "`time_limit` is outside of what this judge can give: "
         "up to 600 s"},
        {"time_limit: 0", "bad_package", "`time_limit` is outside"},
        {"code: 129", "bad_package", "up to 128 KiB"},
        {"output: 257", "bad_package", "up to 256 MiB"},
        {"time_limit: fast", "bad_yaml", "problem.yaml:2"},
        {"time_limit: -1", "bad_yaml", "problem.yaml:2"},
        {"time_limit: 1.00001", "bad_yaml", "problem.yaml:2"},
        {"memory: 1.5", "bad_yaml", "problem.yaml:2"},
        {"memory: 99999999999999999999", "bad_yaml", "problem.yaml:2"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        with_limits(&f, rows[i].limits);
        fixture_must_refuse(&f, rows[i].code, rows[i].message);
        fixture_done(&f);
    }
}

static void limits_for_other_purposes_are_no_warning(void **state) {
    (void)state;
    struct fixture f;
    with_limits(&f, "time_limit: 1, time_multiplier: 5, time_safety_margin: 2, "
                    "time_multipliers: {ac_to_time_limit: 2}, validation_passes: 2");

    fixture_must_read(&f);

    assert_int_equal(f.report.warnings.count, 0);
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_limit_has_its_unit),
        cmocka_unit_test(defaults_are_those_of_the_format),
        cmocka_unit_test(a_limit_that_cannot_be_honoured_is_refused),
        cmocka_unit_test(limits_for_other_purposes_are_no_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
