/* The life of a node over HTTP: join, session, heartbeat. */
#include "node_fixture.h"

static void a_join_code_is_traded_once_for_a_credential(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = node_registered(f, &admin, "n1");

    struct reply reply = node_join(f, node.join_code);
    struct reply again = node_join(f, node.join_code);
    struct reply guess = node_join(f, "no-such-code");

    expect(reply, 200);
    assert_int_equal(reply_i64(&reply, "nodeId"), node.id);
    assert_int_equal(reply_i64(&reply, "protocolVersion"), 1);
    assert_true(reply_str(&reply, "credential").len >= 32);
    assert_int_equal(reply_str(&reply, "serverTime").len, 24);
    expect_error(again, 401, "bad_join_code");
    expect_error(guess, 401, "bad_join_code");
    assert_true(str_eq(reply_str(&again, "detail"), reply_str(&guess, "detail")));
}

static void a_join_code_is_over_after_ten_minutes(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = node_registered(f, &admin, "n1");
    fixture_later(f, 10 * 60 * 1000 + 1000);

    struct reply reply = node_join(f, node.join_code);

    expect_error(reply, 401, "bad_join_code");
}

static void another_protocol_is_refused_with_the_versions(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = node_registered(f, &admin, "n1");

    struct reply join = node_post(f, NULL, "join",
                                  "{\"joinCode\":\"%s\",\"protocolVersion\":99,\"name\":\"n\","
                                  "\"version\":\"9\"}",
                                  node.join_code);
    node_joined(f, &node); /* the code was not used up */
    struct reply session =
        node_post(f, &node, "session",
                  "{\"protocolVersion\":99,\"version\":\"9\",\"languages\":[],\"slots\":1,"
                  "\"selfTest\":{\"passed\":true,\"detail\":\"\"},\"configDigest\":\"%064d\"}",
                  1);

    expect_error(join, 409, "protocol_unsupported");
    expect_error(session, 409, "protocol_unsupported");
    assert_non_null(memmem(join.body.ptr, join.body.len, "99", 2));
}

static void a_session_gets_its_rhythm_and_each_next_one_a_greater_epoch(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = node_registered(f, &admin, "n1");
    node_joined(f, &node);

    struct reply first = node_session(f, &node, true);
    struct reply second = node_session(f, &node, true);

    expect(first, 200);
    expect(second, 200);
    assert_int_equal(reply_i64(&first, "leaseMs"), 60000);
    assert_int_equal(reply_i64(&first, "renewMs"), 15000);
    assert_int_equal(reply_i64(&first, "heartbeatMs"), 10000);
    assert_true(reply_i64(&second, "sessionEpoch") > reply_i64(&first, "sessionEpoch"));
}

static void a_superseded_session_is_told_so(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node old = new_node(f, &admin, "n1");
    struct fake_node fresh = old;
    node_opened(f, &fresh);

    struct reply beat = node_beat(f, &old);
    struct reply claim = node_claim(f, &old, 1, 0);
    struct reply good = node_beat(f, &fresh);

    expect_error(beat, 409, "session_superseded");
    expect_error(claim, 409, "session_superseded");
    expect(good, 200);
    assert_int_equal(reply_i64(&good, "sessionEpoch"), fresh.epoch);
    assert_true(reply_is(&good, "configState", "ENABLED"));
    assert_int_equal(reply_i64(&good, "slots"), 2);
}

static void a_credential_that_nobody_has_is_refused(void **state) {
    struct fixture *f = *state;
    struct fake_node stranger = {.headers = "Authorization: Bearer not-a-credential\r\n",
                                 .epoch = 1};
    static const char *const paths[] = {"session",       "heartbeat",     "jobs/claim",
                                        "jobs/renew",    "jobs/release",  "jobs/progress",
                                        "jobs/1/result", "jobs/1/failure"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct reply reply = node_post(f, &stranger, paths[i], "{}");
        expect_error(reply, 401, "bad_credential");
        struct reply nobody = node_post(f, NULL, paths[i], "{}");
        expect_error(nobody, 401, "bad_credential");
    }
}

static void a_disabled_node_may_do_nothing(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = new_node(f, &admin, "n1");

    struct reply disabled = node_configure(f, &admin, &node, "DISABLED");

    expect(disabled, 200);
    struct reply session = node_session(f, &node, true);
    struct reply beat = node_beat(f, &node);
    struct reply claim = node_claim(f, &node, 1, 0);
    expect_error(session, 403, "not_allowed");
    expect_error(beat, 403, "not_allowed");
    expect_error(claim, 403, "not_allowed");
}

static void a_message_that_is_not_right_is_refused_by_name(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = new_node(f, &admin, "n1");
    static const struct {
        const char *path, *body, *code;
    } rows[] = {
        {"join", "{", "bad_json"},
        {"join", "{\"joinCode\":\"x\"}", "bad_field"},
        {"session", "{\"protocolVersion\":1}", "bad_field"},
        {"session", "nothing", "bad_json"},
        {"heartbeat", "{\"sessionEpoch\":1,\"busySlots\":-1,\"loadPermille\":0}", "bad_field"},
        {"heartbeat", "{\"sessionEpoch\":1,\"busySlots\":0,\"loadPermille\":0,\"mood\":1}",
         "unknown_field"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct reply reply = node_post(f, &node, rows[i].path, "%s", rows[i].body);
        expect_error(reply, 400, rows[i].code);
    }
    struct reply type = fixture_ask(f, &(struct ask){.method = "POST",
                                                     .path = INTERNAL "heartbeat",
                                                     .headers = node.headers,
                                                     .type = "text/plain",
                                                     .body = STR("{}")});
    expect_error(type, 415, "wrong_content_type");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_join_code_is_traded_once_for_a_credential),
        SERVER_TEST(a_join_code_is_over_after_ten_minutes),
        SERVER_TEST(another_protocol_is_refused_with_the_versions),
        SERVER_TEST(a_session_gets_its_rhythm_and_each_next_one_a_greater_epoch),
        SERVER_TEST(a_superseded_session_is_told_so),
        SERVER_TEST(a_credential_that_nobody_has_is_refused),
        SERVER_TEST(a_disabled_node_may_do_nothing),
        SERVER_TEST(a_message_that_is_not_right_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
