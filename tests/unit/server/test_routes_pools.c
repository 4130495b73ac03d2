/* Pools, queues and host groups over HTTP. */
#include "node_fixture.h"

static void refused(struct reply reply, int status, const char *code) {
    expect_error(reply, status, code);
}

static struct reply pool_now(struct fixture *f, const struct person *admin, const char *name,
                             int64_t *ret_revision) {
    struct reply list = get(f, admin, "/api/v1/admin/pools");
    expect(list, 200);
    for (int i = 0; i < 20; i++) {
        if (reply_is(&list, arena_printf(f->arena, "items.%d.pool", i), name)) {
            *ret_revision = reply_i64(&list, arena_printf(f->arena, "items.%d.revision", i));
            return list;
        }
    }
    fail_msg("no pool %s", name);
    return list;
}

static void a_pool_is_taken_out_of_service_and_back(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    int64_t revision = 0;
    (void)pool_now(f, &admin, "cpp", &revision);

    struct reply held = send_json(f, &admin, "PATCH", "/api/v1/admin/pools/cpp",
                                  "{\"revision\":%lld,\"held\":true}", (long long)revision);
    struct reply stale = send_json(f, &admin, "PATCH", "/api/v1/admin/pools/cpp",
                                   "{\"revision\":%lld,\"held\":false}", (long long)revision);
    struct reply spec =
        send_json(f, &admin, "PATCH", "/api/v1/admin/pools/cpp",
                  "{\"revision\":%lld,\"runtimeSpec\":\"cpp-r3\"}", (long long)revision + 1);

    expect(held, 200);
    assert_true(reply_bool(&held, "held"));
    refused(stale, 409, "stale_revision");
    expect(spec, 200);
    assert_true(reply_is(&spec, "runtimeSpec", "cpp-r3"));
    assert_true(reply_bool(&spec, "held"));
    refused(send_json(f, &admin, "PATCH", "/api/v1/admin/pools/cobol", "{\"revision\":1}"), 404,
            "no_pool");
}

static void a_queue_is_held_by_its_id(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct reply list = get(f, &admin, "/api/v1/admin/pools");
    expect(list, 200);
    int64_t id = reply_i64(&list, "items.0.queues.0.id");
    const char *path = arena_printf(f->arena, "/api/v1/admin/queues/%lld", (long long)id);

    struct reply held = send_json(f, &admin, "PATCH", path, "{\"revision\":1,\"held\":true}");

    expect(held, 200);
    assert_true(reply_bool(&held, "queues.0.held"));
    refused(send_json(f, &admin, "PATCH", path, "{\"revision\":1,\"held\":true}"), 409,
            "stale_revision");
    refused(send_json(f, &admin, "PATCH", path, "{\"revision\":2}"), 400, "bad_field");
    refused(
        send_json(f, &admin, "PATCH", "/api/v1/admin/queues/999", "{\"revision\":1,\"held\":true}"),
        404, "no_queue");
}

static void what_is_offered_and_cannot_run_is_warned_of(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);

    struct reply list = get(f, &admin, "/api/v1/admin/pool-warnings");

    expect(list, 200);
    assert_true(reply_is(&list, "items.0.code", "no_node"));
}

static void host_groups_are_made_and_changed(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);

    struct reply made = send_json(f, &admin, "POST", "/api/v1/admin/host-groups",
                                  "{\"name\":\"rack-1\",\"slots\":4}");

    expect(made, 201);
    const char *path =
        arena_printf(f->arena, "/api/v1/admin/host-groups/%lld", (long long)reply_i64(&made, "id"));
    struct reply less = send_json(f, &admin, "PATCH", path, "{\"revision\":1,\"slots\":2}");
    expect(less, 200);
    assert_int_equal(reply_i64(&less, "slots"), 2);
    refused(send_json(f, &admin, "PATCH", path, "{\"revision\":1,\"slots\":3}"), 409,
            "stale_revision");
    refused(send_json(f, &admin, "POST", "/api/v1/admin/host-groups",
                      "{\"name\":\"rack-1\",\"slots\":4}"),
            409, "conflict_host_group_name");
    refused(send_json(f, &admin, "PATCH", "/api/v1/admin/host-groups/99",
                      "{\"revision\":1,\"slots\":3}"),
            404, "no_host_group");
    struct reply node = send_json(f, &admin, "POST", "/api/v1/admin/judgers",
                                  "{\"name\":\"n\",\"pool\":\"cpp\",\"slots\":2,"
                                  "\"hostGroup\":\"rack-1\"}");
    expect(node, 201);
    assert_true(reply_is(&node, "judger.hostGroup", "rack-1"));
    struct reply list = get(f, &admin, "/api/v1/admin/host-groups");
    expect(list, 200);
    assert_int_equal(reply_i64(&list, "items.0.nodes"), 1);
}

static void students_may_none_of_it(void **state) {
    struct fixture *f = *state;
    struct person student = new_person(f, "sue", ROLE_STUDENT);
    static const char *const paths[] = {"/api/v1/admin/pools", "/api/v1/admin/pool-warnings",
                                        "/api/v1/admin/host-groups"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        refused(get(f, &student, paths[i]), 403, "not_allowed");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_pool_is_taken_out_of_service_and_back),
        SERVER_TEST(a_queue_is_held_by_its_id),
        SERVER_TEST(what_is_offered_and_cannot_run_is_warned_of),
        SERVER_TEST(host_groups_are_made_and_changed),
        SERVER_TEST(students_may_none_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
