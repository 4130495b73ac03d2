/* Readers are lent, come back, and never exceed their number. */
#include "base/thread.h"
#include "store/db_pool.h"
#include "store/store_fixture.h"

static struct db_pool *pool_of(struct fixture *f, int readers_max) {
    struct db_options options = {.path = f->path, .mysql = test_db(), .clock = &f->clock.clock};
    return db_pool_create(&options, readers_max);
}

static void a_reader_that_came_back_is_lent_again(void **state) {
    struct fixture *f = *state;
    own(db_pool) pool = pool_of(f, 2);
    struct db_reader *first = NULL;
    own(db_reader) second = NULL;

    assert_true(db_pool_take(pool, &first, &f->err));
    struct db *db = first->db;
    assert_true(db_begin(db, &f->err));
    db_reader_release(first);
    assert_true(db_pool_take(pool, &second, &f->err));

    assert_ptr_equal(second->db, db);
    assert_true(db_begin(db, &f->err)); /* the snapshot left open was ended */
}

struct taker {
    struct db_pool *pool;
    int rounds;
};

static void *take_often(void *argument) {
    struct taker *taker = argument;
    struct err err = {0};
    for (int i = 0; i < taker->rounds; i++) {
        own(db_reader) reader = NULL;
        if (!db_pool_take(taker->pool, &reader, &err)) {
            return argument;
        }
        own(db_stmt) stmt = NULL;
        if (!db_prepare(reader->db, "SELECT count(*) FROM submission", &stmt, &err) ||
            db_step(stmt, &err) != DB_ROW) {
            return argument;
        }
    }
    return NULL;
}

static void more_threads_than_readers_wait_for_each_other(void **state) {
    struct fixture *f = *state;
    own(db_pool) pool = pool_of(f, 2);
    struct taker taker = {.pool = pool, .rounds = 200};
    pthread_t threads[6];

    for (int i = 0; i < 6; i++) {
        threads[i] = thread_start("taker", take_often, &taker);
    }

    for (int i = 0; i < 6; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
}

static void a_database_that_is_gone_is_an_error_and_no_leak(void **state) {
    struct fixture *f = *state;
    struct db_options options = {.path = "/nonexistent/x.db", .clock = &f->clock.clock};
    own(db_pool) pool = db_pool_create(&options, 1);
    struct db_reader *reader = NULL;

    assert_false(db_pool_take(pool, &reader, &f->err));
    assert_false(db_pool_take(pool, &reader, &f->err));

    assert_string_equal(f->err.code, "database_unavailable");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_reader_that_came_back_is_lent_again),
        TEST(more_threads_than_readers_wait_for_each_other),
        TEST(a_database_that_is_gone_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
