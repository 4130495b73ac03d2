/* Judging anew over HTTP. */
#include "node_fixture.h"

#define PATH "/api/v1/admin/rejudgings"

/* The maintenance makes the items: waits for it as a page does. */
static struct reply wait_for(struct fixture *f, const struct person *admin, int64_t id,
                             const char *state) {
    const char *path = arena_printf(f->arena, PATH "/%lld", (long long)id);
    for (int i = 0; i < 400; i++) {
        struct reply now = get(f, admin, path);
        expect(now, 200);
        if (reply_is(&now, "state", state)) {
            return now;
        }
        clock_sleep_ms(&clock_real, 50);
    }
    fail_msg("never %s", state);
    return (struct reply){0};
}

static void a_rejudging_is_counted_made_and_followed(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t problem = new_problem(f, "sum");
    int64_t id = submitted(f, &ann, problem);

    struct reply count =
        send_json(f, &admin, "POST", PATH,
                  "{\"selection\":{\"problemId\":%lld},\"countOnly\":true}", (long long)problem);
    struct reply made = send_json(f, &admin, "POST", PATH,
                                  "{\"selection\":{\"problemId\":%lld},\"reason\":\"new tests\"}",
                                  (long long)problem);

    expect(count, 200);
    assert_int_equal(reply_i64(&count, "count"), 1);
    expect(made, 201);
    assert_true(reply_is(&made, "state", "CREATING"));
    assert_true(reply_is(&made, "createdBy", "eve"));
    int64_t rejudging = reply_i64(&made, "id");
    struct reply ready = wait_for(f, &admin, rejudging, "READY");
    assert_int_equal(reply_i64(&ready, "counts.skipped"), 1); /* it is being judged */
    struct reply items =
        get(f, &admin, arena_printf(f->arena, PATH "/%lld/items", (long long)rejudging));
    expect(items, 200);
    assert_int_equal(reply_i64(&items, "items.0.submissionId"), id);
    assert_true(reply_is(&items, "items.0.reason", "being_judged"));
    struct reply list = get(f, &admin, PATH);
    expect(list, 200);
    assert_int_equal(reply_i64(&list, "items.0.id"), rejudging);
    struct reply applied = send_json(
        f, &admin, "POST", arena_printf(f->arena, PATH "/%lld/apply", (long long)rejudging), "{}");
    expect(applied, 200);
    (void)wait_for(f, &admin, rejudging, "APPLIED");
    struct reply undone = send_json(
        f, &admin, "POST", arena_printf(f->arena, PATH "/%lld/undo", (long long)rejudging), "{}");
    expect(undone, 200);
    (void)wait_for(f, &admin, rejudging, "UNDONE");
    struct reply late = send_json(
        f, &admin, "POST", arena_printf(f->arena, PATH "/%lld/cancel", (long long)rejudging), "{}");
    expect_error(late, 409, "rejudging_not_ready");
}

static void one_that_is_being_judged_is_refused(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t id = submitted(f, &ann, new_problem(f, "sum"));
    const char *path =
        arena_printf(f->arena, "/api/v1/admin/submissions/%lld/rejudge", (long long)id);

    struct reply busy = send_json(f, &admin, "POST", path, "{}");
    expect_error(busy, 409, "submission_being_judged");
    struct reply gone =
        send_json(f, &admin, "POST", "/api/v1/admin/submissions/98765/rejudge", "{}");
    expect_error(gone, 404, "no_submission");
    struct reply cancel =
        send_json(f, &ann, "POST",
                  arena_printf(f->arena, "/api/v1/submissions/%lld/cancel", (long long)id), "{}");
    assert_int_equal(cancel.status, 204);
    struct reply made = send_json(f, &admin, "POST", path, "{\"reason\":\"asked\"}");

    expect(made, 201);
    assert_true(reply_bool(&made, "autoApply"));
}

static void what_makes_no_sense_is_refused(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    static const char *const bodies[] = {"{\"selection\":{}}", "{}",
                                         "{\"selection\":{\"held\":true}}",
                                         "{\"selection\":{\"all\":true},\"supersede\":1}"};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        struct reply reply = send_json(f, &admin, "POST", PATH, "%s", bodies[i]);
        expect_error(reply, 400, "bad_field");
    }
    struct reply missing = get(f, &admin, PATH "/77");
    expect_error(missing, 404, "no_rejudging");
    struct reply items = get(f, &admin, PATH "/77/items");
    expect_error(items, 404, "no_rejudging");
    struct reply filter = get(f, &admin, PATH "/77/items?change=MORE");
    expect_error(filter, 400, "bad_parameter");
    struct reply state_word = get(f, &admin, PATH "/77/items?state=MORE");
    expect_error(state_word, 400, "bad_parameter");
    struct reply denied = get(f, &ann, PATH);
    expect_error(denied, 403, "not_allowed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_rejudging_is_counted_made_and_followed),
        SERVER_TEST(one_that_is_being_judged_is_refused),
        SERVER_TEST(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
