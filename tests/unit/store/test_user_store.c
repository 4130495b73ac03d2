/* Accounts. */
#include "store/user_store.h"

#include "base/limits.h"
#include "store_fixture.h"

static struct user_row a_user(int64_t id, const char *name) {
    return (struct user_row){
        .id = {id},
        .username = str_from(name),
        .username_key = str_from(name),
        .display_name = STR("Someone"),
        .role = ROLE_STUDENT,
        .password_hash = STR("hash"),
        .revision = 1,
        .created_ms = START_MS,
        .password_changed_ms = START_MS,
    };
}

static void insert(struct fixture *f, const struct user_row *row) {
    assert_true(db_begin(f->db, &f->err));
    assert_true(user_store_insert(f->db, row, &f->err));
    assert_true(db_commit(f->db, &f->err));
}

static void a_user_is_found_by_id_and_by_folded_name(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct user_row row = a_user(7, "Ada");
    row.username_key = STR("ada");
    row.role = ROLE_TEACHER;
    struct user_row by_id;
    struct user_row by_name;
    insert(f, &row);

    assert_true(user_store_find(f->db, row.id, arena, &by_id, &f->err));
    assert_true(user_store_find_name(f->db, STR("ada"), arena, &by_name, &f->err));

    assert_true(str_eq_c(by_id.username, "Ada"));
    assert_int_equal(by_id.role, ROLE_TEACHER);
    assert_false(by_id.disabled);
    assert_true(str_eq_c(by_id.password_hash, "hash"));
    assert_int_equal(by_name.id.value, 7);
}

static void a_stranger_is_missing(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct user_row row;

    assert_false(user_store_find(f->db, (struct user_id){9}, arena, &row, &f->err));

    assert_int_equal(f->err.kind, ERR_MISSING);
    assert_string_equal(f->err.code, "no_user");
    assert_false(user_store_find_name(f->db, STR("nobody"), arena, &row, &f->err));
    assert_string_equal(f->err.code, "no_user");
}

static void a_folded_name_is_taken_once(void **state) {
    struct fixture *f = *state;
    struct user_row first = a_user(1, "ada");
    struct user_row second = a_user(2, "ADA");
    second.username_key = STR("ada");
    insert(f, &first);

    assert_true(db_begin(f->db, &f->err));
    assert_false(user_store_insert(f->db, &second, &f->err));

    assert_string_equal(f->err.code, "conflict_username");
    assert_non_null(strstr(f->err.text, "ADA"));
    db_rollback(f->db);
}

static void an_update_changes_what_may_change(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct user_row row = a_user(1, "ada");
    struct user_row found;
    insert(f, &row);
    row.display_name = STR("Countess");
    row.role = ROLE_ADMIN;
    row.disabled = true;
    row.password_hash = STR("other");
    row.password_changed_ms = START_MS + 5;

    assert_true(db_begin(f->db, &f->err));
    assert_true(db_lock(f->db, LOCK_USER, LOCK_EXCLUSIVE, 1, &f->err));
    assert_true(user_store_update(f->db, &row, &f->err));
    assert_true(db_commit(f->db, &f->err));

    assert_true(user_store_find(f->db, row.id, arena, &found, &f->err));
    assert_true(str_eq_c(found.display_name, "Countess"));
    assert_true(str_eq_c(found.password_hash, "other"));
    assert_int_equal(found.role, ROLE_ADMIN);
    assert_true(found.disabled);
    assert_int_equal(found.revision, 2);
    assert_int_equal(found.password_changed_ms, START_MS + 5);
    assert_int_equal(found.created_ms, START_MS);
}

static void users_come_in_pages_by_id(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(256 * KIB);
    struct user_rows rows = {0};
    for (int i = 1; i <= 5; i++) {
        struct user_row row = a_user(i * 10, arena_printf(arena, "user%d", i));
        insert(f, &row);
    }

    assert_true(user_store_page(f->db, (struct user_id){20}, 2, arena, &rows, &f->err));
    assert_int_equal(rows.count, 2);
    assert_int_equal(rows.items[0].id.value, 30);
    assert_int_equal(rows.items[1].id.value, 40);
    assert_true(user_store_page(f->db, (struct user_id){40}, 2, arena, &rows, &f->err));

    assert_int_equal(rows.count, 1);
    assert_int_equal(rows.items[0].id.value, 50);
}

static void administrators_are_those_who_can_sign_in(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(256 * KIB);
    struct user_id *ids = NULL;
    int count = 0;
    for (int i = 1; i <= 4; i++) {
        struct user_row row = a_user(i, arena_printf(arena, "user%d", i));
        row.role = i == 2 ? ROLE_TEACHER : ROLE_ADMIN;
        row.disabled = i == 3;
        insert(f, &row);
    }

    assert_true(user_store_admins(f->db, 10, arena, &ids, &count, &f->err));

    assert_int_equal(count, 2);
    assert_int_equal(ids[0].value, 1);
    assert_int_equal(ids[1].value, 4);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_user_is_found_by_id_and_by_folded_name),
        WITH_DB(a_stranger_is_missing),
        WITH_DB(a_folded_name_is_taken_once),
        WITH_DB(an_update_changes_what_may_change),
        WITH_DB(users_come_in_pages_by_id),
        WITH_DB(administrators_are_those_who_can_sign_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
