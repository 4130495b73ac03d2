/* Judge nodes as administrators see and change them over HTTP. */
#include "node_fixture.h"

static void a_node_is_registered_with_a_code_that_is_shown_once(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);

    struct reply reply = send_json(f, &admin, "POST", "/api/v1/admin/judgers",
                                   "{\"name\":\"n1\",\"pool\":\"cpp\",\"runtimeSpec\":\"cpp-r3\","
                                   "\"slots\":4}");

    expect(reply, 201);
    assert_true(reply_is(&reply, "judger.name", "n1"));
    assert_true(reply_is(&reply, "judger.pool", "cpp"));
    assert_true(reply_is(&reply, "judger.runtimeSpec", "cpp-r3"));
    assert_int_equal(reply_i64(&reply, "judger.slots"), 4);
    assert_true(reply_is(&reply, "judger.configState", "PENDING"));
    assert_true(reply_is(&reply, "judger.observedState", "NEVER_SEEN"));
    assert_true(reply_is_null(&reply, "judger.lastHeartbeatAt"));
    assert_true(reply_str(&reply, "joinCode").len >= 16);
    assert_int_equal(reply_str(&reply, "joinCodeExpiresAt").len, 24);
    struct reply list = get(f, &admin, "/api/v1/admin/judgers");
    expect(list, 200);
    assert_null(memmem(list.body.ptr, list.body.len, "joinCode", 8));
}

