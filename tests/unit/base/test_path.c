/* Names that came from outside. */
#include "base/path.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void plain_paths_are_told_from_those_that_lead_elsewhere(void **state) {
    (void)state;
    const struct {
        struct str path;
        bool plain;
    } rows[] = {
        {STR("a"), true},         {STR("data/secret/1.in"), true},
        {STR("...name"), true},   {STR("\xe4\xb8\xad/\xe6\x96\x87.in"), true},
        {STR(""), false},         {STR("."), false},
        {STR(".."), false},       {STR("../a"), false},
        {STR("a/../b"), false},   {STR("a/./b"), false},
        {STR("a/.."), false},     {STR("/etc/passwd"), false},
        {STR("a//b"), false},     {STR("a/"), false},
        {STR("a\\b"), false},     {STR("a\nb"), false},
        {STR("a\0b"), false},     {STR("a\x7f"), false},
        {STR("\xff\xfe"), false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(path_is_plain(rows[i].path), rows[i].plain);
    }
}

static void long_and_deep_paths_are_refused(void **state) {
    (void)state;
    char deep[4 * PACKAGE_DEPTH_MAX];
    char name[300];
    memset(name, 'x', sizeof(name));
    for (size_t i = 0; i < sizeof(deep); i++) {
        deep[i] = i % 2 == 0 ? 'd' : '/';
    }

    assert_true(path_is_plain(str_of(name, 255)));
    assert_false(path_is_plain(str_of(name, 256)));
    assert_true(path_is_plain(str_of(deep, 2 * PACKAGE_DEPTH_MAX - 1)));
    assert_false(path_is_plain(str_of(deep, 2 * PACKAGE_DEPTH_MAX + 1)));
}

static void a_name_has_no_folder(void **state) {
    (void)state;

    assert_true(path_is_name(STR("main.cpp")));
    assert_false(path_is_name(STR("src/main.cpp")));
    assert_false(path_is_name(STR("..")));
    assert_false(path_is_name(STR("")));
}

static void base_and_extension_are_cut_off(void **state) {
    (void)state;

    assert_true(str_eq_c(path_base(STR("a/b.c")), "b.c"));
    assert_true(str_eq_c(path_base(STR("b.c")), "b.c"));
    assert_true(str_eq_c(path_extension(STR("a.d/b.tar.gz")), ".gz"));
    assert_true(str_eq_c(path_extension(STR("a.d/b")), ""));
    assert_true(str_eq_c(path_extension(STR(".hidden")), ""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_paths_are_told_from_those_that_lead_elsewhere),
        cmocka_unit_test(long_and_deep_paths_are_refused),
        cmocka_unit_test(a_name_has_no_folder),
        cmocka_unit_test(base_and_extension_are_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
