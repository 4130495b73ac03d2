/* What is left of a text, with and without the processor's help. */
#include "base/file.h"
#include "base/limits.h"
#include "base/random.h"
#include "judge/squeeze.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* All of it, at most `most` bytes. */
static size_t squeeze_all(struct str text, enum squeeze_mode mode, bool fold, bool gather,
                          char *into, size_t most) {
    struct squeeze squeeze;
    struct reader reader;
    own_fd fd = -1;
    struct err err = {0};
    size_t length = 0;
    assert_true(file_memory("test", text, false, &fd, &err));
    reader_init(&reader, fd);
    squeeze_init(&squeeze, &reader, mode, fold);
    squeeze.gather = squeeze.gather && gather;
    for (squeeze_fill(&squeeze); squeeze.from < squeeze.to; squeeze_fill(&squeeze)) {
        size_t count = squeeze.to - squeeze.from;
        assert_true(length + count <= most);
        memcpy(into + length, squeeze.window + squeeze.from, count);
        length += count;
        squeeze.from = squeeze.to;
    }
    squeeze_done(&squeeze);
    reader_done(&reader);
    return length;
}

static void what_the_rules_leave_out_is_gone(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *tokens;
        const char *lines;
    } rows[] = {
        {"", "", ""},
        {" \t", "", ""},
        {"\n\n", "", "\n\n"},
        {"a", "a", "a"},
        {"  a\t\tB  ", "a b", "a b"},
        {"a\r\nb\r\n", "a b", "a\nb\n"},
        {"a \n b", "a b", "a\nb"},
        {" \n a \n \n b", "a b", "\na\n\nb"},
        {"a\v\fb", "a b", "a b"},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        char left[64];
        struct str text = str_from(rows[i / 2].text);
        size_t length = squeeze_all(text, SQUEEZE_TOKENS, true, i % 2, left, sizeof left);
        assert_true(str_eq_c(str_of(left, length), rows[i / 2].tokens));
        length = squeeze_all(text, SQUEEZE_LINES, true, i % 2, left, sizeof left);
        assert_true(str_eq_c(str_of(left, length), rows[i / 2].lines));
        length = squeeze_all(text, SQUEEZE_NOTHING, false, i % 2, left, sizeof left);
        assert_true(str_eq(str_of(left, length), text));
    }
}

static void every_processor_leaves_the_same(void **state) {
    (void)state;
    static const char letters[] = "aB0\0\xff \n\t\r ";
    const size_t most = (size_t)200 * KIB;
    char *text = malloc(most);
    char *one = malloc(most);
    char *other = malloc(most);
    struct random_seeded seeded;
    assert_true(text != NULL && one != NULL && other != NULL);
    random_seeded_init(&seeded, 5);
    for (int round = 0; round < 24; round++) {
        size_t length = (size_t)random_below(&seeded.random, round % 2 == 0 ? 200 : (int64_t)most);
        int64_t kinds = 5 + random_below(&seeded.random, (int64_t)sizeof letters - 5);
        for (size_t i = 0; i < length; i++) {
            text[i] = letters[random_below(&seeded.random, kinds)];
        }
        enum squeeze_mode mode = (enum squeeze_mode)(round / 2 % 3);

        size_t with = squeeze_all(str_of(text, length), mode, round % 4 < 2, true, one, most);
        size_t without = squeeze_all(str_of(text, length), mode, round % 4 < 2, false, other, most);

        assert_int_equal(with, without);
        assert_memory_equal(one, other, with);
    }
    free(text);
    free(one);
    free(other);
}

static void a_place_is_found_again_in_the_file(void **state) {
    (void)state;
    own_fd fd = -1;
    struct err err = {0};
    assert_true(file_memory("test", STR(" a b\n\n   cd"), false, &fd, &err));

    assert_int_equal(squeeze_find(fd, 0), 1);
    assert_int_equal(squeeze_find(fd, 1), 3);
    assert_int_equal(squeeze_find(fd, 2), 9);
    assert_int_equal(squeeze_find(fd, 3), 10);
    assert_int_equal(squeeze_find(fd, 4), 11);
    assert_int_equal(squeeze_find(-1, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_rules_leave_out_is_gone),
        cmocka_unit_test(every_processor_leaves_the_same),
        cmocka_unit_test(a_place_is_found_again_in_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
