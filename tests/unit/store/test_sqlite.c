/* What only SQLite does. */
#include "store/store_fixture.h"

#include <sys/stat.h>

static void connections_of_one_name_share_a_database_in_memory(void **state) {
    struct fixture *f = *state;
    struct db_options options = {.shared_name = "test-shared", .clock = &f->clock.clock};
    own(db) writer = NULL;
    own(db) reader = NULL;
    assert_true(db_open(&options, &writer, &f->err));
    options.read_only = true;
    assert_true(db_open(&options, &reader, &f->err));

    fixture_exec(f, writer, "CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (5)");

    assert_int_equal(fixture_i64(f, reader, "SELECT id FROM t"), 5);
}

static void the_file_is_its_owners_alone(void **state) {
    struct fixture *f = *state;
    struct stat info;

    assert_int_equal(stat(f->path, &info), 0);

    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(fixture_i64(f, f->db, "PRAGMA synchronous"), 2);
    assert_int_equal(fixture_i64(f, f->db, "PRAGMA foreign_keys"), 1);
}

static void a_path_that_cannot_be_opened_is_named(void **state) {
    struct fixture *f = *state;
    struct db *db = NULL;
    struct db_options options = {.path = "/nonexistent/x.db", .clock = &f->clock.clock};

    assert_false(db_open(&options, &db, &f->err));

    assert_string_equal(f->err.code, "database_unavailable");
    assert_non_null(strstr(f->err.text, "/nonexistent/x.db"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup_empty, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(connections_of_one_name_share_a_database_in_memory),
        TEST(the_file_is_its_owners_alone),
        TEST(a_path_that_cannot_be_opened_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
