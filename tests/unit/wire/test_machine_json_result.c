#include "wire/machine_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DIGEST "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define HEAD "\"sessionEpoch\":3,\"leaseEpoch\":2,\"leaseToken\":\"00ff1234567890ab\""
#define RESULT                                                                                     \
    "{\"verdict\":\"ACCEPTED\",\"scoreMicro\":100000000,\"casesPassed\":0,\"casesTotal\":0,"       \
    "\"compile\":null,\"cases\":[],\"runtime\":{\"language\":\"c\",\"version\":\"}\\\",{\"},"      \
    "\"message\":null}"

static const struct job_id job = {381};

static void a_result_goes_both_ways(void **state) {
    (void)state;
    static const char text[] = "{" HEAD ",\"digest\":\"" DIGEST "\",\"result\":" RESULT "}";
    own(arena) arena = arena_create(4 * MIB);
    own_buf out = {0};
    buf_init(&out, MACHINE_RESULT_BYTES_MAX);
    struct machine_result result;
    struct judgement judgement;
    struct err err = {0};

    assert_true(machine_result_decode(str_from(text), job, arena, &result, &judgement, &err));
    assert_true(machine_result_encode(&result, &out, &err));

    assert_int_equal(result.lease.job.value, 381);
    assert_int_equal(result.lease.epoch, 2);
    assert_int_equal(judgement.verdict, VERDICT_ACCEPTED);
    assert_true(str_eq_c(judgement.language_version, "}\",{"));
    assert_string_equal(buf_c(&out), text);
}

static void the_bytes_of_a_result_are_taken_as_they_stand(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *bytes;
    } rows[] = {
        {"{" HEAD ",\"digest\":\"" DIGEST "\",\"result\":" RESULT "}", RESULT},
        {"{\"result\":" RESULT "," HEAD ",\"digest\":\"" DIGEST "\"}", RESULT},
        {" { \"result\" :\n " RESULT "\t, " HEAD " ,\"digest\":\"" DIGEST "\" } ", RESULT},
        {"{" HEAD ",\"digest\":\"" DIGEST "\",\"result\" : { \"message\" : null,"
         "\"verdict\":\"ACCEPTED\",\"scoreMicro\":1,\"casesPassed\":0,\"casesTotal\":0,"
         "\"compile\":null,\"cases\":[ ],\"runtime\":{\"language\":\"c\",\"version\":\"\"} }}",
         "{ \"message\" : null,\"verdict\":\"ACCEPTED\",\"scoreMicro\":1,\"casesPassed\":0,"
         "\"casesTotal\":0,\"compile\":null,\"cases\":[ ],"
         "\"runtime\":{\"language\":\"c\",\"version\":\"\"} }"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        own(arena) arena = arena_create(4 * MIB);
        struct machine_result result;
        struct judgement judgement;
        struct err err = {0};

        assert_true(
            machine_result_decode(str_from(rows[i].text), job, arena, &result, &judgement, &err));

        assert_true(str_eq_c(result.text, rows[i].bytes));
    }
}

static void a_failure_goes_both_ways(void **state) {
    (void)state;
    static const char text[] =
        "{" HEAD ",\"fault\":\"PROBLEM\",\"code\":\"checker_failed\",\"detail\":\"exit 3\"}";
    own(arena) arena = arena_create(64 * KIB);
    own_buf out = {0};
    buf_init(&out, MACHINE_MESSAGE_BYTES_MAX);
    struct machine_failure failure;
    struct err err = {0};

    assert_true(machine_failure_decode(str_from(text), job, arena, &failure, &err));
    assert_true(machine_failure_encode(&failure, &out, &err));

    assert_int_equal(failure.fault, FAULT_PROBLEM);
    assert_int_equal(failure.lease.job.value, 381);
    assert_string_equal(buf_c(&out), text);
}

