/* Jobs as administrators see and change them over HTTP. */
#include "node_fixture.h"

static void jobs_are_found_with_their_reason(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t problem = new_problem(f, "sum");
    int64_t id = submitted(f, &ann, problem);

    struct reply all = get(f, &admin, "/api/v1/admin/jobs");
    struct reply failed = get(f, &admin, "/api/v1/admin/jobs?jobState=FAILED");
    struct reply hers =
        get(f, &admin,
            arena_printf(f->arena, "/api/v1/admin/jobs?userId=%lld&language=cpp&held=false",
                         (long long)ann.id));

    expect(all, 200);
    assert_int_equal(reply_i64(&all, "items.0.submissionId"), id);
    assert_true(reply_is(&all, "items.0.state", "QUEUED"));
    assert_true(reply_is(&all, "items.0.reason.code", "no_node"));
    assert_true(reply_is(&all, "items.0.username", "ann"));
    expect(failed, 200);
    assert_int_equal(jr_count(reply_at(&failed, "items")), 0);
    expect(hers, 200);
    assert_int_equal(jr_count(reply_at(&hers, "items")), 1);
    struct reply odd = get(f, &admin, "/api/v1/admin/jobs?verdict=FINE");
    expect_error(odd, 400, "bad_parameter");
    struct reply ages = get(f, &admin, "/api/v1/admin/jobs?from=yesterday");
    expect_error(ages, 400, "bad_parameter");
    struct reply denied = get(f, &ann, "/api/v1/admin/jobs");
    expect_error(denied, 403, "not_allowed");
}

static void a_selection_is_held_and_released(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t problem = new_problem(f, "sum");
    int64_t id = submitted(f, &ann, problem);
    const char *path = arena_printf(f->arena, "/api/v1/submissions/%lld", (long long)id);

    struct reply held = send_json(f, &admin, "POST", "/api/v1/admin/jobs/changes",
                                  "{\"action\":\"HOLD\",\"reason\":\"new tests come\","
                                  "\"selection\":{\"problemId\":%lld}}",
                                  (long long)problem);

    expect(held, 200);
    assert_int_equal(reply_i64(&held, "changed"), 1);
    assert_true(reply_is_null(&held, "next"));
    struct reply shown = get(f, &ann, path);
    expect(shown, 200);
    assert_true(reply_is(&shown, "reason.code", "held"));
    assert_true(reply_is(&shown, "reason.detail", "new tests come"));
    struct reply again =
        send_json(f, &admin, "POST", "/api/v1/admin/jobs/changes",
                  "{\"action\":\"HOLD\",\"selection\":{\"submissionIds\":[%lld]}}", (long long)id);
    expect(again, 200);
    assert_int_equal(reply_i64(&again, "skippedCount"), 1);
    assert_true(reply_is(&again, "skipped.0.code", "job_held"));
    struct reply let_go = send_json(f, &admin, "POST", "/api/v1/admin/jobs/changes",
                                    "{\"action\":\"RELEASE\",\"selection\":{\"all\":true}}");
    expect(let_go, 200);
    assert_int_equal(reply_i64(&let_go, "changed"), 1);
}

static void waiting_ones_are_moved_to_a_spec_that_has_a_queue(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t id = submitted(f, &ann, new_problem(f, "sum"));

    struct reply moved = send_json(f, &admin, "POST", "/api/v1/admin/jobs/changes",
                                   "{\"action\":\"MOVE\",\"runtimeSpec\":\"cpp-r9\",\"selection\":"
                                   "{\"submissionIds\":[%lld]}}",
                                   (long long)id);

    expect(moved, 200);
    assert_true(reply_is(&moved, "skipped.0.code", "no_queue"));
}

