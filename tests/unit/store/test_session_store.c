/* Sign-in sessions. */
#include "store/session_store.h"

#include "store_fixture.h"

static const struct user_id ada = {7};

static struct session_row a_session(int64_t id, const char *secret) {
    return (struct session_row){
        .id = {id},
        .user = ada,
        .secret = digest_of(str_from(secret)),
        .created_ms = START_MS,
        .expires_ms = START_MS + 1000,
    };
}

static void begin_for(struct fixture *f, struct user_id user) {
    assert_true(db_begin(f->db, &f->err));
    assert_true(db_lock(f->db, LOCK_USER, LOCK_EXCLUSIVE, user.value, &f->err));
}

static void insert(struct fixture *f, const struct session_row *row) {
    begin_for(f, row->user);
    assert_true(session_store_insert(f->db, row, &f->err));
    assert_true(db_commit(f->db, &f->err));
}

static bool is_live(struct fixture *f, int64_t id) {
    struct session_row row;
    assert_true(session_store_find(f->db, (struct user_session_id){id}, &row, &f->err));
    return row.revoked_ms == 0;
}

static void a_session_is_found_by_its_secret_alone(void **state) {
    struct fixture *f = *state;
    struct session_row row = a_session(3, "secret");
    struct session_row found;
    struct digest right = digest_of(STR("secret"));
    struct digest wrong = digest_of(STR("Secret"));
    insert(f, &row);

    assert_true(session_store_find_secret(f->db, &right, &found, &f->err));
    assert_int_equal(found.id.value, 3);
    assert_int_equal(found.user.value, 7);
    assert_int_equal(found.expires_ms, START_MS + 1000);
    assert_int_equal(found.revoked_ms, 0);
    assert_true(digest_equal(&found.secret, &right));
    assert_false(session_store_find_secret(f->db, &wrong, &found, &f->err));

    assert_int_equal(f->err.kind, ERR_UNAUTHENTICATED);
    assert_string_equal(f->err.code, "no_session");
}

static void only_ones_own_session_can_be_revoked(void **state) {
    struct fixture *f = *state;
    struct session_row row = a_session(3, "secret");
    insert(f, &row);

    begin_for(f, (struct user_id){8});
    assert_true(session_store_revoke(f->db, (struct user_id){8}, row.id, START_MS, &f->err));
    assert_true(db_commit(f->db, &f->err));
    assert_true(is_live(f, 3));
    begin_for(f, ada);
    assert_true(session_store_revoke(f->db, ada, row.id, START_MS, &f->err));
    assert_true(db_commit(f->db, &f->err));

    assert_false(is_live(f, 3));
}

static void all_but_one_can_be_revoked(void **state) {
    struct fixture *f = *state;
    struct session_row rows[] = {a_session(1, "a"), a_session(2, "b"), a_session(3, "c"),
                                 a_session(4, "d")};
    rows[3].user = (struct user_id){8};
    for (size_t i = 0; i < 4; i++) {
        insert(f, &rows[i]);
    }

    begin_for(f, ada);
    assert_true(session_store_revoke_all(f->db, ada, rows[1].id, START_MS, &f->err));
    assert_true(db_commit(f->db, &f->err));

    assert_false(is_live(f, 1));
    assert_true(is_live(f, 2));
    assert_false(is_live(f, 3));
    assert_true(is_live(f, 4));
}

static void pruning_removes_what_is_over_and_what_is_too_much(void **state) {
    struct fixture *f = *state;
    struct session_row rows[] = {a_session(1, "a"), a_session(2, "b"), a_session(3, "c"),
                                 a_session(4, "d"), a_session(5, "e"), a_session(6, "f")};
    rows[3].expires_ms = START_MS;
    rows[4].revoked_ms = START_MS - 1;
    rows[5].user = (struct user_id){8};
    for (size_t i = 0; i < 6; i++) {
        insert(f, &rows[i]);
    }

    begin_for(f, ada);
    assert_true(session_store_prune(f->db, ada, 2, START_MS, &f->err));
    assert_true(db_commit(f->db, &f->err));

    assert_int_equal(fixture_i64(f, f->db, "SELECT COUNT(*) FROM user_session"), 3);
    assert_int_equal(fixture_i64(f, f->db, "SELECT MIN(id) FROM user_session"), 2);
    assert_true(is_live(f, 3));
    assert_true(is_live(f, 6));
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_session_is_found_by_its_secret_alone),
        WITH_DB(only_ones_own_session_can_be_revoked),
        WITH_DB(all_but_one_can_be_revoked),
        WITH_DB(pruning_removes_what_is_over_and_what_is_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
