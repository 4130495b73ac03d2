#include "wire/machine_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char join_text[] =
    "{\"joinCode\":\"abc\",\"protocolVersion\":1,\"name\":\"n1\",\"version\":\"0.1.0\"}";

static void a_join_request_goes_both_ways(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    own_buf out = {0};
    buf_init(&out, MACHINE_MESSAGE_BYTES_MAX);
    struct machine_join join;
    struct err err = {0};

    assert_true(machine_join_decode(str_from(join_text), arena, &join, &err));
    assert_true(machine_join_encode(&join, &out, &err));

    assert_true(str_eq_c(join.join_code, "abc"));
    assert_int_equal(join.protocol, 1);
    assert_string_equal(buf_c(&out), join_text);
}

static void a_join_answer_goes_both_ways(void **state) {
    (void)state;
    static const char text[] = "{\"nodeId\":12,\"credential\":\"secret\",\"protocolVersion\":1,"
                               "\"serverTime\":\"2026-11-30T10:03:11.042Z\"}";
    own(arena) arena = arena_create(64 * KIB);
    own_buf out = {0};
    buf_init(&out, MACHINE_MESSAGE_BYTES_MAX);
    struct machine_join_answer answer;
    struct err err = {0};

    assert_true(machine_join_answer_decode(str_from(text), arena, &answer, &err));
    assert_true(machine_join_answer_encode(&answer, &out, &err));

    assert_int_equal(answer.node.value, 12);
    assert_string_equal(buf_c(&out), text);
}

static const char session_text[] =
    "{\"protocolVersion\":1,\"version\":\"0.1.0\","
    "\"languages\":[{\"id\":\"c\",\"version\":\"gcc 12\"},{\"id\":\"cpp\",\"version\":\"\"}],"
    "\"slots\":2,\"selfTest\":{\"passed\":true,\"detail\":\"\"},"
    "\"configDigest\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}";

static void a_session_request_goes_both_ways(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * KIB);
    own_buf out = {0};
    buf_init(&out, MACHINE_MESSAGE_BYTES_MAX);
    struct machine_session session;
    struct err err = {0};

    assert_true(machine_session_decode(str_from(session_text), arena, &session, &err));
    assert_true(machine_session_encode(&session, &out, &err));

    assert_int_equal(session.language_count, 2);
    assert_true(str_eq_c(session.languages[1].id, "cpp"));
    assert_true(session.self_test_passed);
    assert_string_equal(buf_c(&out), session_text);
}

static void a_session_answer_goes_both_ways(void **state) {
    (void)state;
    static const char text[] = "{\"sessionEpoch\":3,\"leaseMs\":60000,\"renewMs\":15000,"
                               "\"heartbeatMs\":10000,\"protocolVersion\":1}";
    own_buf out = {0};
    buf_init(&out, MACHINE_MESSAGE_BYTES_MAX);
    struct machine_session_answer answer;
    struct err err = {0};

    assert_true(machine_session_answer_decode(str_from(text), &answer, &err));
    assert_true(machine_session_answer_encode(&answer, &out, &err));

    assert_int_equal(answer.lease_ms, 60000);
    assert_string_equal(buf_c(&out), text);
}

static void a_heartbeat_and_its_answer_go_both_ways(void **state) {
    (void)state;
    static const char text[] = "{\"sessionEpoch\":3,\"busySlots\":1,\"loadPermille\":250}";
    static const char answer_text[] =
        "{\"sessionEpoch\":3,\"configState\":\"DRAINING\",\"slots\":2}";
    own_buf out = {0};
    buf_init(&out, MACHINE_MESSAGE_BYTES_MAX);
    struct machine_heartbeat beat;
    struct machine_heartbeat_answer answer;
    struct err err = {0};

    assert_true(machine_heartbeat_decode(str_from(text), &beat, &err));
    assert_true(machine_heartbeat_encode(&beat, &out, &err));
    assert_string_equal(buf_c(&out), text);
    buf_clear(&out);
    assert_true(machine_heartbeat_answer_decode(str_from(answer_text), &answer, &err));
    assert_true(machine_heartbeat_answer_encode(&answer, &out, &err));

    assert_int_equal(beat.load_permille, 250);
    assert_int_equal(answer.config, MACHINE_DRAINING);
    assert_string_equal(buf_c(&out), answer_text);
}

static void an_older_node_understands_a_newer_answer(void **state) {
    (void)state;
    struct machine_heartbeat_answer answer;
    struct err err = {0};

    assert_true(machine_heartbeat_answer_decode(
        STR("{\"sessionEpoch\":3,\"configState\":\"ENABLED\",\"slots\":2,\"new\":[1]}"), &answer,
        &err));

    assert_int_equal(answer.config, MACHINE_ENABLED);
}

enum message { JOIN, JOIN_ANSWER, SESSION, SESSION_ANSWER, BEAT, BEAT_ANSWER };

static bool decode(enum message message, struct str text, struct err *err) {
    own(arena) arena = arena_create(256 * KIB);
    struct machine_join join;
    struct machine_join_answer join_answer;
    struct machine_session session;
    struct machine_session_answer session_answer;
    struct machine_heartbeat beat;
    struct machine_heartbeat_answer beat_answer;
    switch (message) {
    case JOIN: return machine_join_decode(text, arena, &join, err);
    case JOIN_ANSWER: return machine_join_answer_decode(text, arena, &join_answer, err);
    case SESSION: return machine_session_decode(text, arena, &session, err);
    case SESSION_ANSWER: return machine_session_answer_decode(text, &session_answer, err);
    case BEAT: return machine_heartbeat_decode(text, &beat, err);
    case BEAT_ANSWER: return machine_heartbeat_answer_decode(text, &beat_answer, err);
    }
    return false;
}

