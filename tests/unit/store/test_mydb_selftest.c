/* What a start says of a database: fit, doubtful in words, or unfit. */
#include "store/mydb_selftest.h"
#include "store/store_fixture.h"

static bool look(struct fixture *f, int connections, struct mydb_report *ret_report) {
    struct db_options options = {.mysql = test_db(), .clock = &clock_real};
    struct mydb_needs needs = {.connections = connections};
    return mydb_selftest(&options, &needs, ret_report, &f->err);
}

static bool warns_of(const struct mydb_report *report, const char *part) {
    for (int i = 0; i < report->count; i++) {
        if (strstr(report->warnings[i], part) != NULL) {
            return true;
        }
    }
    return false;
}

static void a_mariadb_fits_and_leaves_nothing_behind(void **state) {
    struct fixture *f = *state;
    struct mydb_report report;

    if (!look(f, 10, &report)) {
        fail_msg("%s", f->err.text);
    }

    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM lock_row"), 0);
    assert_false(warns_of(&report, "key"));
    assert_false(warns_of(&report, "binlog_format"));
}

static void settings_that_lose_what_was_acknowledged_are_named(void **state) {
    struct fixture *f = *state;
    struct mydb_report report;

    assert_true(look(f, 10, &report)); /* the tests' database flushes nothing */

    assert_true(warns_of(&report, "innodb_flush_log_at_trx_commit is 0"));
    assert_true(warns_of(&report, "sync_binlog is 0"));
}

static void more_connections_than_there_are_is_unfit_and_few_left_is_doubtful(void **state) {
    struct fixture *f = *state;
    struct mydb_report report;
    int max = (int)fixture_i64(f, f->db, "SELECT @@max_connections");

    assert_false(look(f, max + 1, &report));
    assert_string_equal(f->err.code, "database_unfit");
    assert_non_null(strstr(f->err.text, "max_connections"));
    assert_true(look(f, max - 5, &report));
    assert_true(warns_of(&report, "connections"));
    assert_true(look(f, 10, &report));
    assert_false(warns_of(&report, "connections"));
}

static void many_servers_may_look_at_once(void **state) {
    struct fixture *f = *state;
    struct mydb_report report;
    fixture_exec(f, f->db, "INSERT INTO lock_row (kind, id) VALUES ('self1', 1), ('self1', 2)");
    assert_true(db_begin(f->db, &f->err));
    fixture_exec(f, f->db, "UPDATE lock_row SET id = id + 10 WHERE kind = 'self1'");

    assert_true(look(f, 10, &report));

    db_rollback(f->db);
}

/* An engine that takes the words and does nothing for them, as TiDB: here MyISAM. */
static void rows_that_are_not_skipped_are_noticed(void **state) {
    struct fixture *f = *state;
    struct mydb_report report;
    assert_true(db_script(test_db_admin,
                          STR("DROP TABLE lock_row; CREATE TABLE lock_row (kind VARCHAR(16) NOT "
                              "NULL, id BIGINT NOT NULL, PRIMARY KEY (kind, id)) ENGINE=MyISAM"),
                          &f->err));

    assert_false(look(f, 10, &report));

    assert_string_equal(f->err.code, "database_unfit");
    assert_non_null(strstr(f->err.text, "SKIP LOCKED"));
    test_db_clear();
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_mariadb_fits_and_leaves_nothing_behind),
        WITH_DB(settings_that_lose_what_was_acknowledged_are_named),
        WITH_DB(more_connections_than_there_are_is_unfit_and_few_left_is_doubtful),
        WITH_DB(many_servers_may_look_at_once),
        WITH_DB(rows_that_are_not_skipped_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