static void a_change_that_makes_no_sense_is_refused(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    static const char *const bodies[] = {
        "{\"action\":\"EXPLODE\",\"selection\":{\"all\":true}}",
        "{\"action\":\"HOLD\",\"selection\":{}}",
        "{\"action\":\"MOVE\",\"selection\":{\"all\":true}}",
        "{\"action\":\"HOLD\",\"runtimeSpec\":\"cpp-r9\",\"selection\":{\"all\":true}}",
        "{\"action\":\"HOLD\",\"selection\":{\"verdict\":\"FINE\"}}",
        "{\"action\":\"HOLD\",\"selection\":{\"from\":\"noon\"}}",
        "{\"action\":\"HOLD\",\"selection\":{\"submissionIds\":[0]}}",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        struct reply reply =
            send_json(f, &admin, "POST", "/api/v1/admin/jobs/changes", "%s", bodies[i]);
        expect_error(reply, 400, "bad_field");
    }
    struct reply unknown = send_json(f, &admin, "POST", "/api/v1/admin/jobs/changes",
                                     "{\"action\":\"HOLD\",\"selection\":{\"colour\":1}}");
    expect_error(unknown, 400, "unknown_field");
}

static void a_submission_is_withdrawn_by_its_owner(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    struct person bob = new_person(f, "bob", ROLE_STUDENT);
    int64_t id = submitted(f, &ann, new_problem(f, "sum"));
    const char *path = arena_printf(f->arena, "/api/v1/submissions/%lld", (long long)id);
    const char *cancel = arena_printf(f->arena, "%s/cancel", path);

    struct reply other = send_json(f, &bob, "POST", cancel, "{}");
    struct reply mine = send_json(f, &ann, "POST", cancel, "{\"reason\":\"a typo\"}");
    struct reply twice = send_json(f, &ann, "POST", cancel, "{}");

    expect_error(other, 404, "no_submission");
    assert_int_equal(mine.status, 204);
    expect_error(twice, 409, "job_closed");
    struct reply shown = get(f, &ann, path);
    assert_true(reply_is(&shown, "verdict", "CANCELLED"));
}

static void a_submission_is_removed_by_an_administrator_alone(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t id = submitted(f, &ann, new_problem(f, "sum"));
    const char *path = arena_printf(f->arena, "/api/v1/submissions/%lld", (long long)id);
    struct ask ask = {.method = "DELETE", .path = path, .headers = ann.headers};

    struct reply denied = fixture_ask(f, &ask);
    ask.headers = admin.headers;
    struct reply done = fixture_ask(f, &ask);
    struct reply gone = fixture_ask(f, &ask);

    expect_error(denied, 403, "not_allowed");
    assert_int_equal(done.status, 204);
    expect_error(gone, 404, "no_submission");
    struct reply shown = get(f, &ann, path);
    expect_error(shown, 404, "no_submission");
}

static void all_judgings_are_shown(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t id = submitted(f, &ann, new_problem(f, "sum"));

    struct reply reply =
        get(f, &admin,
            arena_printf(f->arena, "/api/v1/admin/submissions/%lld/judgings", (long long)id));
    struct reply missing = get(f, &admin, "/api/v1/admin/submissions/98765/judgings");

    expect(reply, 200);
    assert_int_equal(reply_i64(&reply, "current.submissionId"), id);
    assert_int_equal(jr_count(reply_at(&reply, "judgings")), 1);
    assert_true(reply_bool(&reply, "judgings.0.current"));
    assert_false(reply_bool(&reply, "judgings.0.effective"));
    expect_error(missing, 404, "no_submission");
}

static void a_sound_server_reconciles(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    (void)submitted(f, &ann, new_problem(f, "sum"));

    struct reply good = send_json(f, &admin, "POST", "/api/v1/admin/reconcile", "{}");
    struct reply strict =
        send_json(f, &admin, "POST", "/api/v1/admin/reconcile", "{\"settled\":true}");

    expect(good, 200);
    assert_true(reply_bool(&good, "clean"));
    assert_int_equal(reply_i64(&good, "waiting"), 1);
    expect(strict, 200);
    assert_false(reply_bool(&strict, "clean"));
    assert_true(reply_is(&strict, "findings.0.rule", "X5"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(jobs_are_found_with_their_reason),
        SERVER_TEST(a_selection_is_held_and_released),
        SERVER_TEST(waiting_ones_are_moved_to_a_spec_that_has_a_queue),
        SERVER_TEST(a_change_that_makes_no_sense_is_refused),
        SERVER_TEST(a_submission_is_withdrawn_by_its_owner),
        SERVER_TEST(a_submission_is_removed_by_an_administrator_alone),
        SERVER_TEST(all_judgings_are_shown),
        SERVER_TEST(a_sound_server_reconciles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
