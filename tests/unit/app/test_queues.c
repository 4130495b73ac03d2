/* Every language has a queue from the start. */
#include "app/app_fixture.h"
#include "app/queues_internal.h"
#include "store/queue_store.h"

static void each_pool_of_a_language_has_its_queue(void **state) {
    struct fixture *f = *state;
    for (size_t i = 0; i < language_count(f->languages); i++) {
        struct str pool = str_from(language_at(f->languages, i)->pool);

        const struct queue_info *queue = queues_of_pool(f->app, pool);

        assert_non_null(queue);
        assert_true(str_eq(queue->pool, pool));
        assert_true(str_eq_c(queue->runtime_spec, RUNTIME_SPEC_DEFAULT));
        assert_ptr_equal(queues_find(f->app, queue->id), queue);
    }
    assert_null(queues_of_pool(f->app, STR("fortran")));
    assert_null(queues_find(f->app, (struct queue_id){999}));
}

static void queues_keep_their_ids_over_a_restart(void **state) {
    struct fixture *f = *state;
    int64_t before = queues_of_pool(f->app, STR("cpp"))->id.value;
    const struct queue_info *all[QUEUES_MAX];
    int count = queues_all(f->app, all);

    app_close(take(f->app));
    open_app(f);

    assert_int_equal(queues_of_pool(f->app, STR("cpp"))->id.value, before);
    assert_int_equal(queues_all(f->app, all), count);
}

static void the_virtual_key_only_grows(void **state) {
    struct fixture *f = *state;
    struct queue_id id = queues_of_pool(f->app, STR("cpp"))->id;

    queues_advance(f->app, id, PRIORITY_PRACTICE, 5000);
    queues_advance(f->app, id, PRIORITY_PRACTICE, 3000);
    assert_int_equal(queues_virtual_key(f->app, id, PRIORITY_PRACTICE), 5000);
    assert_int_equal(queues_virtual_key(f->app, id, PRIORITY_REJUDGE), 0);

    assert_true(queues_persist(f->app));
    assert_false(queues_persist(f->app));
    assert_int_equal(query(f, "SELECT max(virtual_key) FROM queue_lane"), 5000);
    assert_int_equal(queues_virtual_key(f->app, (struct queue_id){999}, PRIORITY_EXAM), 0);
}

static void what_other_servers_have_claimed_is_learnt(void **state) {
    struct fixture *f = *state;
    struct queue_id id = queues_of_pool(f->app, STR("cpp"))->id;
    exec(f, "UPDATE queue_lane SET virtual_key = 70000 WHERE priority = 1");

    assert_false(queues_persist(f->app));

    assert_int_equal(queues_virtual_key(f->app, id, PRIORITY_PRACTICE), 70000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(each_pool_of_a_language_has_its_queue),
        APP_TEST_ON_DISK(queues_keep_their_ids_over_a_restart),
        APP_TEST(what_other_servers_have_claimed_is_learnt),
        APP_TEST(the_virtual_key_only_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
