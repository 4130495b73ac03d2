/* Ids are reserved before they are used, and never issued twice. */
#include "store/db_fault.h"
#include "store/id_block.h"
#include "store/store_fixture.h"

static void ids_start_at_one_and_ascend(void **state) {
    struct fixture *f = *state;
    own(id_blocks) blocks = id_blocks_create(1);

    assert_true(id_blocks_fill(blocks, f->db, &f->err));

    assert_int_equal(id_take(blocks, ID_JOB), 1);
    assert_int_equal(id_take(blocks, ID_JOB), 2);
    assert_int_equal(id_take(blocks, ID_SUBMISSION), 1);
}

static void a_crash_loses_ids_but_repeats_none(void **state) {
    struct fixture *f = *state;
    own(id_blocks) before = id_blocks_create(1);
    own(id_blocks) after = id_blocks_create(1);
    assert_true(id_blocks_fill(before, f->db, &f->err));
    int64_t last = 0;
    for (int i = 0; i < 100; i++) {
        last = id_take(before, ID_JOB);
    }

    assert_true(id_blocks_fill(after, f->db, &f->err));

    assert_true(id_take(after, ID_JOB) > last);
}

static void an_orderly_end_gives_the_rest_back(void **state) {
    struct fixture *f = *state;
    own(id_blocks) before = id_blocks_create(1);
    own(id_blocks) after = id_blocks_create(1);
    assert_true(id_blocks_fill(before, f->db, &f->err));
    assert_int_equal(id_take(before, ID_USER), 1);

    id_blocks_return(before, f->db);

    assert_true(id_blocks_fill(after, f->db, &f->err));
    assert_int_equal(id_take(after, ID_USER), 2);
}

static void the_rest_is_not_given_back_over_anothers_block(void **state) {
    struct fixture *f = *state;
    own(id_blocks) first = id_blocks_create(1);
    own(id_blocks) second = id_blocks_create(1);
    own(id_blocks) third = id_blocks_create(1);
    assert_true(id_blocks_fill(first, f->db, &f->err));
    assert_true(id_blocks_fill(second, f->db, &f->err));
    int64_t of_second = id_take(second, ID_JOB);

    id_blocks_return(first, f->db);

    assert_true(id_blocks_fill(third, f->db, &f->err));
    assert_true(id_take(third, ID_JOB) > of_second);
}

static void two_processes_never_get_the_same_id(void **state) {
    struct fixture *f = *state;
    struct id_blocks *blocks[2] = {id_blocks_create(1), id_blocks_create(1)};
    enum { TAKEN = 10000 };
    static int owner_of[4 * TAKEN];
    memset(owner_of, 0, sizeof owner_of);

    for (int i = 0; i < TAKEN; i++) {
        int who = i % 3 == 0 ? 1 : 0;
        assert_true(id_blocks_fill(blocks[who], f->db, &f->err));
        int64_t id = id_take(blocks[who], ID_JOB);
        assert_in_range(id, 1, 4 * TAKEN - 1);
        assert_int_equal(owner_of[id], 0);
        owner_of[id] = 1 + who;
    }
    id_blocks_free(blocks[0]);
    id_blocks_free(blocks[1]);
}

/* Each takes as many as it may between two fills. */
static void threads_of_a_process_share_their_blocks(void **state) {
    struct fixture *f = *state;
    own(id_blocks) blocks = id_blocks_create(2);
    int64_t last = 0;
    for (int round = 0; round < 10; round++) {
        assert_true(id_blocks_fill(blocks, f->db, &f->err));
        assert_true(id_blocks_fill(blocks, f->db, &f->err));
        for (int i = 0; i < 2 * ID_TAKE_MAX; i++) {
            int64_t id = id_take(blocks, ID_USER);
            assert_true(id > last);
            last = id;
        }
    }
}

static bool lose_the_acknowledgement(void *context, enum db_point point, const char *sql,
                                     struct err *err) {
    (void)context;
    (void)sql;
    return point != DB_POINT_COMMITTED || err_set(err, ERR_SYSTEM, "commit_unknown", "planted");
}

static void an_unknown_commit_uses_no_id(void **state) {
    struct fixture *f = *state;
    own(id_blocks) blocks = id_blocks_create(1);
    db_set_fault(f->db, lose_the_acknowledgement, NULL);
    assert_false(id_blocks_fill(blocks, f->db, &f->err));
    db_set_fault(f->db, NULL, NULL);

    assert_true(id_blocks_fill(blocks, f->db, &f->err));

    assert_true(id_take(blocks, ID_JOB) > 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(ids_start_at_one_and_ascend),
        TEST(a_crash_loses_ids_but_repeats_none),
        TEST(an_orderly_end_gives_the_rest_back),
        TEST(the_rest_is_not_given_back_over_anothers_block),
        TEST(two_processes_never_get_the_same_id),
        TEST(threads_of_a_process_share_their_blocks),
        TEST(an_unknown_commit_uses_no_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
