#include "wire/machine_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char result_text[] =
    "{\"sessionEpoch\":3,\"passed\":false,\"speedPermille\":950,\"message\":\"cpp: memory\","
    "\"programs\":[{\"language\":\"cpp\",\"program\":\"memory\",\"passed\":false,"
    "\"outcome\":\"ACCEPTED\",\"cpuMs\":12}]}";

static void a_result_goes_both_ways(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    own_buf out = {0};
    buf_init(&out, MACHINE_CHECK_BYTES_MAX);
    struct machine_check_result result;
    struct err err = {0};

    assert_true(machine_check_result_decode(str_from(result_text), 9, arena, &result, &err));
    assert_true(machine_check_result_encode(&result, &out, &err));

    assert_int_equal(result.check, 9);
    assert_int_equal(result.program_count, 1);
    assert_int_equal(result.programs[0].cpu_ms, 12);
    assert_string_equal(buf_c(&out), result_text);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *code;
    } rows[] = {
        {"{}", "missing_field"},
        {"[]", "bad_field"},
        {"{\"sessionEpoch\":0,\"passed\":true,\"speedPermille\":0,\"message\":\"\","
         "\"programs\":[]}",
         "bad_field"},
        {"{\"sessionEpoch\":1,\"passed\":true,\"speedPermille\":-1,\"message\":\"\","
         "\"programs\":[]}",
         "bad_field"},
        {"{\"sessionEpoch\":1,\"passed\":true,\"speedPermille\":0,\"message\":\"\","
         "\"programs\":[{}]}",
         "missing_field"},
        {"{\"sessionEpoch\":1,\"passed\":true,\"speedPermille\":0,\"message\":\"\","
         "\"programs\":[],\"x\":1}",
         "unknown_field"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own(arena) arena = arena_create(64 * KIB);
        struct machine_check_result result;
        struct err err = {0};

        assert_false(machine_check_result_decode(str_from(rows[i].text), 9, arena, &result, &err));

        assert_string_equal(err.code, rows[i].code);
    }
}

static void the_nodes_word_goes_both_ways(void **state) {
    (void)state;
    static const char text[] = "{\"sessionEpoch\":3,\"reason\":\"5 failures\"}";
    own(arena) arena = arena_create(64 * KIB);
    own_buf out = {0};
    buf_init(&out, MACHINE_MESSAGE_BYTES_MAX);
    struct machine_out message;
    struct err err = {0};

    assert_true(machine_out_decode(str_from(text), arena, &message, &err));
    assert_true(machine_out_encode(&message, &out, &err));

    assert_string_equal(buf_c(&out), text);
    assert_false(
        machine_out_decode(STR("{\"sessionEpoch\":3,\"reason\":\"\"}"), arena, &message, &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_goes_both_ways),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(the_nodes_word_goes_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
