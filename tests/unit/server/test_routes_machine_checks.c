/* A node's word about itself over HTTP. */
#include "node_fixture.h"

static void refused(struct reply reply, int status, const char *code) {
    expect_error(reply, status, code);
}

static void a_node_takes_itself_out(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = new_node(f, &admin, "n1");

    struct reply out =
        node_post(f, &node, "out-of-service", "{\"sessionEpoch\":%lld,\"reason\":\"no disk\"}",
                  (long long)node.epoch);

    expect(out, 200);
    struct reply now =
        get(f, &admin, arena_printf(f->arena, "/api/v1/admin/judgers/%lld", (long long)node.id));
    expect(now, 200);
    assert_non_null(memmem(now.body.ptr, now.body.len, "no disk", 7));
    assert_false(reply_bool(&now, "selfTestPassed"));
}

static void others_may_not(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = new_node(f, &admin, "n1");

    refused(node_post(f, NULL, "out-of-service", "{}"), 401, "bad_credential");
    refused(node_post(f, NULL, "checks/1/result", "{}"), 401, "bad_credential");
    refused(node_post(f, &node, "out-of-service", "{\"sessionEpoch\":%lld,\"reason\":\"x\"}",
                      (long long)node.epoch + 1),
            409, "session_superseded");
    refused(node_post(f, &node, "out-of-service", "{\"sessionEpoch\":1}"), 400, "bad_field");
    refused(node_post(f, &node, "checks/x/result", "{}"), 404, "no_check");
    refused(node_post(f, &node, "checks/1/result", "{}"), 400, "bad_field");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_node_takes_itself_out),
        SERVER_TEST(others_may_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
