/* What only MySQL does: several writers at once, lost connections, transactions that the server
 * gives up. */
#include "base/thread.h"
#include "store/rows.h"
#include "store/store_fixture.h"

#include <sched.h>

static void make_rows(struct fixture *f) {
    fixture_exec(f, f->db,
                 "INSERT INTO host_group VALUES (1, 'a', 1, 1), (2, 'b', 1, 1), (3, 'c', 1, 1)");
}

static int64_t connection_id(struct fixture *f, struct db *db) {
    return fixture_i64(f, db, "SELECT CONNECTION_ID()");
}

/* As an administrator's KILL, a restart or a firewall does it. */
static void cut(struct fixture *f, int64_t id) {
    char sql[64];
    (void)snprintf(sql, sizeof sql, "KILL CONNECTION %lld", (long long)id);
    fixture_exec(f, test_db_admin, sql);
}

static bool set_slots(struct db *db, int64_t id, int64_t slots, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "UPDATE host_group SET slots = ? WHERE id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, slots);
    db_bind_i64(stmt, 2, id);
    return db_run_one(stmt, err);
}

static int64_t slots_of(struct fixture *f, int64_t id) {
    own(db_stmt) stmt = NULL;
    assert_true(db_prepare(f->db, "SELECT slots FROM host_group WHERE id = ?", &stmt, &f->err));
    db_bind_i64(stmt, 1, id);
    assert_int_equal(db_step(stmt, &f->err), DB_ROW);
    return db_i64(stmt, 0);
}

