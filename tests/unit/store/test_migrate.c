/* Migrations: once each, in order, and never on a database that somebody else has changed. */
#include "store/store_fixture.h"

static const struct migration two[] = {
    {"20260101T0000_one", "CREATE TABLE one (id @i64 NOT NULL, PRIMARY KEY (id)) @table;"},
    {"20260102T0000_two", "CREATE TABLE two (id @i64 NOT NULL, PRIMARY KEY (id)) @table;"},
    {0},
};

static void the_programs_own_migrations_apply_once(void **state) {
    struct fixture *f = *state;
    int first = 0;
    int again = -1;

    assert_true(migrate(f->db, migrations, &first, &f->err));
    assert_true(migrate(f->db, migrations, &again, &f->err));

    assert_true(first >= 3);
    assert_int_equal(again, 0);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM schema_migration"), first);
    assert_int_equal(fixture_i64(f, f->db, "SELECT min(applied_ms) FROM schema_migration"),
                     START_MS);
}

static void every_table_is_strict(void **state) {
    struct fixture *f = *state;
    int applied = 0;
    if (db_dialect(f->db) != DIALECT_SQLITE) {
        skip();
    }
    assert_true(migrate(f->db, migrations, &applied, &f->err));

    assert_int_equal(fixture_i64(f, f->db,
                                 "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' "
                                 "AND type = 'table' AND name NOT LIKE 'sqlite%' AND strict = 0"),
                     0);
}

static void names_ascend_and_say_when(void **state) {
    (void)state;
    for (int i = 0; migrations[i].name != NULL; i++) {
        assert_true(strlen(migrations[i].name) > strlen("20261130T1000_"));
        assert_int_equal(migrations[i].name[8], 'T');
        assert_true(i == 0 || strcmp(migrations[i - 1].name, migrations[i].name) < 0);
    }
}

static void one_that_was_merged_late_is_applied_too(void **state) {
    struct fixture *f = *state;
    int applied = 0;
    assert_true(migrate(f->db, &two[1], &applied, &f->err));

    assert_true(migrate(f->db, two, &applied, &f->err));

    assert_int_equal(applied, 1);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM one"), 0);
}

static void the_version_before_still_starts_when_the_newer_one_only_added(void **state) {
    struct fixture *f = *state;
    const struct migration older[] = {two[0], {0}};
    int applied = -1;
    assert_true(migrate(f->db, two, &applied, &f->err));

    assert_true(migrate(f->db, older, &applied, &f->err));

    assert_int_equal(applied, 0);
}

static void a_version_before_what_was_taken_away_is_refused(void **state) {
    struct fixture *f = *state;
    const struct migration newer[] = {
        two[0], {"20260102T0000_contract_two", "CREATE TABLE z (id @i64) @table;"}, {0}};
    const struct migration older[] = {two[0], {0}};
    int applied = 0;
    assert_true(migrate(f->db, newer, &applied, &f->err));

    assert_false(migrate(f->db, older, &applied, &f->err));

    assert_int_equal(f->err.kind, ERR_CONFLICT);
    assert_string_equal(f->err.code, "database_newer");
    assert_non_null(strstr(f->err.text, "20260102T0000_contract_two"));
}

static void a_changed_migration_is_refused(void **state) {
    struct fixture *f = *state;
    const struct migration changed[] = {{"20260101T0000_one", "SELECT 1;"}, two[1], {0}};
    int applied = 0;
    assert_true(migrate(f->db, two, &applied, &f->err));

    assert_false(migrate(f->db, changed, &applied, &f->err));

    assert_string_equal(f->err.code, "migration_changed");
}

static bool has_half(struct fixture *f) {
    own(db_stmt) stmt = NULL;
    struct err ignored = {0};
    return db_prepare(f->db, "SELECT id FROM half", &stmt, &ignored);
}

static void a_broken_migration_is_named_and_goes_on_where_it_broke(void **state) {
    struct fixture *f = *state;
    static const struct migration broken[] = {
        {"20260101T0000_m", "CREATE TABLE half (id @i64) @table; CREATE NONSENSE;"}, {0}};
    static const struct migration mended[] = {
        {"20260101T0000_m",
         "CREATE TABLE half (id @i64) @table; CREATE TABLE h2 (id @i64) @table;"},
        {0}};
    int applied = 0;

    assert_false(migrate(f->db, broken, &applied, &f->err));

    assert_non_null(strstr(f->err.text, "20260101T0000_m"));
    assert_int_equal(has_half(f), db_dialect(f->db) == DIALECT_MYSQL);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM schema_migration"), 0);

    assert_true(migrate(f->db, mended, &applied, &f->err));

    assert_true(has_half(f));
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM h2"), 0);
    assert_int_equal(applied, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup_empty, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_programs_own_migrations_apply_once),
        TEST(every_table_is_strict),
        TEST(names_ascend_and_say_when),
        TEST(one_that_was_merged_late_is_applied_too),
        TEST(the_version_before_still_starts_when_the_newer_one_only_added),
        TEST(a_version_before_what_was_taken_away_is_refused),
        TEST(a_changed_migration_is_refused),
        TEST(a_broken_migration_is_named_and_goes_on_where_it_broke),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
