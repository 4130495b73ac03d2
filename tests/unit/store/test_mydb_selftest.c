/* What a start says of a database: fit, doubtful in words, or unfit. */
#include "store/mydb_selftest.h"
#include "store/mysql_proxy.h"
#include "store/store_fixture.h"

static bool look(struct fixture *f, int connections, struct mydb_report *ret_report) {
    struct db_options options = {.mysql = test_db(), .clock = &clock_real};
    struct mydb_needs needs = {.connections = connections};
    return mydb_selftest(&options, &needs, ret_report, &f->err);
}

static bool look_by(struct fixture *f, const struct mydb_target *target, enum db_claims claims,
                    struct mydb_report *ret_report) {
    struct db_options options = {.mysql = target, .clock = &clock_real};
    struct mydb_needs needs = {.connections = 10, .claims = claims};
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

    for (enum db_claims claims = DB_CLAIMS_AUTO; claims <= DB_CLAIMS_OWNED; claims++) {
        assert_false(look_by(f, test_db(), claims, &report));
        assert_string_equal(f->err.code, "database_unfit");
        assert_non_null(
            strstr(f->err.text, claims == DB_CLAIMS_SKIPPED ? "SKIP LOCKED" : "locks no rows"));
    }
    test_db_clear();
}

/* ---- engines that cannot skip ---- */

#define SKIPPING "FOR UPDATE SKIP LOCKED"
#define NOTHING_ "                      " /* as long: no lock at all, as TiDB */
#define WAITING_ "FOR UPDATE            "
#define REFUSED_ "FOR UPDATE SKIP LOKKED" /* as Vitess */

static void an_engine_that_cannot_skip_is_claimed_of_by_owners(void **state) {
    struct fixture *f = *state;
    static const char *const engines[] = {NOTHING_, WAITING_, REFUSED_};
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        struct mydb_target target = test_db_target;
        struct mysql_proxy proxy = {.from = SKIPPING, .to = engines[i]};
        struct mydb_report report;
        mysql_proxy_start(&proxy, f->folder, &target);

        if (!look_by(f, &target, DB_CLAIMS_AUTO, &report)) {
            fail_msg("%s: %s", engines[i], f->err.text);
        }
        assert_true(report.claims_owned);
        assert_true(warns_of(&report, "database.claims"));
        if (strcmp(engines[i], WAITING_) != 0) { /* each wait takes a second */
            assert_false(look_by(f, &target, DB_CLAIMS_SKIPPED, &report));
        }
        assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM lock_row"), 0);
        mysql_proxy_stop(&proxy);
    }
}

/* Such a server says so in its greeting. */
static void a_database_that_is_too_old_is_refused_when_connecting(void **state) {
    struct fixture *f = *state;
    char says[100];
    own(db_stmt) stmt = NULL;
    assert_true(db_prepare(f->db, "SELECT concat('5.5.5-', version())", &stmt, &f->err));
    assert_int_equal(db_step(stmt, &f->err), DB_ROW);
    assert_true(str_to_c(db_text(stmt, 0), says, sizeof says, &f->err));
    static const char *const begins[] = {"8.0.18-", "5.5.5-10.5.9-MariaDB-", "8.0.19-"};
    for (size_t i = 0; i < 3; i++) {
        struct mydb_target target = test_db_target;
        char old[100];
        (void)snprintf(old, sizeof old, "%s", says);
        memset(old, 'x', strlen(old));
        memcpy(old, begins[i], strlen(begins[i]));
        struct mysql_proxy proxy = {.from = says, .to = old, .greeting = true};
        own(db) db = NULL;
        struct db_options options = {.mysql = &target, .clock = &clock_real};
        f->err = (struct err){0};
        mysql_proxy_start(&proxy, f->folder, &target);

        assert_int_equal(db_open(&options, &db, &f->err), i == 2);

        if (i < 2) {
            assert_string_equal(f->err.code, "database_refused");
            assert_non_null(strstr(f->err.text, "or later is needed"));
        }
        db_close(take(db));
        mysql_proxy_stop(&proxy);
    }
}

static void a_mariadb_is_claimed_of_by_skipping_unless_the_setting_says_otherwise(void **state) {
    struct fixture *f = *state;
    struct mydb_report report;

    assert_true(look_by(f, test_db(), DB_CLAIMS_AUTO, &report));
    assert_false(report.claims_owned);
    assert_true(look_by(f, test_db(), DB_CLAIMS_SKIPPED, &report));
    assert_false(report.claims_owned);
    assert_true(look_by(f, test_db(), DB_CLAIMS_OWNED, &report));
    assert_true(report.claims_owned);
    assert_false(warns_of(&report, "database.claims"));
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_mariadb_fits_and_leaves_nothing_behind),
        WITH_DB(settings_that_lose_what_was_acknowledged_are_named),
        WITH_DB(more_connections_than_there_are_is_unfit_and_few_left_is_doubtful),
        WITH_DB(many_servers_may_look_at_once),
        WITH_DB(rows_that_are_not_skipped_are_noticed),
        WITH_DB(a_database_that_is_too_old_is_refused_when_connecting),
        WITH_DB(an_engine_that_cannot_skip_is_claimed_of_by_owners),
        WITH_DB(a_mariadb_is_claimed_of_by_skipping_unless_the_setting_says_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
