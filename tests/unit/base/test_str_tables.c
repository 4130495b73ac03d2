#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const char table[] = "anon 4096\nfile 8192\nfile_mapped 1\nnone\nbad x\nlast 7";

static void a_word_is_found_whole(void **state) {
    (void)state;
    assert_true(str_has_word(STR("cpuset cpu io memory pids\n"), "memory"));
    assert_true(str_has_word(STR("cpuset cpu"), "cpu"));
    assert_false(str_has_word(STR("cpuset cpuacct"), "cpu"));
    assert_false(str_has_word(STR(""), "cpu"));
}

static void a_key_gives_its_number(void **state) {
    (void)state;
    int64_t value = 0;
    assert_true(str_key_i64(str_from(table), "file", &value));
    assert_int_equal(value, 8192);
    assert_true(str_key_i64(str_from(table), "last", &value));
    assert_int_equal(value, 7);
}

static void a_missing_or_broken_line_gives_none(void **state) {
    (void)state;
    int64_t value = 5;
    assert_false(str_key_i64(str_from(table), "shmem", &value));
    assert_false(str_key_i64(str_from(table), "none", &value));
    assert_false(str_key_i64(str_from(table), "bad", &value));
    assert_false(str_key_i64(STR("x -1"), "x", &value));
    assert_int_equal(value, 5);
}

static void a_number_behind_a_mark_is_found(void **state) {
    (void)state;
    const char *text = "some avg10=0.12 avg60=0.00 total=4711\nfull total=9\n";
    int64_t value = -1;

    assert_true(str_after_i64(str_from(text), "total=", &value));

    assert_int_equal(value, 4711);
    assert_false(str_after_i64(str_from(text), "none=", &value));
    assert_false(str_after_i64(str_from("total="), "total=", &value));
    assert_false(str_after_i64(STR(""), "total=", &value));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_found_whole),
        cmocka_unit_test(a_key_gives_its_number),
        cmocka_unit_test(a_missing_or_broken_line_gives_none),
        cmocka_unit_test(a_number_behind_a_mark_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
