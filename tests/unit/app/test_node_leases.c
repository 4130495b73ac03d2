/* All leases of a node end at once, and nobody else's. */
#include "app/app_fixture.h"
#include "app/news_internal.h"
#include "app/node_leases_internal.h"

static void only_the_nodes_own_leases_end(void **state) {
    struct fixture *f = *state;
    struct test_node a = make_node(f, "a", 3, NULL);
    struct test_node b = make_node(f, "b", 3, NULL);
    struct node_leases leases = {0};
    struct db *db = f->app->db;
    for (int i = 0; i < 5; i++) {
        (void)submit(f, 1);
    }
    assert_int_equal(claim(f, &a, 3).job_count, 3);
    assert_int_equal(claim(f, &b, 3).job_count, 2);

    news_reset(f->app);
    must(f, db_begin(db, &f->err));
    must(f, node_leases_hold(db, a.actor.node, f->arena, &leases, &f->err));
    assert_int_equal(leases.jobs.count, 3);
    assert_true(db_has_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, a.actor.node.value));
    must(f, node_leases_end(f->app, db, &leases, END_DISABLED, &f->err));
    must(f, db_commit(db, &f->err));

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 2);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 3);
    assert_int_equal(query(f, "SELECT max(attempts) FROM job WHERE state = 1"), 0);
}

static void a_node_that_is_not_there_is_said_so(void **state) {
    struct fixture *f = *state;
    struct node_leases leases = {0};
    struct db *db = f->app->db;

    must(f, db_begin(db, &f->err));
    assert_false(node_leases_hold(db, (struct node_id){55}, f->arena, &leases, &f->err));
    db_rollback(db);

    assert_string_equal(f->err.code, "no_judger");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(only_the_nodes_own_leases_end),
        APP_TEST(a_node_that_is_not_there_is_said_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
