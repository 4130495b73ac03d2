/* API tokens. */
#include "store/api_token_store.h"

#include "store_fixture.h"

static const struct user_id ada = {7};

static void begin_for(struct fixture *f, struct user_id user) {
    assert_true(db_begin(f->db, &f->err));
    assert_true(db_lock(f->db, LOCK_USER, LOCK_EXCLUSIVE, user.value, &f->err));
}

static void insert(struct fixture *f, int64_t id, const char *secret, int64_t expires_ms) {
    struct api_token_row row = {.id = {id},
                                .user = ada,
                                .name = STR("ci"),
                                .secret = digest_of(str_from(secret)),
                                .scope = TOKEN_READ,
                                .created_ms = START_MS,
                                .expires_ms = expires_ms};
    begin_for(f, ada);
    assert_true(api_token_store_insert(f->db, &row, &f->err));
    assert_true(db_commit(f->db, &f->err));
}

static int listed(struct fixture *f, struct arena *arena) {
    struct api_token_rows rows = {0};
    assert_true(api_token_store_list(f->db, ada, START_MS, arena, &rows, &f->err));
    return rows.count;
}

static void a_token_is_found_by_its_digest_alone(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create((size_t)64 * KIB);
    struct digest right = digest_of(STR("secret"));
    struct digest wrong = digest_of(STR("Secret"));
    struct api_token_row row = {0};
    bool found = false;
    insert(f, 3, "secret", START_MS + 5);

    assert_true(api_token_store_find(f->db, &right, arena, &row, &found, &f->err));
    assert_true(found);
    assert_int_equal(row.id.value, 3);
    assert_int_equal(row.user.value, 7);
    assert_int_equal(row.scope, TOKEN_READ);
    assert_int_equal(row.expires_ms, START_MS + 5);
    assert_true(str_eq_c(row.name, "ci"));
    assert_true(api_token_store_find(f->db, &wrong, arena, &row, &found, &f->err));
    assert_false(found);
    assert_int_equal(
        fixture_i64(f, f->db, "SELECT count(*) FROM api_token WHERE secret_digest = 'secret'"), 0);
}

static void revoked_and_expired_ones_are_not_listed_and_go(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create((size_t)512 * KIB);
    bool changed = false;
    insert(f, 1, "a", START_MS + 5);
    insert(f, 2, "b", START_MS + 5);
    insert(f, 3, "c", START_MS);
    assert_int_equal(listed(f, arena), 2);

    begin_for(f, ada);
    assert_true(
        api_token_store_revoke(f->db, ada, (struct api_token_id){1}, START_MS, &changed, &f->err));
    assert_true(changed);
    assert_true(
        api_token_store_revoke(f->db, ada, (struct api_token_id){1}, START_MS, &changed, &f->err));
    assert_false(changed);
    assert_true(api_token_store_prune(f->db, ada, START_MS, &f->err));
    assert_true(db_commit(f->db, &f->err));

    assert_int_equal(listed(f, arena), 1);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM api_token"), 1);
    begin_for(f, ada);
    assert_true(api_token_store_revoke_all(f->db, ada, START_MS, &f->err));
    assert_true(db_commit(f->db, &f->err));
    assert_int_equal(listed(f, arena), 0);
}

static void another_users_token_is_not_revoked(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create((size_t)512 * KIB);
    const struct user_id bob = {8};
    bool changed = true;
    insert(f, 1, "a", START_MS + 5);

    begin_for(f, bob);
    assert_true(
        api_token_store_revoke(f->db, bob, (struct api_token_id){1}, START_MS, &changed, &f->err));
    assert_true(db_commit(f->db, &f->err));

    assert_false(changed);
    assert_int_equal(listed(f, arena), 1);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_token_is_found_by_its_digest_alone),
        WITH_DB(revoked_and_expired_ones_are_not_listed_and_go),
        WITH_DB(another_users_token_is_not_revoked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
