#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"
#include "base/buf.h"
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void null_is_an_empty_text(void **state) {
    (void)state;
    assert_int_equal(str_from(NULL).len, 0);
    assert_non_null(str_from(NULL).ptr);
    assert_non_null(str_of(NULL, 0).ptr);
    assert_true(str_eq(str_from("abc"), STR("abc")));
}

static void comparing_looks_at_length_and_bytes(void **state) {
    (void)state;
    assert_true(str_eq(STR(""), STR("")));
    assert_true(str_eq(STR("a\0b"), STR("a\0b")));
    assert_false(str_eq(STR("a\0b"), STR("a\0c")));
    assert_false(str_eq(STR("ab"), STR("abc")));
    assert_true(str_eq_c(STR("ab"), "ab"));
    assert_false(str_eq_c(STR("ab\0"), "ab"));
    assert_true(str_eq_nocase(STR("Content-TYPE"), STR("content-type")));
    assert_false(str_eq_nocase(STR("\xc3\x84"), STR("\xc3\xa4"))); /* only ASCII letters */
    assert_false(str_eq_nocase(STR("[k]"), STR("{k}")));           /* 32 apart, but no letters */

    assert_true(str_cmp(STR("a"), STR("b")) < 0);
    assert_true(str_cmp(STR("ab"), STR("a")) > 0);
    assert_true(str_cmp(STR("\xff"), STR("a")) > 0);
    assert_int_equal(str_cmp(STR(""), STR("")), 0);

    assert_true(str_starts(STR("abc"), STR("ab")));
    assert_false(str_starts(STR("a"), STR("ab")));
    assert_true(str_ends(STR("abc"), STR("bc")));
    assert_true(str_ends(STR("abc"), STR("")));
    assert_false(str_ends(STR("c"), STR("bc")));
}

static void a_part_is_clamped_to_the_whole(void **state) {
    (void)state;
    assert_true(str_eq(str_sub(STR("abcd"), 1, 2), STR("bc")));
    assert_true(str_eq(str_sub(STR("abcd"), 3, 99), STR("d")));
    assert_true(str_eq(str_sub(STR("abcd"), 4, 1), STR("")));
    assert_true(str_eq(str_sub(STR("abcd"), SIZE_MAX, SIZE_MAX), STR("")));
    assert_true(str_eq(str_sub(STR("abcd"), 1, SIZE_MAX), STR("bcd")));
}

static void trimming_takes_ascii_white_space_only(void **state) {
    (void)state;
    assert_true(str_eq(str_trim(STR(" \t\r\n a b \v\f")), STR("a b")));
    assert_true(str_eq(str_trim(STR("   ")), STR("")));
    assert_true(str_eq(str_trim(STR("\xc2\xa0x")), STR("\xc2\xa0x")));
}

static void cutting_finds_the_first_or_the_last(void **state) {
    (void)state;
    struct str head;
    struct str tail;

    assert_true(str_cut(STR("a=b=c"), '=', &head, &tail));
    assert_true(str_eq(head, STR("a")) && str_eq(tail, STR("b=c")));
    assert_true(str_cut_last(STR("a=b=c"), '=', &head, &tail));
    assert_true(str_eq(head, STR("a=b")) && str_eq(tail, STR("c")));
    assert_false(str_cut(STR("abc"), '=', &head, &tail));
    assert_true(str_eq(head, STR("abc")) && str_eq(tail, STR("")));
    assert_false(str_cut_last(STR(""), '=', &head, &tail));
    assert_true(str_eq(head, STR("")) && str_eq(tail, STR("")));
    assert_true(str_cut(STR("="), '=', &head, &tail));
    assert_true(str_eq(head, STR("")) && str_eq(tail, STR("")));
}

static void lines_come_without_their_ends(void **state) {
    (void)state;
    struct str rest = STR("one\r\n\ntwo\rx\nlast");
    struct str line;
    static const char *const expected[] = {"one", "", "two\rx", "last"};

    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_true(str_next_line(&rest, &line));
        assert_true(str_eq_c(line, expected[i]));
    }
    assert_false(str_next_line(&rest, &line));

    rest = STR("x\n");
    assert_true(str_next_line(&rest, &line));
    assert_false(str_next_line(&rest, &line)); /* a last newline opens no further line */
}

