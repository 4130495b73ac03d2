#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_time_reads_back_as_it_was_written(void **state) {
    (void)state;
    static const int64_t times[] = {
        0, 1, 999, 1000, 951782400000, 951868799999, 1796033000042, -1, -86400000, 253402300799999,
    };

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        char text[CLOCK_RFC3339_BYTES];
        int64_t back = -5;
        clock_rfc3339(times[i], text);

        assert_true(clock_parse_rfc3339(str_from(text), &back));

        assert_int_equal(back, times[i]);
    }
}

static void seconds_have_up_to_nine_decimals(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } rows[] = {
        {"1970-01-01T00:00:01Z", 1000},
        {"1970-01-01T00:00:01.5Z", 1500},
        {"1970-01-01T00:00:01.123456789Z", 1123},
        {"2024-02-29T00:00:00Z", 1709164800000},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t ms = -5;

        assert_true(clock_parse_rfc3339(str_from(rows[i].text), &ms));

        assert_int_equal(ms, rows[i].ms);
    }
}

static void other_texts_are_no_time(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "Z",
        "1970-01-01",
        "1970-01-01T00:00:00",
        "1970-01-01T00:00:00+00:00",
        "1970-01-01t00:00:00Z",
        "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00.1234567890Z",
        "1970-01-01T00:00:00,5Z",
        "1970-13-01T00:00:00Z",
        "1970-00-01T00:00:00Z",
        "2023-02-29T00:00:00Z",
        "1970-04-31T00:00:00Z",
        "1970-01-00T00:00:00Z",
        "1970-01-01T24:00:00Z",
        "1970-01-01T00:60:00Z",
        "1970-01-01T00:00:60Z",
        "197x-01-01T00:00:00Z",
        "1970-01-01T00:00:00.5xZ",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        int64_t ms = -5;

        assert_false(clock_parse_rfc3339(str_from(texts[i]), &ms));

        assert_int_equal(ms, -5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_reads_back_as_it_was_written),
        cmocka_unit_test(seconds_have_up_to_nine_decimals),
        cmocka_unit_test(other_texts_are_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
