#include "wire/problem_json.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/limits.h"
#include "data/yaml.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void an_error_is_written_as_rfc_9457_says(void **state) {
    (void)state;
    const struct problem_field fields[] = {{STR("username"), STR("is empty")}};
    const struct problem_json problem = {.status = 400,
                                         .code = "bad_field",
                                         .detail = STR("field `username` is empty"),
                                         .trace_id = STR("trace_1_00000000"),
                                         .fields = fields,
                                         .field_count = 1};
    own_buf out = {0};
    buf_init(&out, 64 * KIB);
    struct err err = {0};

    assert_true(problem_encode(&problem, &out, &err));

    assert_string_equal(buf_c(&out),
                        "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,"
                        "\"detail\":\"field `username` is empty\",\"code\":\"bad_field\","
                        "\"traceId\":\"trace_1_00000000\","
                        "\"errors\":[{\"field\":\"username\",\"message\":\"is empty\"}]}");
}

static void an_error_without_fields_and_trace_has_no_such_members(void **state) {
    (void)state;
    const struct problem_json problem = {.status = 404, .code = "no_user", .detail = STR("gone")};
    own_buf out = {0};
    buf_init(&out, 64 * KIB);
    struct err err = {0};

    assert_true(problem_encode(&problem, &out, &err));

    assert_null(strstr(buf_c(&out), "errors"));
    assert_null(strstr(buf_c(&out), "traceId"));
}

static void an_error_survives_the_way_to_the_other_side(void **state) {
    (void)state;
    static const struct {
        enum err_kind kind;
        const char *code;
        int status;
    } rows[] = {
        {ERR_INVALID, "bad_field", 400},
        {ERR_UNAUTHENTICATED, "no_session", 401},
        {ERR_DENIED, "not_allowed", 403},
        {ERR_MISSING, "no_job", 404},
        {ERR_CONFLICT, "lease_expired", 409},
        {ERR_STALE, "stale_revision", 409},
        {ERR_TOO_LARGE, "too_large", 413},
        {ERR_INVALID, "wrong_content_type", 415},
        {ERR_INVALID, "method_not_allowed", 405},
        {ERR_INVALID, "idempotency_mismatch", 422},
        {ERR_LIMITED, "too_many_attempts", 429},
        {ERR_BUSY, "busy", 503},
        {ERR_SYSTEM, "internal", 500},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct err sent = {0};
        struct err heard = {0};
        struct err err = {0};
        own_buf out = {0};
        buf_init(&out, 64 * KIB);
        (void)err_set(&sent, rows[i].kind, rows[i].code, "why %zu", i);
        int status = problem_status(&sent);
        const struct problem_json problem = {
            .status = status, .code = sent.code, .detail = str_from(sent.text)};

        assert_true(problem_encode(&problem, &out, &err));
        problem_decode(status, buf_str(&out), &heard);

        assert_int_equal(status, rows[i].status);
        assert_int_equal(heard.kind, rows[i].kind);
        assert_string_equal(heard.code, rows[i].code);
        assert_string_equal(heard.text, sent.text);
    }
}

static void whatever_a_server_answers_becomes_an_error(void **state) {
    (void)state;
    static const struct {
        int status;
        const char *body;
        enum err_kind kind;
        const char *says;
    } rows[] = {
        {502, "<html>nginx</html>", ERR_BUSY, "502 Bad Gateway"},
        {504, "", ERR_BUSY, "504"},
        {500, "{\"code\":7}", ERR_SYSTEM, "500"},
        {418, "{}", ERR_INVALID, "418"},
        {599, "[]", ERR_SYSTEM, "599"},
        {409, "{\"code\":\"new_code\",\"detail\":\"because\"}", ERR_CONFLICT, "because"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct err heard = {0};

        problem_decode(rows[i].status, str_from(rows[i].body), &heard);

        assert_int_equal(heard.kind, rows[i].kind);
        assert_string_equal(heard.code, "server_error");
        assert_non_null(strstr(heard.text, rows[i].says));
    }
}

static void a_long_detail_is_cut_at_a_whole_character(void **state) {
    (void)state;
    own_buf body = {0};
    buf_init(&body, 64 * KIB);
    buf_append_c(&body, "{\"code\":\"busy\",\"detail\":\"");
    for (int i = 0; i < 200; i++) {
        buf_append_c(&body, "\xe4\xbd\xa0");
    }
    buf_append_c(&body, "\"}");
    struct err heard = {0};

    problem_decode(503, buf_str(&body), &heard);

    assert_int_equal(heard.kind, ERR_BUSY);
    assert_true(str_is_utf8(str_from(heard.text)));
    assert_in_range(strlen(heard.text), 240, 255);
}

static void codes_of_modules_are_shown_by_their_public_name(void **state) {
    (void)state;
    static const struct {
        enum err_kind kind;
        const char *code;
        const char *shown;
        int status;
    } rows[] = {
        {ERR_INVALID, "missing_field", "bad_field", 400},
        {ERR_TOO_LARGE, "field_too_long", "bad_field", 400},
        {ERR_INVALID, "bad_yaml", "bad_package", 422},
        {ERR_INVALID, "unsupported_package", "bad_package", 422},
        {ERR_INVALID, "digest_mismatch", "digest_conflict", 409},
        {ERR_TOO_LARGE, "package_too_large", "too_large", 413},
        {ERR_SYSTEM, "database_failed", "internal", 500},
        {ERR_BUSY, "database_busy", "busy", 503},
        {ERR_MISSING, "no_blob", "not_found", 404},
        {ERR_CONFLICT, "lease_expired", "lease_expired", 409},
        {ERR_CONFLICT, "something_new", "something_new", 409},
        {ERR_LIMITED, "too_many_attempts", "too_many_attempts", 429},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct err err = {0};
        (void)err_set(&err, rows[i].kind, rows[i].code, "text");

        assert_string_equal(problem_code(&err), rows[i].shown);
        assert_int_equal(problem_status(&err), rows[i].status);
    }
}

static void every_documented_code_is_known_with_its_status(void **state) {
    (void)state;
    own(arena) arena = arena_create(2 * YR_ARENA_BYTES);
    own_buf text = {0};
    buf_init(&text, YAML_BYTES_MAX);
    const struct yaml *root = NULL;
    struct err err = {0};
    const char *path = arena_printf(arena, "%s/docs/api/errors.yaml", getenv("ASSIZE_SOURCE_ROOT"));
    assert_true(file_load(path, YAML_BYTES_MAX, &text, &err));
    assert_true(yr_parse(arena, "errors.yaml", buf_str(&text), &root, &err));

    for (YR_EACH(row, root)) {
        int64_t status = 0;
        struct err heard = {0};
        const struct yaml *member = yr_get(row, "status");
        assert_non_null(member);
        assert_true(yr_i64(member, 400, 599, &status, &err));
        const char *body =
            arena_printf(arena, "{\"code\":\"" STR_FMT "\",\"detail\":\"d\"}", STR_ARG(row->key));

        problem_decode((int)status, str_from(body), &heard);

        assert_true(str_eq_c(row->key, heard.code));
        assert_int_equal(problem_status(&heard), status);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_is_written_as_rfc_9457_says),
        cmocka_unit_test(an_error_without_fields_and_trace_has_no_such_members),
        cmocka_unit_test(an_error_survives_the_way_to_the_other_side),
        cmocka_unit_test(whatever_a_server_answers_becomes_an_error),
        cmocka_unit_test(a_long_detail_is_cut_at_a_whole_character),
        cmocka_unit_test(codes_of_modules_are_shown_by_their_public_name),
        cmocka_unit_test(every_documented_code_is_known_with_its_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