static void words_are_runs_between_white_space(void **state) {
    (void)state;
    struct str rest = STR("  one\ttwo\n\nthree ");
    struct str word;
    static const char *const expected[] = {"one", "two", "three"};

    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_true(str_next_word(&rest, &word));
        assert_true(str_eq_c(word, expected[i]));
    }
    assert_false(str_next_word(&rest, &word));
    assert_false(str_next_word(&rest, &word));
}

static void whole_numbers_are_read_exactly(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        {"0", 0},
        {"-0", 0},
        {"007", 7},
        {"-12", -12},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
    };
    static const char *const bad[] = {
        "",
        "-",
        "+1",
        " 1",
        "1 ",
        "1a",
        "0x10",
        "1.0",
        "--1",
        "9223372036854775808",
        "-9223372036854775809",
        "99999999999999999999999",
        "1\n",
    };
    int64_t value = 5;
    struct err err = {0};
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(str_to_i64(str_from(good[i].text), INT64_MIN, INT64_MAX, &value, &err));
        assert_int_equal(value, good[i].value);
    }
    value = 5;
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(str_to_i64(str_from(bad[i]), INT64_MIN, INT64_MAX, &value, &err));
        assert_string_equal(err.code, "bad_number");
        assert_int_equal(err.kind, ERR_INVALID);
    }
    assert_int_equal(value, 5);
    assert_false(str_to_i64(STR("1\0"), 0, 9, &value, &err));
}

static void a_number_out_of_range_is_told_the_range(void **state) {
    (void)state;
    int64_t value = 0;
    struct err err = {0};

    assert_true(str_to_i64(STR("3"), 3, 3, &value, &err));
    assert_false(str_to_i64(STR("4"), 1, 3, &value, &err));

    assert_string_equal(err.text, "\"4\" is not a whole number from 1 to 3");
}

static void decimals_are_read_exactly(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int digits;
        int64_t value;
    } good[] = {
        {"1.25", 2, 125},
        {"1.25", 6, 1250000},
        {"0.000001", 6, 1},
        {"12", 3, 12000},
        {"1.500", 1, 15},
        {"2.000", 0, 2},
        {"007.5", 1, 75},
        {"0", 18, 0},
        {"0.1", 18, 100000000000000000},
        {"9223372036854775807", 0, INT64_MAX},
    };
    static const struct {
        const char *text;
        int digits;
    } bad[] = {
        {"", 2},     {".", 2},     {".5", 2},  {"1.", 2},  {"-1", 2},
        {"+1", 2},   {"1.256", 2}, {"1e3", 2}, {"1,5", 2}, {"1.5.0", 2},
        {" 1", 2},   {"1.00x", 0}, {"10", 18}, {"nan", 2}, {"9223372036854775808", 0},
        {"1.-5", 2},
    };
    int64_t value = 0;
    struct err err = {0};
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(str_to_scaled(str_from(good[i].text), good[i].digits, INT64_MAX, &value, &err));
        assert_int_equal(value, good[i].value);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(str_to_scaled(str_from(bad[i].text), bad[i].digits, INT64_MAX, &value, &err));
        assert_string_equal(err.code, "bad_number");
    }
    assert_false(str_to_scaled(STR("1.26"), 2, 125, &value, &err));
    assert_string_equal(err.text, "\"1.26\" is too large");
}

