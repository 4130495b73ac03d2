/* Arguments of the default validator. */
#include "fixture.h"

#include "package/reader_internal.h"

static void tolerances_get_one_spelling(void **state) {
    (void)state;
    const struct {
        const char *text, *decimal; /* NULL: refused */
    } rows[] = {
        {"1e-6", "1e-6"},  {"1E-6", "1e-6"}, {"0.000001", "1e-6"}, {"1e-06", "1e-6"},
        {"10e-7", "1e-6"}, {".5", "5e-1"},   {"5.", "5"},          {"2.50", "25e-1"},
        {"100", "1e2"},    {"0", "0"},       {"0.000", "0"},       {"0e5", "0"},
        {"1e+3", "1e3"},   {"007", "7"},     {"", NULL},           {".", NULL},
        {"-1", NULL},      {"1e", NULL},     {"e5", NULL},         {"1.2.3", NULL},
        {"1e1000", NULL},  {"nan", NULL},    {"inf", NULL},        {"0x1p3", NULL},
        {"1 ", NULL},      {"1e-100", NULL}, {"1e-99", "1e-99"},   {"1234567890123456789", NULL},
    };
    own(arena) arena = arena_create(MIB);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct str decimal = STR("");
        struct err err = {0};
        bool ok = flags_decimal(arena, str_from(rows[i].text), &decimal, &err);
        assert_int_equal(ok, rows[i].decimal != NULL);
        if (ok) {
            assert_true(str_eq_c(decimal, rows[i].decimal));
        } else {
            assert_string_equal(err.code, "bad_package");
        }
    }
}

/* Whatever is accepted is canonical: the manifest takes it. */
static void each_accepted_spelling_fits_the_manifest(void **state) {
    (void)state;
    const char *const texts[] = {"1e-99", "0.1", "123456789012345678", "1e99", "99999e-5"};
    own(arena) arena = arena_create(MIB);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct manifest manifest;
        struct err err = {0};
        manifest_defaults(&manifest);
        assert_true(
            flags_decimal(arena, str_from(texts[i]), &manifest.checker.float_absolute, &err));
        assert_true(manifest_check(&manifest, &err));
    }
}

static void with_flags(struct fixture *f, const char *flags) {
    fixture_init(f);
    fixture_minimal(f);
    fixture_put(
        f, "problem.yaml",
        arena_printf(f->arena, "name: x\nlimits: {time_limit: 1}\nvalidator_flags: %s\n", flags));
}

static void words_become_options_of_the_checker(void **state) {
    (void)state;
    struct fixture f;
    with_flags(&f, "case_sensitive space_change_sensitive float_relative_tolerance 1e-4 "
                   "float_absolute_tolerance 0.001");

    fixture_must_read(&f);

    const struct manifest_checker *checker = &f.problem.manifest.checker;
    assert_int_equal(checker->kind, CHECKER_TOKENS);
    assert_true(checker->case_sensitive);
    assert_true(checker->space_sensitive);
    assert_true(str_eq_c(checker->float_relative, "1e-4"));
    assert_true(str_eq_c(checker->float_absolute, "1e-3"));
    fixture_done(&f);
}

static void one_tolerance_may_stand_for_both(void **state) {
    (void)state;
    struct fixture f;
    with_flags(&f, "float_tolerance 1e-9");

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.manifest.checker.float_relative, "1e-9"));
    assert_true(str_eq_c(f.problem.manifest.checker.float_absolute, "1e-9"));
    assert_false(f.problem.manifest.checker.case_sensitive);
    fixture_done(&f);
}

static void mistakes_are_named_with_their_line(void **state) {
    (void)state;
    const struct {
        const char *flags, *message;
    } rows[] = {
        {"float_tolerance", "problem.yaml:3: float_tolerance needs a number behind it"},
        {"float_tolerance x", "problem.yaml:3: `x` is no tolerance"},
        {"ignore_case", "problem.yaml:3: the default validator has no argument `ignore_case`"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        with_flags(&f, rows[i].flags);
        fixture_must_refuse(&f, "bad_package", rows[i].message);
        fixture_done(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tolerances_get_one_spelling),
        cmocka_unit_test(each_accepted_spelling_fits_the_manifest),
        cmocka_unit_test(words_become_options_of_the_checker),
        cmocka_unit_test(one_tolerance_may_stand_for_both),
        cmocka_unit_test(mistakes_are_named_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
