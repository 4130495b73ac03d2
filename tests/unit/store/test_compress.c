/* Bytes as rows hold them. */
#include "store/compress.h"

#include "base/limits.h"
#include "store_fixture.h"

#define LONG_BYTES 20000

/* Text that repeats itself. */
static struct str long_text(struct arena *arena) {
    char *text = arena_alloc(arena, LONG_BYTES);
    for (int i = 0; i < LONG_BYTES; i++) {
        text[i] = (char)('a' + i % 26);
    }
    return str_of(text, LONG_BYTES);
}

/* Bytes in which nothing repeats. */
static struct str noise(struct arena *arena, size_t len) {
    char *bytes = arena_alloc(arena, len);
    uint64_t x = 88172645463325252U;
    for (size_t i = 0; i < len; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        bytes[i] = (char)(x >> 32 & 0xff);
    }
    return str_of(bytes, len);
}

static void short_bytes_stay_as_they_are(void **state) {
    (void)state;
    own(arena) arena = arena_create(1 * MIB);
    struct str cases[] = {STR(""), STR("x"), str_of("a\0b", 3), STR("print(1)\n")};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str back = STR("untouched");
        struct err err = {0};

        struct packed packed = pack(cases[i], arena);

        assert_int_equal(packed.encoding, ENCODING_PLAIN);
        assert_int_equal(packed.bytes, cases[i].len);
        assert_true(str_eq(packed.content, cases[i]));
        assert_true(unpack(&packed, 100, arena, &back, &err));
        assert_true(str_eq(back, cases[i]));
    }
}

static void a_long_text_shrinks_and_comes_back(void **state) {
    (void)state;
    own(arena) arena = arena_create(1 * MIB);
    struct str text = long_text(arena);
    struct str back = {0};
    struct err err = {0};

    struct packed packed = pack(text, arena);

    assert_int_equal(packed.encoding, ENCODING_ZSTD);
    assert_int_equal(packed.bytes, LONG_BYTES);
    assert_true(packed.content.len < LONG_BYTES / 10);
    assert_true(unpack(&packed, LONG_BYTES, arena, &back, &err));
    assert_true(str_eq(back, text));
}

static void what_gains_nothing_stays_plain(void **state) {
    (void)state;
    own(arena) arena = arena_create(1 * MIB);
    struct str bytes = noise(arena, 4096);
    struct str back = {0};
    struct err err = {0};

    struct packed packed = pack(bytes, arena);

    assert_int_equal(packed.encoding, ENCODING_PLAIN);
    assert_ptr_equal(packed.content.ptr, bytes.ptr);
    assert_true(unpack(&packed, 4096, arena, &back, &err));
    assert_true(str_eq(back, bytes));
}

static void more_than_the_caller_allows_is_refused_unread(void **state) {
    (void)state;
    own(arena) arena = arena_create(1 * MIB);
    struct packed packed = pack(long_text(arena), arena);
    struct packed huge = {.encoding = ENCODING_ZSTD, .bytes = INT64_MAX, .content = STR("x")};
    struct packed negative = {.encoding = ENCODING_PLAIN, .bytes = -1};
    struct str back = {0};
    struct err err = {0};

    assert_false(unpack(&packed, LONG_BYTES - 1, arena, &back, &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_string_equal(err.code, "too_large");
    assert_non_null(strstr(err.text, "20000"));
    assert_false(unpack(&huge, LONG_BYTES, arena, &back, &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_false(unpack(&negative, LONG_BYTES, arena, &back, &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
}

static void a_damaged_row_is_told_from_a_good_one(void **state) {
    (void)state;
    own(arena) arena = arena_create(1 * MIB);
    struct packed good = pack(long_text(arena), arena);
    struct packed cut = good;
    cut.content.len--;
    struct packed less = good; /* says fewer bytes than it holds */
    less.bytes--;
    struct packed more = good;
    more.bytes++;
    struct packed no_frame = {ENCODING_ZSTD, 5, STR("hello")};
    struct packed empty = {ENCODING_ZSTD, 5, STR("")};
    struct packed short_plain = {ENCODING_PLAIN, 6, STR("hello")};
    struct packed rows[] = {cut, less, more, no_frame, empty, short_plain};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct str back = {0};
        struct err err = {0};

        assert_false(unpack(&rows[i], 1 * MIB, arena, &back, &err));

        assert_int_equal(err.kind, ERR_SYSTEM);
        assert_string_equal(err.code, "bad_row");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_bytes_stay_as_they_are),
        cmocka_unit_test(a_long_text_shrinks_and_comes_back),
        cmocka_unit_test(what_gains_nothing_stays_plain),
        cmocka_unit_test(more_than_the_caller_allows_is_refused_unread),
        cmocka_unit_test(a_damaged_row_is_told_from_a_good_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
