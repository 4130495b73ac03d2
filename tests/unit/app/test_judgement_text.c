/* A judgement is stored and comes back as it was. */
#include "app/judgement_text.h"
#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct judgement round_trip(const struct judgement *judgement, struct arena *arena) {
    own_buf text = {0};
    buf_init(&text, RESULT_BYTES_MAX);
    struct err err = {0};
    struct judgement read = {0};
    assert_true(judgement_write(judgement, &text, &err));
    assert_true(judgement_read(buf_str(&text), arena, &read, &err));
    return read;
}

static void everything_comes_back(void **state) {
    (void)state;
    own(arena) arena = arena_create((size_t)16 * MIB);
    struct case_result cases[2] = {
        {.index = 0,
         .name = STR("sample/1"),
         .sample = true,
         .verdict = VERDICT_ACCEPTED,
         .cpu_ms = 12,
         .wall_ms = 34,
         .memory_kib = 56,
         .score_micro = 78},
        {.index = 4,
         .name = STR("secret/\"x\""),
         .verdict = VERDICT_TIME_LIMIT_EXCEEDED,
         .cpu_ms = INT64_C(1) << 40,
         .twice = true,
         .other_cpu_ms = (INT64_C(1) << 40) + 1,
         .other_wall_ms = 9,
         .staff = STR("expected \"5\""),
         .message = STR("\xe8\xb6\x85\xe6\x97\xb6\n\"quoted\"")},
    };
    struct judgement judgement = {
        .verdict = VERDICT_TIME_LIMIT_EXCEEDED,
        .score_micro = 5,
        .cases_passed = 1,
        .cases_total = 9,
        .compile = {.ran = true,
                    .ok = true,
                    .cpu_ms = 1,
                    .wall_ms = 2,
                    .memory_kib = 3,
                    .log = STR("warning: x")},
        .cases = cases,
        .case_count = 2,
        .language = STR("cpp"),
        .language_version = STR("12.2"),
        .message = STR("m"),
    };

    struct judgement read = round_trip(&judgement, arena);

    assert_int_equal(read.verdict, judgement.verdict);
    assert_int_equal(read.score_micro, 5);
    assert_int_equal(read.cases_passed, 1);
    assert_int_equal(read.cases_total, 9);
    assert_true(read.compile.ran && read.compile.ok);
    assert_int_equal(read.compile.memory_kib, 3);
    assert_true(str_eq_c(read.compile.log, "warning: x"));
    assert_true(str_eq_c(read.language_version, "12.2"));
    assert_int_equal(read.case_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(read.cases[i].index, cases[i].index);
        assert_int_equal(read.cases[i].sample, cases[i].sample);
        assert_int_equal(read.cases[i].verdict, cases[i].verdict);
        assert_int_equal(read.cases[i].cpu_ms, cases[i].cpu_ms);
        assert_int_equal(read.cases[i].wall_ms, cases[i].wall_ms);
        assert_int_equal(read.cases[i].memory_kib, cases[i].memory_kib);
        assert_int_equal(read.cases[i].twice, cases[i].twice);
        assert_int_equal(read.cases[i].other_cpu_ms, cases[i].other_cpu_ms);
        assert_int_equal(read.cases[i].other_wall_ms, cases[i].other_wall_ms);
        assert_int_equal(read.cases[i].score_micro, cases[i].score_micro);
        assert_true(str_eq(read.cases[i].name, cases[i].name));
        assert_true(str_eq(read.cases[i].message, cases[i].message));
        assert_true(str_eq(read.cases[i].staff, cases[i].staff));
    }
}

static void a_nul_that_a_program_printed_makes_no_row_unreadable(void **state) {
    (void)state;
    own(arena) arena = arena_create((size_t)1 * MIB);
    struct case_result one = {
        .name = STR("a"), .verdict = VERDICT_WRONG_ANSWER, .message = {"a\0b", 3}};
    struct judgement judgement = {.cases = &one, .case_count = 1, .message = {"\0", 1}};

    struct judgement read = round_trip(&judgement, arena);

    assert_true(str_eq_c(read.cases[0].message, "a b"));
}

static void the_largest_problem_fits(void **state) {
    (void)state;
    own(arena) arena = arena_create((size_t)64 * MIB);
    struct case_result *cases = arena_array(arena, MANIFEST_CASES_MAX, sizeof cases[0]);
    for (int32_t i = 0; i < MANIFEST_CASES_MAX; i++) {
        cases[i] = (struct case_result){.index = i,
                                        .name = STR("secret/group/12345"),
                                        .verdict = VERDICT_ACCEPTED,
                                        .cpu_ms = 999999,
                                        .wall_ms = 999999,
                                        .memory_kib = 9999999};
    }
    struct judgement judgement = {.verdict = VERDICT_ACCEPTED,
                                  .cases_total = MANIFEST_CASES_MAX,
                                  .cases = cases,
                                  .case_count = MANIFEST_CASES_MAX};

    assert_int_equal(round_trip(&judgement, arena).case_count, MANIFEST_CASES_MAX);
}

static void what_is_not_ours_is_refused(void **state) {
    (void)state;
    static const char *const rows[] = {
        "",
        "{}",
        "[]",
        "nonsense",
        "{\"v\":2,\"verdict\":1,\"score\":0,\"passed\":0,\"total\":0,\"language\":\"\","
        "\"version\":\"\",\"message\":\"\",\"compile\":[0,0,0,0,0,\"\"],\"cases\":[]}",
        "{\"v\":1,\"verdict\":99,\"score\":0,\"passed\":0,\"total\":0,\"language\":\"\","
        "\"version\":\"\",\"message\":\"\",\"compile\":[0,0,0,0,0,\"\"],\"cases\":[]}",
        "{\"v\":1,\"verdict\":1,\"score\":0,\"passed\":0,\"total\":0,\"language\":\"\","
        "\"version\":\"\",\"message\":\"\",\"compile\":[0,0,0,0,0,\"\"],\"cases\":[[1]]}",
    };
    own(arena) arena = arena_create((size_t)16 * MIB);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct judgement read = {0};
        struct err err = {0};

        assert_false(judgement_read(str_from(rows[i]), arena, &read, &err));

        assert_int_equal(err.kind, ERR_SYSTEM);
        assert_string_equal(err.code, "bad_row");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(a_nul_that_a_program_printed_makes_no_row_unreadable),
        cmocka_unit_test(the_largest_problem_fits),
        cmocka_unit_test(what_is_not_ours_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
