#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"
#include <stdalign.h>
#include <string.h>

static void memory_is_zeroed_and_aligned(void **state) {
    (void)state;
    own(arena) arena = arena_create(1 << 20);

    for (size_t bytes = 1; bytes < 5000; bytes += 37) {
        unsigned char *place = arena_alloc(arena, bytes);
        assert_int_equal((uintptr_t)place % alignof(max_align_t), 0);
        for (size_t i = 0; i < bytes; i++) {
            assert_int_equal(place[i], 0);
        }
        memset(place, 0xff, bytes);
    }
}

static void two_pieces_never_overlap(void **state) {
    (void)state;
    own(arena) arena = arena_create(1 << 20);
    unsigned char *pieces[100];

    for (int i = 0; i < 100; i++) {
        pieces[i] = arena_alloc(arena, (size_t)(i * 41));
        memset(pieces[i], i, (size_t)(i * 41));
    }

    for (int i = 0; i < 100; i++) {
        for (int j = 0; j < i * 41; j++) {
            assert_int_equal(pieces[i][j], i);
        }
    }
    assert_ptr_not_equal(arena_alloc(arena, 0), arena_alloc(arena, 0));
}

static void the_maximum_can_be_used_up_and_not_passed(void **state) {
    (void)state;
    own(arena) arena = arena_create(4096);

    memset(arena_alloc(arena, 4096), 1, 4096);

    assert_int_equal(arena_used(arena), 4096);
    assert_aborts(arena_alloc(arena, 1));
}

static void a_product_that_overflows_aborts(void **state) {
    (void)state;
    own(arena) arena = arena_create(4096);

    assert_aborts(arena_array(arena, SIZE_MAX / 2, 4));
    assert_aborts(arena_alloc(arena, SIZE_MAX));
    assert_non_null(arena_array(arena, 4, 4));
}

static void a_copied_text_ends_with_a_nul(void **state) {
    (void)state;
    own(arena) arena = arena_create(4096);
    char original[] = "abc";

    struct str copy = arena_str(arena, str_of(original, 2));
    original[0] = 'x';

    assert_true(str_eq(copy, STR("ab")));
    assert_int_equal(copy.ptr[2], 0);
    assert_string_equal(arena_cstr(arena, STR("")), "");
    assert_aborts(arena_cstr(arena, STR("a\0b")));
}

static void printing_takes_any_length(void **state) {
    (void)state;
    own(arena) arena = arena_create(1 << 20);

    const char *text = arena_printf(arena, "%d|%9000s|", 7, "x");

    assert_int_equal(strlen(text), 9003);
    assert_true(str_starts(str_from(text), STR("7| ")));
    assert_string_equal(text + 9000, " x|");
}

static void freeing_nothing_is_fine(void **state) {
    (void)state;
    arena_free(NULL);
    own(arena) empty = arena_create(1);
    assert_int_equal(arena_used(empty), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(two_pieces_never_overlap),
        cmocka_unit_test(the_maximum_can_be_used_up_and_not_passed),
        cmocka_unit_test(a_product_that_overflows_aborts),
        cmocka_unit_test(a_copied_text_ends_with_a_nul),
        cmocka_unit_test(printing_takes_any_length),
        cmocka_unit_test(freeing_nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
