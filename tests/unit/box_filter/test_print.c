#include "box_filter/filter.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void the_text_holds_every_profile_whole(void **state) {
    (void)state;
    struct buf out = {0};
    size_t steps = 0;
    buf_init(&out, MIB);

    filter_print(&out);

    const char *text = buf_c(&out);
    assert_non_null(strstr(text, "[BOX_PROFILE_COMPILE] = {"));
    assert_non_null(strstr(text, "[BOX_PROFILE_NATIVE] = {"));
    assert_non_null(strstr(text, "[BOX_PROFILE_MANAGED] = {"));
    for (const char *at = strstr(text, "        {0x"); at != NULL;
         at = strstr(at + 1, "        {0x")) {
        steps++;
    }
    size_t expected = 0;
    for (int profile = 0; profile < FILTER_PROFILE_COUNT; profile++) {
        struct filter_program program;
        filter_build((enum filter_profile)profile, &program);
        expected += program.length;
    }
    assert_int_equal(steps, expected);
    buf_done(&out);
}

static void too_small_a_buffer_is_noticed(void **state) {
    (void)state;
    struct buf out = {0};
    buf_init(&out, 1000);

    filter_print(&out);

    assert_true(out.full);
    buf_done(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_holds_every_profile_whole),
        cmocka_unit_test(too_small_a_buffer_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