static void a_c_string_takes_no_nul_and_no_byte_too_many(void **state) {
    (void)state;
    char out[4] = "zzz";
    struct err err = {0};

    assert_false(str_to_c(STR("abcd"), out, sizeof(out), &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_false(str_to_c(STR("a\0"), out, sizeof(out), &err));
    assert_int_equal(err.kind, ERR_INVALID);
    assert_string_equal(out, "zzz");
    assert_true(str_to_c(STR("abc"), out, sizeof(out), &err));
    assert_string_equal(out, "abc");
    assert_true(str_to_c(STR(""), out, 1, &err));
    assert_string_equal(out, "");
    assert_false(str_to_c(STR(""), out, 0, &err));
}

static void only_well_formed_utf8_passes(void **state) {
    (void)state;
    static const char *const good[] = {
        "",
        "ascii",
        "\xc2\x80",
        "\xdf\xbf",
        "\xe0\xa0\x80",
        "\xed\x9f\xbf",
        "\xee\x80\x80",
        "\xef\xbf\xbf",
        "\xf0\x90\x80\x80",
        "\xf4\x8f\xbf\xbf",
    };
    static const char *const bad[] = {
        "\x80",             /* continuation without a start */
        "\xc0\x80",         /* overlong NUL */
        "\xc1\xbf",         /* overlong */
        "\xe0\x9f\xbf",     /* overlong */
        "\xf0\x8f\xbf\xbf", /* overlong */
        "\xed\xa0\x80",     /* surrogate */
        "\xed\xbf\xbf",     /* surrogate */
        "\xf4\x90\x80\x80", /* beyond U+10FFFF */
        "\xf5\x80\x80\x80",
        "\xfe",
        "\xff",
        "\xc3",
        "\xe2\x82",
        "\xf0\x9f\x98",
        "\xe2\x28\xa1",
        "\xf0\x9f\x28\x80",
        "a\xc3(",
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(str_is_utf8(str_from(good[i])));
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(str_is_utf8(str_from(bad[i])));
    }
    assert_true(str_is_utf8(STR("\0")));
    assert_int_equal(str_utf8_len(STR("\xe2\x82\xac!")), 3);
    assert_int_equal(str_utf8_len(STR("")), 0);
    assert_true(str_has_nul(STR("a\0b")));
    assert_false(str_has_nul(STR("")));
}

static void a_prefix_never_cuts_a_character(void **state) {
    (void)state;
    struct str text = STR("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z"); /* 1 + 2 + 3 + 4 + 1 */
    static const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};

    for (size_t max = 0; max < COUNT(expected); max++) {
        assert_int_equal(str_utf8_prefix(text, max).len, expected[max]);
    }
    assert_int_equal(str_utf8_prefix(STR("\x80\x80\x80\x80\x80"), 3).len, 3); /* no text anyway */
}

static void hex_goes_both_ways(void **state) {
    (void)state;
    const uint8_t bytes[] = {0x00, 0x9f, 0xff};
    char text[7] = {0};
    uint8_t back[3] = {0};

    hex_encode(bytes, 3, text);
    assert_string_equal(text, "009fff");
    assert_true(hex_decode(STR("009FfF"), back, 3));
    assert_memory_equal(back, bytes, 3);
}

static void broken_hex_leaves_the_output_alone(void **state) {
    (void)state;
    static const char *const bad[] = {"",       "0",       "00",     "00000",
                                      "00000g", "0000000", "0x0000", "00 00 "};
    uint8_t out[3] = {7, 7, 7};

    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(hex_decode(str_from(bad[i]), out, 3));
    }
    assert_int_equal(out[0] + out[1] + out[2], 21);
    assert_true(hex_decode(STR(""), out, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_an_empty_text),
        cmocka_unit_test(comparing_looks_at_length_and_bytes),
        cmocka_unit_test(a_part_is_clamped_to_the_whole),
        cmocka_unit_test(trimming_takes_ascii_white_space_only),
        cmocka_unit_test(cutting_finds_the_first_or_the_last),
        cmocka_unit_test(lines_come_without_their_ends),
        cmocka_unit_test(words_are_runs_between_white_space),
        cmocka_unit_test(whole_numbers_are_read_exactly),
        cmocka_unit_test(a_number_out_of_range_is_told_the_range),
        cmocka_unit_test(decimals_are_read_exactly),
        cmocka_unit_test(a_c_string_takes_no_nul_and_no_byte_too_many),
        cmocka_unit_test(only_well_formed_utf8_passes),
        cmocka_unit_test(a_prefix_never_cuts_a_character),
        cmocka_unit_test(hex_goes_both_ways),
        cmocka_unit_test(broken_hex_leaves_the_output_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
