/* Text at a terminal. */
#include "local/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What `print` wrote, in `out`. */
static void expect_cell(const char *text, int columns, const char *printed) {
    char out[200] = "";
    FILE *file = fmemopen(out, sizeof(out), "w");
    assert_non_null(file);
    terminal_cell(file, str_from(text), columns);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(out, printed);
}

static void cells_are_padded_by_columns(void **state) {
    (void)state;
    expect_cell("ab", 4, "ab  ");
    expect_cell("abcd", 2, "abcd");
    expect_cell("\xe4\xb8\xad", 4, "\xe4\xb8\xad  "); /* two columns wide */
    expect_cell("\xc3\xa9", 3, "\xc3\xa9  ");
    expect_cell("", 2, "  ");
}

static void nothing_drives_the_terminal(void **state) {
    (void)state;
    expect_cell("\x1b[31mred", 0, "?[31mred");
    expect_cell("a\nb\tc\rd", 0, "a?b?c?d");
    expect_cell("\xc2\x9b"
                "31m",
                0, "?31m"); /* the same sequence in one character */
    expect_cell("\xff\x80", 0, "??");
    expect_cell("\x7f", 0, "?");
}

static void line_ends_and_tabs_stay_in_longer_texts(void **state) {
    (void)state;
    char out[200] = "";
    FILE *file = fmemopen(out, sizeof(out), "w");
    assert_non_null(file);

    terminal_print(file, STR("a\n\tb\x1b\r"));

    assert_int_equal(fclose(file), 0);
    assert_string_equal(out, "a\n\tb??");
}

static void a_file_has_no_colours(void **state) {
    (void)state;
    char out[10];
    FILE *memory = fmemopen(out, sizeof(out), "w");
    assert_non_null(memory);

    assert_false(terminal_has_colours(memory));

    assert_string_equal(terminal_colour(false, VERDICT_ACCEPTED), "");
    assert_string_equal(terminal_plain(false), "");
    assert_string_not_equal(terminal_colour(true, VERDICT_ACCEPTED),
                            terminal_colour(true, VERDICT_WRONG_ANSWER));
    (void)fclose(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_padded_by_columns),
        cmocka_unit_test(nothing_drives_the_terminal),
        cmocka_unit_test(line_ends_and_tabs_stay_in_longer_texts),
        cmocka_unit_test(a_file_has_no_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