static void nonsense_is_refused_by_name(void **state) {
    (void)state;
    static const struct {
        enum message message;
        const char *text;
        const char *code;
        const char *says;
    } rows[] = {
        {JOIN, "", "bad_json", "nothing"},
        {JOIN, "{", "bad_json", "line 1"},
        {JOIN, "{}", "missing_field", "joinCode"},
        {JOIN, "{\"joinCode\":\"\",\"protocolVersion\":1,\"name\":\"n\",\"version\":\"v\"}",
         "bad_field", "joinCode"},
        {JOIN, "{\"joinCode\":\"a\",\"protocolVersion\":0,\"name\":\"n\",\"version\":\"v\"}",
         "bad_field", "protocolVersion"},
        {JOIN,
         "{\"joinCode\":\"a\",\"protocolVersion\":1,\"name\":\"n\",\"version\":\"v\",\"x\":1}",
         "unknown_field", "x"},
        {JOIN,
         "{\"joinCode\":\"a\",\"protocolVersion\":1,\"version\":\"v\",\"name\":"
         "\"nnnnnnnnnnnnnnnnnnnn"
         "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\"}",
         "field_too_long", "name"},
        {JOIN_ANSWER,
         "{\"nodeId\":1,\"credential\":\"c\",\"protocolVersion\":1,\"serverTime\":\"now\"}",
         "bad_field", "serverTime"},
        {SESSION, "{\"protocolVersion\":1,\"version\":\"v\",\"languages\":[{\"id\":\"c\"}]}",
         "missing_field", "languages[0]"},
        {SESSION,
         "{\"protocolVersion\":1,\"version\":\"v\",\"languages\":[{\"id\":\"c\",\"version\":\"\","
         "\"more\":1}]}",
         "unknown_field", "more"},
        {SESSION, "{\"protocolVersion\":1,\"version\":\"v\",\"languages\":[],\"slots\":65}",
         "bad_field", "slots"},
        {SESSION, "{\"protocolVersion\":1,\"version\":\"v\",\"languages\":[],\"slots\":6}",
         "missing_field", "selfTest"},
        {SESSION,
         "{\"protocolVersion\":1,\"version\":\"v\",\"languages\":[],\"slots\":6,"
         "\"selfTest\":{\"passed\":\"yes\",\"detail\":\"\"}}",
         "bad_field", "passed"},
        {SESSION,
         "{\"protocolVersion\":1,\"version\":\"v\",\"languages\":[],\"slots\":6,"
         "\"selfTest\":{\"passed\":true,\"detail\":\"\"},\"configDigest\":\"12\"}",
         "bad_field", "configDigest"},
        {SESSION_ANSWER,
         "{\"sessionEpoch\":3,\"leaseMs\":0,\"renewMs\":1,\"heartbeatMs\":1,"
         "\"protocolVersion\":1}",
         "bad_field", "leaseMs"},
        {BEAT, "{\"sessionEpoch\":0,\"busySlots\":1,\"loadPermille\":250}", "bad_field",
         "sessionEpoch"},
        {BEAT, "{\"sessionEpoch\":9007199254740992,\"busySlots\":1,\"loadPermille\":250}",
         "bad_field", "sessionEpoch"},
        {BEAT, "{\"sessionEpoch\":1,\"busySlots\":-1,\"loadPermille\":250}", "bad_field",
         "busySlots"},
        {BEAT, "{\"sessionEpoch\":1,\"busySlots\":1,\"loadPermille\":2.5}", "bad_field",
         "loadPermille"},
        {BEAT_ANSWER, "{\"sessionEpoch\":3,\"configState\":\"SLEEPING\",\"slots\":2}", "bad_field",
         "SLEEPING"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct err err = {0};

        assert_false(decode(rows[i].message, str_from(rows[i].text), &err));

        assert_string_equal(err.code, rows[i].code);
        assert_non_null(strstr(err.text, rows[i].says));
    }
}

static void a_request_without_any_of_its_members_is_refused(void **state) {
    (void)state;
    static const struct {
        enum message message;
        const char *text;
    } rows[] = {{JOIN, join_text}, {SESSION, session_text}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct str text = str_from(rows[i].text);
        /* Spoiling any name makes one member unknown; nothing but the whole is accepted. */
        for (size_t at = 0; at + 1 < text.len; at++) {
            char copy[1024];
            struct err err = {0};
            memcpy(copy, text.ptr, text.len);
            bool ends_name = text.ptr[at] == '"' && text.ptr[at + 1] == ':';
            copy[at > 0 ? at - 1 : 0] = '~';

            assert_int_equal(ends_name && decode(rows[i].message, str_of(copy, text.len), &err), 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_join_request_goes_both_ways),
        cmocka_unit_test(a_join_answer_goes_both_ways),
        cmocka_unit_test(a_session_request_goes_both_ways),
        cmocka_unit_test(a_session_answer_goes_both_ways),
        cmocka_unit_test(a_heartbeat_and_its_answer_go_both_ways),
        cmocka_unit_test(an_older_node_understands_a_newer_answer),
        cmocka_unit_test(nonsense_is_refused_by_name),
        cmocka_unit_test(a_request_without_any_of_its_members_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
