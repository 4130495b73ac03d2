/* What a node tried and may not is found in its events. */
#include "app/app_fixture.h"
#include "app/refusal_internal.h"

static void a_refusal_says_who_what_and_why(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct err reason = {0};
    (void)err_set(&reason, ERR_CONFLICT, "lease_expired", "too late by %d ms", 5);
    struct refusal refusal = {.event = "result.refused",
                              .node = node.actor.node,
                              .job = {17},
                              .now_ms = START_MS,
                              .reason = &reason};

    must(f, db_begin(f->app->db, &f->err));
    must(f, refusal_record(f->app, f->app->db, &refusal, &f->err));
    must(f, db_commit(f->app->db, &f->err));

    assert_int_equal(query(f, "SELECT count(*) FROM node_event WHERE event = 'result.refused' AND "
                              "job_id = 17 AND detail = 'lease_expired: too late by 5 ms'"),
                     1);
}

int main(void) {
    const struct CMUnitTest tests[] = {APP_TEST(a_refusal_says_who_what_and_why)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