static void what_cannot_be_registered_is_refused(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    (void)node_registered(f, &admin, "taken");
    static const struct {
        const char *body;
        int status;
        const char *code;
    } rows[] = {
        {"{\"name\":\"taken\",\"pool\":\"cpp\",\"slots\":1}", 409, "conflict_judger_name"},
        {"{\"name\":\"\",\"pool\":\"cpp\",\"slots\":1}", 400, "bad_field"},
        {"{\"name\":\"n\",\"pool\":\"\",\"slots\":1}", 400, "bad_field"},
        {"{\"name\":\"n\",\"pool\":\"no-such-pool\",\"slots\":1}", 400, "bad_field"},
        {"{\"name\":\"n\",\"pool\":\"cpp\",\"slots\":0}", 400, "bad_field"},
        {"{\"name\":\"n\",\"pool\":\"cpp\",\"slots\":100000}", 400, "bad_field"},
        {"{\"name\":\"n\",\"pool\":\"cpp\"}", 400, "bad_field"},
        {"{\"name\":\"n\",\"pool\":\"cpp\",\"slots\":1,\"x\":1}", 400, "unknown_field"},
        {"{", 400, "bad_json"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct reply reply =
            send_json(f, &admin, "POST", "/api/v1/admin/judgers", "%s", rows[i].body);
        if (reply.status != rows[i].status) {
            fail_msg("%s: " STR_FMT, rows[i].body, STR_ARG(reply.body));
        }
        expect_error(reply, rows[i].status, rows[i].code);
    }
}

static void a_node_in_session_shows_its_languages_and_versions(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = new_node(f, &admin, "n1");

    struct reply reply =
        get(f, &admin, arena_printf(f->arena, "/api/v1/admin/judgers/%lld", (long long)node.id));

    expect(reply, 200);
    assert_true(reply_is(&reply, "configState", "ENABLED"));
    assert_true(reply_is(&reply, "observedState", "ONLINE"));
    assert_int_equal(reply_str(&reply, "lastHeartbeatAt").len, 24);
    assert_int_equal(reply_i64(&reply, "sessionEpoch"), node.epoch);
    assert_true(reply_is(&reply, "languages.0.id", "cpp"));
    assert_true(reply_is(&reply, "languages.0.version", "g++ 12.2.0"));
    assert_true(reply_is(&reply, "version", "0.1.0"));
    assert_true(reply_is_null(&reply, "message"));
}

static void a_silent_node_is_offline_with_the_reason(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = new_node(f, &admin, "n1");
    fixture_later(f, 31000);

    struct reply reply =
        get(f, &admin, arena_printf(f->arena, "/api/v1/admin/judgers/%lld", (long long)node.id));

    expect(reply, 200);
    assert_true(reply_is(&reply, "observedState", "OFFLINE"));
    assert_true(reply_str(&reply, "message").len > 0);
}

static void a_change_with_an_old_revision_is_refused(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = new_node(f, &admin, "n1");
    const char *path = arena_printf(f->arena, "/api/v1/admin/judgers/%lld", (long long)node.id);
    struct reply now = get(f, &admin, path);
    int64_t revision = reply_i64(&now, "revision");

    struct reply good = send_json(f, &admin, "PATCH", path,
                                  "{\"revision\":%lld,\"configState\":\"DRAINING\",\"slots\":1}",
                                  (long long)revision);
    struct reply stale =
        send_json(f, &admin, "PATCH", path, "{\"revision\":%lld,\"configState\":\"ENABLED\"}",
                  (long long)revision);

    expect(good, 200);
    assert_true(reply_is(&good, "configState", "DRAINING"));
    assert_int_equal(reply_i64(&good, "slots"), 1);
    assert_true(reply_i64(&good, "revision") > revision);
    expect_error(stale, 409, "stale_revision");
}

static void a_change_that_makes_no_sense_is_refused(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = new_node(f, &admin, "n1");
    const char *path = arena_printf(f->arena, "/api/v1/admin/judgers/%lld", (long long)node.id);
    static const char *const bodies[] = {"{\"configState\":\"ENABLED\"}",
                                         "{\"revision\":1,\"configState\":\"ON\"}",
                                         "{\"revision\":1,\"slots\":0}", "{\"revision\":0}"};
    for (size_t i = 0; i < 4; i++) {
        struct reply reply = send_json(f, &admin, "PATCH", path, "%s", bodies[i]);
        expect_error(reply, 400, "bad_field");
    }
    struct reply unknown =
        send_json(f, &admin, "PATCH", "/api/v1/admin/judgers/987654", "{\"revision\":1}");
    expect_error(unknown, 404, "no_judger");
    struct reply word = get(f, &admin, "/api/v1/admin/judgers/n1");
    expect_error(word, 404, "no_judger");
    struct reply missing = get(f, &admin, "/api/v1/admin/judgers/987654");
    expect_error(missing, 404, "no_judger");
}

static void a_node_that_has_proved_nothing_cannot_be_enabled(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = node_registered(f, &admin, "n1");

    struct reply silent = node_configure(f, &admin, &node, "ENABLED");
    node_joined(f, &node);
    struct reply session = node_session(f, &node, false);
    expect(session, 200);
    struct reply failed = node_configure(f, &admin, &node, "ENABLED");

    expect_error(silent, 409, "judger_not_ready");
    expect_error(failed, 409, "judger_not_ready");
    node_opened(f, &node);
    struct reply good = node_configure(f, &admin, &node, "ENABLED");
    expect(good, 200);
}

static void a_node_whose_self_test_failed_gets_no_work(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    struct fake_node node = new_node(f, &admin, "n1");
    struct reply session = node_session(f, &node, false);
    expect(session, 200);
    node.epoch = reply_i64(&session, "sessionEpoch");
    struct reply beat = node_beat(f, &node);
    expect(beat, 200);
    (void)submitted(f, &ann, new_problem(f, "sum"));

    struct reply claim = node_claim(f, &node, 1, 0);

    bool refused = claim.status == 403;
    assert_true(refused || (claim.status == 200 && jr_count(reply_at(&claim, "jobs")) == 0));
    struct reply shown =
        get(f, &admin, arena_printf(f->arena, "/api/v1/admin/judgers/%lld", (long long)node.id));
    assert_true(reply_str(&shown, "message").len > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_node_is_registered_with_a_code_that_is_shown_once),
        SERVER_TEST(what_cannot_be_registered_is_refused),
        SERVER_TEST(a_node_in_session_shows_its_languages_and_versions),
        SERVER_TEST(a_silent_node_is_offline_with_the_reason),
        SERVER_TEST(a_change_with_an_old_revision_is_refused),
        SERVER_TEST(a_change_that_makes_no_sense_is_refused),
        SERVER_TEST(a_node_that_has_proved_nothing_cannot_be_enabled),
        SERVER_TEST(a_node_whose_self_test_failed_gets_no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
