/* Keys that sign access tokens. */
#include "store/server_key_store.h"

#include "store_fixture.h"

static void insert(struct fixture *f, const char *kid, int64_t created_ms, int64_t accepted_ms) {
    struct server_key_row row = {
        .created_ms = created_ms,
        .signs_until_ms = accepted_ms - 10,
        .accepted_until_ms = accepted_ms,
    };
    (void)snprintf(row.key.kid, sizeof(row.key.kid), "%s", kid);
    memset(row.key.secret, kid[0], sizeof(row.key.secret));
    assert_true(db_begin(f->db, &f->err));
    assert_true(server_key_store_insert(f->db, &row, &f->err));
    assert_true(db_commit(f->db, &f->err));
}

static void keys_come_newest_first_while_they_are_accepted(void **state) {
    struct fixture *f = *state;
    struct server_key_row rows[SERVER_KEYS_MAX];
    int count = 0;
    insert(f, "old", 1, 100);
    insert(f, "new", 3, 300);
    insert(f, "mid", 2, 200);

    assert_true(server_key_store_list(f->db, 100, rows, &count, &f->err));

    assert_int_equal(count, 2);
    assert_string_equal(rows[0].key.kid, "new");
    assert_int_equal(rows[0].key.secret[31], 'n');
    assert_int_equal(rows[0].signs_until_ms, 290);
    assert_int_equal(rows[0].accepted_until_ms, 300);
    assert_string_equal(rows[1].key.kid, "mid");
}

static void expired_keys_are_deleted(void **state) {
    struct fixture *f = *state;
    insert(f, "old", 1, 100);
    insert(f, "new", 3, 300);

    assert_true(db_begin(f->db, &f->err));
    assert_true(server_key_store_delete_expired(f->db, 100, &f->err));
    assert_true(db_commit(f->db, &f->err));

    assert_int_equal(fixture_i64(f, f->db, "SELECT COUNT(*) FROM server_key"), 1);
}

static void no_more_keys_come_than_there_is_room_for(void **state) {
    struct fixture *f = *state;
    struct server_key_row rows[SERVER_KEYS_MAX];
    int count = 0;
    for (int i = 0; i < SERVER_KEYS_MAX + 3; i++) {
        char kid[8];
        (void)snprintf(kid, sizeof(kid), "k%d", i);
        insert(f, kid, i, 1000);
    }

    assert_true(server_key_store_list(f->db, 0, rows, &count, &f->err));

    assert_int_equal(count, SERVER_KEYS_MAX);
    assert_string_equal(rows[0].key.kid, "k18");
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(keys_come_newest_first_while_they_are_accepted),
        WITH_DB(expired_keys_are_deleted),
        WITH_DB(no_more_keys_come_than_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
