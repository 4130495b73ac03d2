#include "data/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void durations_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {
        {"0", 0},          {"0s", 0},          {"500ms", 500},     {"15s", 15000},
        {"2m", 120000},    {"2min", 120000},   {"1h30m", 5400000}, {"7d", 604800000},
        {"1h1h", 7200000}, {"1m5s3ms", 65003},
    };
    static const char *const bad[] = {
        "",
        "15",
        "s",
        "15 s",
        "-1s",
        "1.5s",
        "15S",
        "15sec",
        "1h30",
        "00",
        "1s ",
        "999999999999d",
        "9223372036854775807ms1ms",
    };
    int64_t ms = -1;
    struct err err = {0};
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(duration_parse(str_from(good[i].text), &ms, &err));
        assert_int_equal(ms, good[i].ms);
    }
    ms = -1;
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(duration_parse(str_from(bad[i]), &ms, &err));
        assert_string_equal(err.code, "bad_duration");
        assert_int_equal(ms, -1);
    }
}

static void sizes_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {
        {"0", 0},
        {"123", 123},
        {"512B", 512},
        {"64KiB", 65536},
        {"256MiB", 268435456},
        {"2GiB", INT64_C(2147483648)},
        {"1TiB", INT64_C(1099511627776)},
    };
    static const char *const bad[] = {
        "",      "MiB", "64 KiB", "64KB",     "64MB",          "64k",
        "64kib", "-1",  "1.5GiB", "1MiB1KiB", "9999999999TiB",
    };
    int64_t bytes = -1;
    struct err err = {0};
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(size_parse(str_from(good[i].text), &bytes, &err));
        assert_int_equal(bytes, good[i].bytes);
    }
    bytes = -1;
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(size_parse(str_from(bad[i]), &bytes, &err));
        assert_string_equal(err.code, "bad_size");
        assert_int_equal(bytes, -1);
    }
}

static void what_is_written_reads_back(void **state) {
    (void)state;
    static const int64_t values[] = {0,       1,      999,     1000,          60000,
                                     90000,   65536,  3600000, 5400000,       86400000,
                                     1 << 20, 123456, 1 << 30, INT64_MAX - 1, INT64_MAX};
    for (size_t i = 0; i < COUNT(values); i++) {
        own_buf text;
        buf_init(&text, 100);
        int64_t back = -1;
        struct err err = {0};

        duration_append(&text, values[i]);
        assert_true(duration_parse(buf_str(&text), &back, &err));
        assert_int_equal(back, values[i]);

        buf_clear(&text);
        size_append(&text, values[i]);
        assert_true(size_parse(buf_str(&text), &back, &err));
        assert_int_equal(back, values[i]);
    }
}

static void the_largest_unit_that_fits_is_used(void **state) {
    (void)state;
    own_buf text;
    buf_init(&text, 100);

    duration_append(&text, 90000);
    buf_append_char(&text, ' ');
    duration_append(&text, 7200000);
    buf_append_char(&text, ' ');
    duration_append(&text, 0);
    buf_append_char(&text, ' ');
    size_append(&text, 1536);
    buf_append_char(&text, ' ');
    size_append(&text, INT64_C(1) << 31);

    assert_string_equal(buf_c(&text), "90s 2h 0ms 1536B 2GiB");
    assert_aborts((duration_append(&text, -1), 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_read),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(the_largest_unit_that_fits_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