static void a_session_is_as_the_store_needs_it(void **state) {
    struct fixture *f = *state;
    own(db) reader = fixture_open(f, true);

    static const struct {
        const char *sql;
        int64_t writer, reader;
    } rows[] = {
        {"SELECT @@SESSION.tx_isolation = 'READ-COMMITTED'", 1, 0},
        {"SELECT @@SESSION.tx_isolation = 'REPEATABLE-READ'", 0, 1},
        {"SELECT @@SESSION.tx_read_only", 0, 1},
        {"SELECT @@SESSION.time_zone = '+00:00'", 1, 1},
        {"SELECT @@SESSION.character_set_client = 'utf8mb4'", 1, 1},
        {"SELECT @@SESSION.collation_connection = 'utf8mb4_bin'", 1, 1},
        {"SELECT @@SESSION.sql_mode LIKE '%STRICT_TRANS_TABLES%'", 1, 1},
        {"SELECT @@SESSION.innodb_lock_wait_timeout", 5, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(fixture_i64(f, f->db, rows[i].sql), rows[i].writer);
        assert_int_equal(fixture_i64(f, reader, rows[i].sql), rows[i].reader);
    }
}

static void without_a_clock_of_tests_the_time_is_the_databases(void **state) {
    struct fixture *f = *state;
    struct db_options options = {.mysql = test_db(), .clock = &clock_real};
    own(db) db = NULL;
    int64_t now_ms = 0;
    assert_true(db_open(&options, &db, &f->err));

    int64_t before_ms = clock_utc_ms(&clock_real);
    assert_true(db_begin(db, &f->err) && db_now(db, &now_ms, &f->err));
    db_rollback(db);

    assert_in_range(now_ms, before_ms, clock_utc_ms(&clock_real));
}

static void a_lost_connection_is_made_anew_by_the_next_transaction(void **state) {
    struct fixture *f = *state;
    make_rows(f);
    int64_t id = connection_id(f, f->db);
    cut(f, id);

    assert_true(db_begin(f->db, &f->err));
    assert_true(set_slots(f->db, 1, 7, &f->err));
    assert_true(db_commit(f->db, &f->err));

    assert_int_not_equal(connection_id(f, f->db), id);
    assert_int_equal(slots_of(f, 1), 7);
}

static void wait_until_cut(struct fixture *f, int64_t id) {
    char sql[96];
    (void)snprintf(sql, sizeof sql,
                   "SELECT COUNT(*) FROM information_schema.processlist "
                   "WHERE id = %lld",
                   (long long)id);
    while (fixture_i64(f, test_db_admin, sql) != 0) {
        (void)sched_yield();
    }
}

/* As after a restart: the pool's other connections were used a moment ago and are closed too. */
static void a_connection_that_the_server_closed_is_made_anew_when_it_is_taken(void **state) {
    struct fixture *f = *state;
    make_rows(f);
    int64_t id = connection_id(f, f->db);
    cut(f, id);
    wait_until_cut(f, id);

    assert_true(db_check(f->db, &f->err));

    assert_int_equal(slots_of(f, 1), 1);
    assert_int_not_equal(connection_id(f, f->db), id);
}

static void a_connection_lost_inside_a_transaction_ends_it_as_a_whole(void **state) {
    struct fixture *f = *state;
    make_rows(f);
    assert_true(db_begin(f->db, &f->err));
    assert_true(set_slots(f->db, 1, 7, &f->err));
    cut(f, connection_id(f, f->db));

    assert_false(set_slots(f->db, 2, 8, &f->err));
    assert_true(db_is_unavailable(&f->err));
    assert_false(set_slots(f->db, 3, 9, &f->err)); /* never on a new connection, by itself */
    assert_false(db_commit(f->db, &f->err));
    assert_true(db_is_unavailable(&f->err));
    db_rollback(f->db);

    for (int id = 1; id <= 3; id++) {
        assert_int_equal(slots_of(f, id), 1);
    }
}

static void a_connection_lost_at_the_commit_leaves_its_outcome_unknown(void **state) {
    struct fixture *f = *state;
    make_rows(f);
    assert_true(db_begin(f->db, &f->err));
    assert_true(set_slots(f->db, 1, 7, &f->err));
    cut(f, connection_id(f, f->db));

    assert_false(db_commit(f->db, &f->err));

    assert_string_equal(f->err.code, "commit_unknown");
    assert_false(db_may_retry(&f->err));
    db_rollback(f->db);
    assert_int_equal(slots_of(f, 1), 1);
}

struct rival {
    struct db *db;
    struct err err;
    bool ok;
};

/* Has row 2 already, and now wants row 1. */
static void *want_first(void *argument) {
    struct rival *rival = argument;
    rival->ok = set_slots(rival->db, 1, 20, &rival->err);
    return NULL;
}

/* The table is refreshed only when nobody has read it for 100 ms. */
static void wait_until_it_waits(struct fixture *f, int64_t connection) {
    own(db_stmt) stmt = NULL;
    bool waits = false;
    assert_true(db_prepare(test_db_admin,
                           "SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK "
                           "WAIT' AND trx_mysql_thread_id = ?",
                           &stmt, &f->err));
    db_bind_i64(stmt, 1, connection);
    for (int i = 0; i < 20 && !waits; i++) {
        clock_sleep_ms(&clock_real, 120);
        assert_true(db_find(stmt, &waits, &f->err));
        db_reset(stmt);
    }
    assert_true(waits);
}

static void who_loses_a_deadlock_is_told_to_try_again_and_has_written_nothing(void **state) {
    struct fixture *f = *state;
    make_rows(f);
    own(db) other = fixture_open(f, false);
    struct rival rival = {.db = other};
    assert_true(db_begin(f->db, &f->err) && db_begin(other, &f->err));
    assert_true(set_slots(f->db, 1, 10, &f->err));
    assert_true(set_slots(other, 2, 20, &f->err));
    int64_t connection = connection_id(f, other);
    pthread_t thread = thread_start("rival", want_first, &rival);
    wait_until_it_waits(f, connection);

    bool ok = set_slots(f->db, 2, 10, &f->err);
    struct db *loser = ok ? other : f->db;
    struct err *said = ok ? &rival.err : &f->err;
    if (!ok) {
        assert_true(db_may_retry(said));
        assert_false(set_slots(loser, 3, 30, said)); /* not outside of the transaction */
        assert_false(db_commit(loser, said));
        db_rollback(loser);
    }
    thread_join(thread);

    assert_int_not_equal(ok, rival.ok);
    assert_true(db_may_retry(said));
    db_rollback(loser);
    assert_true(db_commit(ok ? f->db : other, &f->err));
    assert_int_equal(slots_of(f, 1), ok ? 10 : 20);
    assert_int_equal(slots_of(f, 2), ok ? 10 : 20);
    assert_int_equal(slots_of(f, 3), 1);
}

static void a_lock_that_takes_too_long_is_given_up_to_be_tried_again(void **state) {
    struct fixture *f = *state;
    make_rows(f);
    own(db) other = fixture_open(f, false);
    assert_true(db_script(f->db, STR("SET SESSION innodb_lock_wait_timeout = 1"), &f->err));
    assert_true(db_begin(other, &f->err) && db_begin(f->db, &f->err));
    assert_true(db_lock(other, LOCK_HOST_GROUP, LOCK_EXCLUSIVE, 2, &f->err));

    assert_false(db_lock(f->db, LOCK_HOST_GROUP, LOCK_SHARED, 2, &f->err));

    assert_true(db_may_retry(&f->err));
    db_rollback(f->db);
    db_rollback(other);
}

struct late {
    struct db *db;
    struct err err;
    int64_t now_ms;
    bool ok;
};

static void *lock_and_look(void *argument) {
    struct late *late = argument;
    const struct rows_value key = rows_i64(1);
    const struct rows_read read = {
        .values = &key, .count = 1, .level = LOCK_HOST_GROUP, .mode = LOCK_EXCLUSIVE};
    late->ok = db_read(late->db, &read, 1, &late->now_ms, &late->err);
    return NULL;
}

/* They are one packet: the time must still be that of the last statement, not of the first. */
static void the_clock_of_a_packet_is_read_after_its_locks_were_waited_for(void **state) {
    struct fixture *f = *state;
    make_rows(f);
    struct db_options options = {.mysql = test_db(), .clock = &clock_real};
    own(db) db = NULL;
    assert_true(db_open(&options, &db, &f->err));
    struct late late = {.db = db};
    int64_t connection = connection_id(f, db);
    assert_true(db_begin(f->db, &f->err) && db_begin(db, &f->err));
    assert_true(db_lock(f->db, LOCK_HOST_GROUP, LOCK_EXCLUSIVE, 1, &f->err));
    pthread_t thread = thread_start("late", lock_and_look, &late);
    wait_until_it_waits(f, connection);

    int64_t released_ms = clock_utc_ms(&clock_real);
    db_rollback(f->db);
    thread_join(thread);
    db_rollback(db);

    assert_true(late.ok);
    assert_true(late.now_ms >= released_ms);
}

static void shared_locks_do_not_wait_for_each_other(void **state) {
    struct fixture *f = *state;
    make_rows(f);
    own(db) other = fixture_open(f, false);
    assert_true(db_begin(other, &f->err) && db_begin(f->db, &f->err));

    assert_true(db_lock(other, LOCK_HOST_GROUP, LOCK_SHARED, 2, &f->err));
    assert_true(db_lock(f->db, LOCK_HOST_GROUP, LOCK_SHARED, 2, &f->err));

    db_rollback(f->db);
    db_rollback(other);
}

static void a_wrong_password_is_refused_without_being_shown(void **state) {
    struct fixture *f = *state;
    struct mydb_target target = test_db_target;
    struct db_options options = {.mysql = &target, .clock = &clock_real};
    struct db *db = NULL;
    (void)snprintf(target.password, sizeof target.password, "sesame");

    assert_false(db_open(&options, &db, &f->err));

    assert_int_equal(f->err.kind, ERR_INVALID);
    assert_string_equal(f->err.code, "database_refused");
    assert_null(strstr(f->err.text, "sesame"));
}

static void who_does_not_answer_is_unavailable_and_not_asked_again_at_once(void **state) {
    struct fixture *f = *state;
    struct mydb_target target = test_db_target;
    struct db_options options = {.mysql = &target, .clock = &clock_real};
    struct db *db = NULL;
    (void)snprintf(target.socket, sizeof target.socket, "%s/none.sock", f->folder);

    assert_false(db_open(&options, &db, &f->err));

    assert_true(db_is_unavailable(&f->err));
    assert_true(f->err.retry_ms > 0);
    assert_non_null(strstr(f->err.text, "none.sock"));
}

static void a_database_that_only_reads_is_unavailable_for_writing(void **state) {
    struct fixture *f = *state;
    make_rows(f);
    assert_true(db_script(test_db_admin,
                          STR("CREATE USER IF NOT EXISTS plain@localhost; GRANT SELECT, INSERT, "
                              "UPDATE, DELETE ON `test\\_%`.* TO plain@localhost"),
                          &f->err));
    struct mydb_target target = test_db_target;
    struct db_options options = {.mysql = &target, .clock = &clock_real};
    own(db) plain = NULL;
    (void)snprintf(target.user, sizeof target.user, "plain");
    assert_true(db_open(&options, &plain, &f->err));

    fixture_exec(f, test_db_admin, "SET GLOBAL read_only = 1");
    assert_true(db_begin(plain, &f->err));
    bool ok = set_slots(plain, 1, 7, &f->err);
    struct err said = f->err;
    db_rollback(plain);
    fixture_exec(f, test_db_admin, "SET GLOBAL read_only = 0");

    assert_false(ok);
    assert_true(db_is_unavailable(&said));
    assert_true(db_begin(plain, &f->err) && set_slots(plain, 1, 7, &f->err) &&
                db_commit(plain, &f->err));
    assert_int_equal(slots_of(f, 1), 7);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_session_is_as_the_store_needs_it),
        WITH_DB(without_a_clock_of_tests_the_time_is_the_databases),
        WITH_DB(a_lost_connection_is_made_anew_by_the_next_transaction),
        WITH_DB(a_connection_that_the_server_closed_is_made_anew_when_it_is_taken),
        WITH_DB(a_connection_lost_inside_a_transaction_ends_it_as_a_whole),
        WITH_DB(a_connection_lost_at_the_commit_leaves_its_outcome_unknown),
        WITH_DB(who_loses_a_deadlock_is_told_to_try_again_and_has_written_nothing),
        WITH_DB(a_lock_that_takes_too_long_is_given_up_to_be_tried_again),
        WITH_DB(the_clock_of_a_packet_is_read_after_its_locks_were_waited_for),
        WITH_DB(shared_locks_do_not_wait_for_each_other),
        WITH_DB(a_wrong_password_is_refused_without_being_shown),
        WITH_DB(who_does_not_answer_is_unavailable_and_not_asked_again_at_once),
        WITH_DB(a_database_that_only_reads_is_unavailable_for_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
