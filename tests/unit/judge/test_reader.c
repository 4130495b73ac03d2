/* The window over a file. */
#include "base/file.h"
#include "judge/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void open_text(struct reader *reader, struct str content) {
    int fd = -1;
    struct err err = {0};
    assert_true(file_memory("test", content, true, &fd, &err));
    reader_init(reader, fd);
}

static void close_text(struct reader *reader) {
    fd_cleanup(&reader->fd);
    reader_done(reader);
}

static void tokens_and_gaps_alternate(void **state) {
    (void)state;
    struct reader reader;
    bool whole = false;
    open_text(&reader, STR("\n ab\t\ncd"));

    assert_int_equal(reader_skip_space(&reader), 1);
    assert_true(str_eq_c(reader_token(&reader, &whole), "ab"));
    assert_true(whole);
    assert_int_equal(reader_tell(&reader), 2);
    reader_skip(&reader, 2);
    assert_int_equal(reader_skip_space(&reader), 1);
    assert_true(str_eq_c(reader_token(&reader, &whole), "cd"));
    assert_true(whole);
    reader_skip(&reader, 2);
    assert_true(reader_at_end(&reader));
    assert_int_equal(reader_skip_space(&reader), 0);
    assert_int_equal(reader_token(&reader, &whole).len, 0);
    assert_true(whole);
    close_text(&reader);
}

static void a_token_across_the_windows_end_is_whole(void **state) {
    (void)state;
    size_t bytes = READER_WINDOW_BYTES + 10;
    char *text = malloc(bytes);
    assert_non_null(text);
    memset(text, 'a', bytes);
    text[READER_WINDOW_BYTES - 4] = ' ';
    struct reader reader;
    bool whole = false;
    open_text(&reader, str_of(text, bytes));

    assert_int_equal(reader_token(&reader, &whole).len, READER_WINDOW_BYTES - 4);
    assert_true(whole);
    reader_skip(&reader, READER_WINDOW_BYTES - 4);
    (void)reader_skip_space(&reader);
    assert_int_equal(reader_token(&reader, &whole).len, 13);
    assert_true(whole);
    assert_int_equal(reader_tell(&reader), (int64_t)READER_WINDOW_BYTES - 3);
    close_text(&reader);
    free(text);
}

static void a_token_longer_than_the_window_comes_in_pieces(void **state) {
    (void)state;
    size_t bytes = READER_WINDOW_BYTES + 5;
    char *text = malloc(bytes);
    assert_non_null(text);
    memset(text, 'a', bytes);
    struct reader reader;
    bool whole = true;
    open_text(&reader, str_of(text, bytes));

    assert_int_equal(reader_token(&reader, &whole).len, READER_WINDOW_BYTES);
    assert_false(whole);
    reader_skip(&reader, READER_WINDOW_BYTES);
    assert_int_equal(reader_token(&reader, &whole).len, 5);
    assert_true(whole);
    close_text(&reader);
    free(text);
}

static void the_space_characters_are_those_of_c(void **state) {
    (void)state;
    for (int c = -128; c < 128; c++) {
        assert_int_equal(reader_is_space((char)c), c != 0 && strchr(" \t\n\v\f\r", c) != NULL);
    }
}

static void a_failed_read_is_told(void **state) {
    (void)state;
    struct reader reader;
    struct err err = {0};
    reader_init(&reader, 1000000); /* no such descriptor */

    assert_true(reader_at_end(&reader));
    assert_false(reader_ok(&reader, "the thing", &err));

    assert_int_equal(err.fault, FAULT_NODE);
    assert_non_null(strstr(err.text, "the thing"));
    reader_done(&reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_and_gaps_alternate),
        cmocka_unit_test(a_token_across_the_windows_end_is_whole),
        cmocka_unit_test(a_token_longer_than_the_window_comes_in_pieces),
        cmocka_unit_test(the_space_characters_are_those_of_c),
        cmocka_unit_test(a_failed_read_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
