/* What changes accounts, when things go wrong in between. */
#include "account_fixture.h"

#include "app/auth_internal.h"
#include "store/db_fault.h"

/* Fails at the chosen point, once. */
struct fault_plan {
    enum db_point point;
    const char *code; /* of the error */
    int left;
};

static bool fail_once(void *context, enum db_point point, const char *sql, struct err *err) {
    struct fault_plan *plan = context;
    (void)sql;
    if (point != plan->point || plan->left == 0) {
        return true;
    }
    plan->left--;
    return err_set(err, ERR_SYSTEM, plan->code, "planned");
}

static struct user_row row_of(struct fixture *f, struct user_id id) {
    own(db_reader) reader = NULL;
    struct user_row row;
    assert_true(db_pool_take(f->app->readers, &reader, &f->err));
    assert_true(user_store_find(reader->db, id, f->arena, &row, &f->err));
    return row;
}

static void a_session_is_refused_when_the_password_changed_meanwhile(void **state) {
    struct fixture *f = *state;
    struct session_make make = {
        .user = f->admin.user, .verified_hash = "the old one", .secret = digest_of(STR("s"))};
    struct user_session_id session;
    int64_t expires_ms = 0;

    assert_false(account_make_session(f->app, &make, &session, &expires_ms, &f->err));

    assert_string_equal(f->err.code, "bad_credentials");
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM user_session"), 0);
}

static void a_failed_commit_leaves_no_session(void **state) {
    struct fixture *f = *state;
    struct fault_plan plan = {.point = DB_POINT_COMMIT, .code = "planned", .left = 1};
    struct session_make make = {.user = f->admin.user,
                                .verified_hash = row_of(f, f->admin.user).password_hash.ptr,
                                .secret = digest_of(STR("s"))};
    struct user_session_id session;
    int64_t expires_ms = 0;
    db_set_fault(f->app->db, fail_once, &plan);

    assert_false(account_make_session(f->app, &make, &session, &expires_ms, &f->err));

    db_set_fault(f->app->db, NULL, NULL);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM user_session"), 0);
    assert_int_equal(plan.left, 0);
}

static void one_session_is_made(struct fixture *f, enum db_point point) {
    struct fault_plan plan = {.point = point, .code = "commit_unknown", .left = 1};
    struct session_make make = {.user = f->admin.user,
                                .verified_hash = row_of(f, f->admin.user).password_hash.ptr,
                                .secret = digest_of(STR("s"))};
    struct user_session_id session = {0};
    int64_t expires_ms = 0;
    db_set_fault(f->app->db, fail_once, &plan);

    assert_true(account_make_session(f->app, &make, &session, &expires_ms, &f->err));

    db_set_fault(f->app->db, NULL, NULL);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM user_session"), 1);
    assert_int_equal(fixture_i64(f, "SELECT id FROM user_session"), session.value);
    assert_int_equal(fixture_i64(f, "SELECT expires_ms FROM user_session"), expires_ms);
}

static void a_commit_whose_outcome_is_unknown_makes_one_session(void **state) {
    one_session_is_made(*state, DB_POINT_COMMITTED);
}

static void a_commit_that_was_lost_is_made_again(void **state) {
    one_session_is_made(*state, DB_POINT_COMMIT);
}

static void a_commit_whose_outcome_is_unknown_makes_one_user(void **state) {
    struct fixture *f = *state;
    struct fault_plan plan = {.point = DB_POINT_COMMITTED, .code = "commit_unknown", .left = 1};
    const struct user_row user = {.username = STR("ada"),
                                  .username_key = STR("ada"),
                                  .display_name = STR("Ada"),
                                  .role = ROLE_STUDENT,
                                  .password_hash = STR("hash")};
    struct user_row made;
    db_set_fault(f->app->db, fail_once, &plan);

    assert_true(account_create(f->app, &f->system, &user, f->arena, &made, &f->err));

    db_set_fault(f->app->db, NULL, NULL);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM `user` WHERE username = 'ada'"), 1);
    assert_int_equal(fixture_i64(f, "SELECT id FROM `user` WHERE username = 'ada'"), made.id.value);
}

static void a_password_is_changed_only_by_who_knew_the_last_one(void **state) {
    struct fixture *f = *state;
    struct password_change change = {.actor = &f->system,
                                     .user = f->admin.user,
                                     .verified_hash = "an older one",
                                     .fresh_hash = "fresh"};

    assert_false(account_change_password(f->app, &change, &f->err));
    assert_string_equal(f->err.code, "wrong_password");
    change.verified_hash = row_of(f, f->admin.user).password_hash.ptr;
    assert_true(account_change_password(f->app, &change, &f->err));
    /* Again, as after an unknown commit. */
    assert_true(account_change_password(f->app, &change, &f->err));

    assert_true(str_eq_c(row_of(f, f->admin.user).password_hash, "fresh"));
}

static void a_change_counts_the_revision(void **state) {
    struct fixture *f = *state;
    const struct str name = STR("Root");
    struct user_update_request request = {.id = f->admin.user, .display_name = &name};
    const struct account_update update = {.actor = &f->admin, .request = &request};
    struct user_row changed;

    assert_true(account_update(f->app, &update, f->arena, &changed, &f->err));

    assert_int_equal(changed.revision, 2);
    assert_int_equal(row_of(f, f->admin.user).revision, 2);
}

int main(void) {
#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_APP(a_session_is_refused_when_the_password_changed_meanwhile),
        WITH_APP(a_failed_commit_leaves_no_session),
        WITH_APP(a_commit_whose_outcome_is_unknown_makes_one_session),
        WITH_APP(a_commit_that_was_lost_is_made_again),
        WITH_APP(a_commit_whose_outcome_is_unknown_makes_one_user),
        WITH_APP(a_password_is_changed_only_by_who_knew_the_last_one),
        WITH_APP(a_change_counts_the_revision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
