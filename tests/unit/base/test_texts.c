#include "base/texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void a_list_survives_packing(void **state) {
    (void)state;
    static const char *const list[] = {"/usr/bin/env", "", "a b", NULL};
    const char *back[4];
    char block[32];
    uint32_t count = 0;
    struct err err = {0};

    assert_true(texts_pack(list, 8, block, sizeof(block), &count, &err));

    assert_int_equal(count, 3);
    assert_true(texts_are_whole(block, sizeof(block), count));
    texts_unpack(block, count, back);
    assert_string_equal(back[0], "/usr/bin/env");
    assert_string_equal(back[1], "");
    assert_string_equal(back[2], "a b");
    assert_null(back[3]);
}

static void no_list_is_an_empty_list(void **state) {
    (void)state;
    const char *back[1];
    char block[4];
    uint32_t count = 9;
    struct err err = {0};

    assert_true(texts_pack(NULL, 8, block, sizeof(block), &count, &err));

    assert_int_equal(count, 0);
    texts_unpack(block, 0, back);
    assert_null(back[0]);
}

static void too_many_or_too_long_texts_are_refused(void **state) {
    (void)state;
    static const char *const list[] = {"abc", "def", NULL};
    char block[8];
    uint32_t count = 0;
    struct err err = {0};

    assert_true(texts_pack(list, 2, block, 8, &count, &err));
    assert_false(texts_pack(list, 1, block, 8, &count, &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_false(texts_pack(list, 2, block, 7, &count, &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
}

static void a_block_without_its_last_nul_is_not_whole(void **state) {
    (void)state;
    char block[8];
    memset(block, 'x', sizeof(block));
    block[3] = '\0';

    assert_true(texts_are_whole(block, sizeof(block), 1));
    assert_false(texts_are_whole(block, sizeof(block), 2));
    assert_false(texts_are_whole(block, 3, 1));
    assert_true(texts_are_whole(block, 0, 0));
    assert_false(texts_are_whole(block, sizeof(block), UINT32_MAX));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_survives_packing),
        cmocka_unit_test(no_list_is_an_empty_list),
        cmocka_unit_test(too_many_or_too_long_texts_are_refused),
        cmocka_unit_test(a_block_without_its_last_nul_is_not_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
