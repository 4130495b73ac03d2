/* Migrations where each change of a table commits by itself. */
#include "base/thread.h"
#include "store/store_fixture.h"

static const struct migration list[] = {
    {"20260101T0000_one", "CREATE TABLE one (id @i64 PRIMARY KEY) @table; "
                          "CREATE TABLE two (id @i64 PRIMARY KEY, n @i64) @table; "
                          "CREATE INDEX two_by_n ON two (n); INSERT INTO one VALUES (1);"},
    {0},
};

static void run(struct fixture *f) {
    int applied = 0;
    if (!migrate(f->db, list, &applied, &f->err)) {
        fail_msg("%s", f->err.text);
    }
}

/* After step n of 4 the program died: the statement may have run without being noted. */
static void a_migration_goes_on_wherever_it_was_cut_off(void **state) {
    struct fixture *f = *state;
    run(f);
    for (int noted = 0; noted <= 4; noted++) {
        for (int ran = noted; ran <= noted + 1 && ran <= 4; ran++) {
            static const char *const undo[] = {"DROP TABLE one", "DROP TABLE two",
                                               "DROP INDEX two_by_n ON two", "DELETE FROM one"};
            char sql[120];
            for (int i = 3; i >= ran; i--) {
                fixture_exec(f, f->db, undo[i]);
            }
            fixture_exec(f, f->db, "DELETE FROM schema_migration");
            (void)snprintf(sql, sizeof sql, "UPDATE schema_migration_step SET step = %d", noted);
            fixture_exec(f, f->db, sql);

            run(f);

            assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM one"), 1);
            assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM two WHERE n = 1"), 0);
            assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM schema_migration"), 1);
        }
    }
}

static void what_is_there_already_is_an_error_unless_it_was_cut_off(void **state) {
    struct fixture *f = *state;
    int applied = 0;
    fixture_exec(f, f->db, "CREATE TABLE one (id @i64 PRIMARY KEY) @table");

    assert_false(migrate(f->db, list, &applied, &f->err));

    assert_non_null(strstr(f->err.text, "20260101T0000_one"));
}

struct server {
    struct fixture *f;
    struct db *db;
    int applied;
    bool ok;
    struct err err;
};

static void *start_server(void *argument) {
    struct server *server = argument;
    server->ok = migrate(server->db, migrations, &server->applied, &server->err);
    return NULL;
}

static void servers_that_start_together_migrate_once(void **state) {
    struct fixture *f = *state;
    struct server servers[4] = {0};
    pthread_t threads[4];
    int applied = 0;
    for (int i = 0; i < 4; i++) {
        servers[i].db = fixture_open(f, false);
    }
    for (int i = 0; i < 4; i++) {
        threads[i] = thread_start("server", start_server, &servers[i]);
    }
    for (int i = 0; i < 4; i++) {
        thread_join(threads[i]);
        if (!servers[i].ok) {
            fail_msg("%s", servers[i].err.text);
        }
        applied += servers[i].applied;
        db_close(servers[i].db);
    }

    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM schema_migration"), applied);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup_empty, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_migration_goes_on_wherever_it_was_cut_off),
        WITH_DB(what_is_there_already_is_an_error_unless_it_was_cut_off),
        WITH_DB(servers_that_start_together_migrate_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