static void a_long_detail_is_cut_so_that_the_failure_can_be_sent(void **state) {
    (void)state;
    static char detail[MACHINE_DETAIL_BYTES_MAX + 50];
    memset(detail, 'd', sizeof(detail));
    own(arena) arena = arena_create(64 * KIB);
    own_buf out = {0};
    buf_init(&out, MACHINE_MESSAGE_BYTES_MAX);
    struct machine_failure failure = {.session_epoch = 1,
                                      .lease = {.job = job, .epoch = 1, .token = 1},
                                      .fault = FAULT_NODE,
                                      .code = STR("box_failed"),
                                      .detail = str_of(detail, sizeof(detail))};
    struct machine_failure back;
    struct err err = {0};

    assert_true(machine_failure_encode(&failure, &out, &err));
    assert_true(machine_failure_decode(buf_str(&out), job, arena, &back, &err));

    assert_int_equal(back.detail.len, MACHINE_DETAIL_BYTES_MAX);
}

static void answers_go_both_ways(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        own_buf out = {0};
        buf_init(&out, MACHINE_MESSAGE_BYTES_MAX);
        struct machine_result_answer settled = {.already = i == 1};
        struct machine_failure_answer failed = {.failed = i == 1};
        struct machine_result_answer settled_back = {.already = i == 0};
        struct machine_failure_answer failed_back = {.failed = i == 0};
        struct err err = {0};

        assert_true(machine_result_answer_encode(&settled, &out, &err));
        assert_true(machine_result_answer_decode(buf_str(&out), &settled_back, &err));
        buf_clear(&out);
        assert_true(machine_failure_answer_encode(&failed, &out, &err));
        assert_true(machine_failure_answer_decode(buf_str(&out), &failed_back, &err));

        assert_int_equal(settled_back.already, i == 1);
        assert_int_equal(failed_back.failed, i == 1);
    }
}

static void nonsense_is_refused_by_name(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *code;
        const char *says;
    } rows[] = {
        {"{" HEAD ",\"digest\":\"" DIGEST "\"}", "missing_field", "result"},
        {"{" HEAD ",\"digest\":\"" DIGEST "\",\"result\":[]}", "bad_field", "result"},
        {"{" HEAD ",\"digest\":\"12\",\"result\":" RESULT "}", "bad_field", "digest"},
        {"{" HEAD ",\"digest\":\"" DIGEST "\",\"result\":" RESULT ",\"result\":" RESULT "}",
         "bad_json", "duplicate"},
        {"{" HEAD ",\"digest\":\"" DIGEST "\",\"\\u0072esult\":" RESULT "}", "bad_field",
         "escapes"},
        {"{" HEAD ",\"digest\":\"" DIGEST "\",\"result\":" RESULT ",\"more\":1}", "unknown_field",
         "more"},
        {"{" HEAD ",\"digest\":\"" DIGEST "\",\"result\":{\"verdict\":\"ACCEPTED\"}}",
         "missing_field", "result: "},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        own(arena) arena = arena_create(4 * MIB);
        struct machine_result result;
        struct judgement judgement;
        struct err err = {0};

        assert_false(
            machine_result_decode(str_from(rows[i].text), job, arena, &result, &judgement, &err));

        assert_string_equal(err.code, rows[i].code);
        assert_non_null(strstr(err.text, rows[i].says));
    }
}

static void a_fault_of_nobody_is_no_failure(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    struct machine_failure failure;
    struct machine_failure_answer answer;
    struct err err = {0};

    assert_false(
        machine_failure_decode(STR("{" HEAD ",\"fault\":\"NONE\",\"code\":\"x\",\"detail\":\"\"}"),
                               job, arena, &failure, &err));
    assert_string_equal(err.code, "bad_field");
    assert_false(machine_failure_answer_decode(STR("{\"answer\":\"SETTLED\"}"), &answer, &err));
    assert_string_equal(err.code, "bad_field");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_goes_both_ways),
        cmocka_unit_test(the_bytes_of_a_result_are_taken_as_they_stand),
        cmocka_unit_test(a_failure_goes_both_ways),
        cmocka_unit_test(a_long_detail_is_cut_so_that_the_failure_can_be_sent),
        cmocka_unit_test(answers_go_both_ways),
        cmocka_unit_test(nonsense_is_refused_by_name),
        cmocka_unit_test(a_fault_of_nobody_is_no_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
