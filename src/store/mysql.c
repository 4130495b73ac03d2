/* The MySQL and MariaDB driver: connection, transactions, locks, clock. Several servers share the
 * database; what SQLite's one writer guarantees is here the work of row locks (lock_sql.h).
 *
 * A connection that was lost is made anew when the next transaction begins, or the next statement
 * outside of one; an address that refused is asked again after RECONNECT_MS at the earliest, so
 * that a queue of requests does not wait for it one by one. See mydb_internal.h for (1) and (2). */
#include "base/buf.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/lock_sql.h"
#include "store/mydb_internal.h"
#include "store/mydb_version.h"
#include "store/sql_split.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>

#define CONNECT_S 5
#define ANSWER_S 30            /* longer than any wait for a lock */
#define ANSWER_PATIENT_S 86400 /* a migration of a big table */
#define RECONNECT_MS 500
#define IDLE_MS 5000 /* then db_check asks whether the connection is still there */
#define UNAVAILABLE_RETRY_MS 2000

/* ---- errors ---- */

/* clang-format off */
static const unsigned lost_codes[] = {
    CR_CONNECTION_ERROR, CR_CONN_HOST_ERROR, CR_IPSOCK_ERROR, CR_UNKNOWN_HOST, CR_SERVER_GONE_ERROR,
    CR_SERVER_LOST, CR_SERVER_LOST_EXTENDED, CR_COMMANDS_OUT_OF_SYNC, CR_MALFORMED_PACKET,
    CR_SSL_CONNECTION_ERROR, ER_SERVER_SHUTDOWN, ER_NORMAL_SHUTDOWN, ER_CONNECTION_KILLED, 0};
static const unsigned busy_codes[] = {
    ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT, ER_CHECKREAD, ER_QUERY_INTERRUPTED, ER_NEED_REPREPARE,
    ER_STATEMENT_TIMEOUT, 3101 /* group replication gave the transaction up */, 0};
static const unsigned unavailable_codes[] = {
    ER_DISK_FULL, ER_RECORD_FILE_FULL, ER_ERROR_ON_WRITE, ER_GET_ERRNO, ER_CON_COUNT_ERROR,
    ER_TOO_MANY_USER_CONNECTIONS, ER_OUT_OF_RESOURCES, ER_HOST_IS_BLOCKED,
    ER_OPTION_PREVENTS_STATEMENT /* read only */, ER_READ_ONLY_MODE, 0};
static const unsigned refused_codes[] = { /* when connecting: somebody must change a setting */
    ER_ACCESS_DENIED_ERROR, ER_ACCESS_DENIED_NO_PASSWORD_ERROR, ER_DBACCESS_DENIED_ERROR,
    ER_BAD_DB_ERROR, 0};
static const unsigned done_codes[] = { /* of what changes tables */
    ER_TABLE_EXISTS_ERROR, ER_DUP_FIELDNAME, ER_DUP_KEYNAME, ER_CANT_DROP_FIELD_OR_KEY,
    ER_BAD_TABLE_ERROR, 0};
/* clang-format on */

static bool is_one_of(const unsigned *codes, unsigned code) {
    while (*codes != 0 && *codes != code) {
        codes++;
    }
    return *codes != 0;
}

static bool unavailable(const char *text, struct err *err) {
    (void)err_set(err, ERR_BUSY, "database_unavailable", "the database does not work now: %s",
                  text);
    err->retry_ms = UNAVAILABLE_RETRY_MS;
    return false;
}

bool mydb_fail(struct mydb *db, unsigned code, const char *text, const char *what,
               struct err *err) {
    if (code == ER_DUP_ENTRY || code == ER_DUP_KEY) { /* the statement alone is undone */
        return err_set(err, ERR_CONFLICT, "duplicate", "%.80s: %s", what, text);
    }
    if (is_one_of(done_codes, code)) {
        return err_set(err, ERR_CONFLICT, "schema_done", "%.80s: %s", what, text);
    }
    db->lost = db->lost || is_one_of(lost_codes, code);
    if (db->lost || is_one_of(unavailable_codes, code)) {
        (void)unavailable(text, err);
    } else if (is_one_of(busy_codes, code)) {
        (void)err_set(err, ERR_BUSY, "database_busy", "%.80s: %s", what, text);
    } else {
        return err_set(err, ERR_SYSTEM, "database_failed", "%.80s: %s (%u)", what, text, code);
    }
    return db->begun ? mydb_doom(db, err) : false;
}

bool mydb_doom(struct mydb *db, const struct err *err) {
    if (db->open && !db->doomed) {
        db->doomed = true;
        db->doom = *err;
    }
    return false;
}

static bool fail(struct mydb *db, const char *what, struct err *err) {
    return mydb_fail(db, mysql_errno(db->raw), mysql_error(db->raw), what, err);
}

/* ---- connecting ---- */

static void init_library(void) {
    CHECK(mysql_library_init(0, NULL, NULL) == 0);
}

static MYSQL *make_handle(const struct mydb *db) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    CHECK(pthread_once(&once, init_library) == 0);
    MYSQL *raw = mysql_init(NULL);
    CHECK(raw != NULL);
    const struct mydb_target *target = &db->target;
    unsigned connect_s = CONNECT_S;
    unsigned answer_s = db->patient ? ANSWER_PATIENT_S : ANSWER_S;
    unsigned tcp = MYSQL_PROTOCOL_TCP;
    my_bool no = 0;
    my_bool tls = target->tls != MYDB_TLS_OFF;
    my_bool verify = target->tls == MYDB_TLS_VERIFY;
    if (target->socket[0] == '\0') { /* else "localhost" would be a socket of the library's own */
        (void)mysql_optionsv(raw, MYSQL_OPT_PROTOCOL, &tcp);
    }
    (void)mysql_optionsv(raw, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
    (void)mysql_optionsv(raw, MYSQL_OPT_READ_TIMEOUT, &answer_s);
    (void)mysql_optionsv(raw, MYSQL_OPT_WRITE_TIMEOUT, &answer_s);
    (void)mysql_optionsv(raw, MYSQL_OPT_LOCAL_INFILE, &no);
    (void)mysql_optionsv(raw, MYSQL_OPT_RECONNECT, &no);
    (void)mysql_optionsv(raw, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    (void)mysql_optionsv(raw, MYSQL_OPT_SSL_ENFORCE, &tls);
    (void)mysql_optionsv(raw, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
    if (tls && target->ca_file[0] != '\0') {
        (void)mysql_optionsv(raw, MYSQL_OPT_SSL_CA, target->ca_file);
    }
    return raw;
}

static bool run(struct mydb *db, struct str sql, struct err *err) {
    if (mysql_real_query(db->raw, sql.ptr, sql.len) != 0) {
        return fail(db, "statement", err);
    }
    MYSQL_RES *result = mysql_store_result(db->raw);
    mysql_free_result(result);
    if (mysql_errno(db->raw) != 0) {
        return fail(db, "statement", err);
    }
    db->used_mono_ms = clock_mono_ms(&clock_real);
    return true;
}

static bool run_c(struct mydb *db, const char *sql, struct err *err) {
    return run(db, str_from(sql), err);
}

/* What the session really does: MySQL calls the variable transaction_isolation, MariaDB before 11.1
 * tx_isolation. */
static bool check_isolation(struct mydb *db, struct err *err) {
    const char *wanted = db->base.read_only ? "REPEATABLE-READ" : "READ-COMMITTED";
    if (mysql_query(db->raw, "SHOW SESSION VARIABLES WHERE Variable_name IN "
                             "('transaction_isolation', 'tx_isolation')") != 0) {
        return fail(db, "ask for the isolation", err);
    }
    MYSQL_RES *result = mysql_store_result(db->raw);
    if (result == NULL) {
        return fail(db, "ask for the isolation", err);
    }
    MYSQL_ROW row = mysql_fetch_row(result);
    bool right = row != NULL && row[1] != NULL && strcmp(row[1], wanted) == 0;
    char found[32] = "nothing";
    if (row != NULL && row[1] != NULL) {
        (void)snprintf(found, sizeof found, "%s", row[1]);
    }
    mysql_free_result(result);
    return right || err_set(err, ERR_INVALID, "database_refused",
                            "the database does not give the isolation %s but %s: a proxy or a "
                            "setting in between changes it",
                            wanted, found);
}

/* READ COMMITTED for writers: under REPEATABLE READ a count that was read before a lock stays what
 * it was (research: slots were exceeded). Readers never lock, and want one snapshot. */
static bool set_up(struct mydb *db, struct err *err) {
    return mydb_version_check(str_from(mysql_get_server_info(db->raw)), err) &&
           run_c(db, "SET NAMES utf8mb4 COLLATE utf8mb4_bin", err) &&
           run_c(db,
                 "SET SESSION sql_mode = "
                 "'STRICT_TRANS_TABLES,PIPES_AS_CONCAT,ERROR_FOR_DIVISION_BY_ZERO,"
                 "NO_ENGINE_SUBSTITUTION', time_zone = '+00:00', autocommit = 1, "
                 "innodb_lock_wait_timeout = 5, lock_wait_timeout = 20",
                 err) &&
           run_c(db,
                 db->base.read_only
                     ? "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
                     : "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
                 err) &&
           check_isolation(db, err);
}

static void disconnect(struct mydb *db) {
    if (db->raw != NULL) {
        mysql_close(db->raw); /* statements of it stay, without a connection */
        db->raw = NULL;
    }
    db->lost = true;
}

/* The text names the address and never the password. */
static bool refused(struct mydb *db, struct err *err) {
    const struct mydb_target *target = &db->target;
    unsigned code = mysql_errno(db->raw);
    const char *text = mysql_error(db->raw);
    const char *place = target->socket[0] != '\0' ? target->socket : target->host;
    if (is_one_of(refused_codes, code)) {
        return err_set(err, ERR_INVALID, "database_refused", "database %.60s at %.60s: %s",
                       target->database, place, text);
    }
    (void)err_set(err, ERR_BUSY, "database_unavailable", "database %.60s at %.60s: %s",
                  target->database, place, text);
    err->retry_ms = UNAVAILABLE_RETRY_MS;
    return false;
}

static bool connect_once(struct mydb *db, struct err *err) {
    const struct mydb_target *target = &db->target;
    bool by_socket = target->socket[0] != '\0';
    disconnect(db);
    db->raw = make_handle(db);
    db->generation++;
    db->told_ms = 0;
    if (mysql_real_connect(db->raw, by_socket ? NULL : target->host, target->user, target->password,
                           target->database, by_socket ? 0 : target->port,
                           by_socket ? target->socket : NULL, CLIENT_FOUND_ROWS) == NULL) {
        return refused(db, err);
    }
    db->lost = false;
    return set_up(db, err);
}

static bool connect(struct mydb *db, struct err *err) {
    int64_t now_ms = clock_mono_ms(&clock_real);
    if (db->refused_mono_ms != 0 && now_ms - db->refused_mono_ms < RECONNECT_MS) {
        *err = db->refusal;
        return false;
    }
    if (!connect_once(db, err)) {
        disconnect(db);
        db->refusal = *err;
        db->refused_mono_ms = clock_mono_ms(&clock_real);
        return false;
    }
    db->refused_mono_ms = 0;
    return true;
}

/* While it runs even a wrong password is an outage: who asked has not done anything wrong. */
static bool connect_anew(struct mydb *db, struct err *err) {
    if (connect(db, err)) {
        return true;
    }
    if (err->kind != ERR_BUSY) {
        struct err why = *err;
        return unavailable(why.text, err);
    }
    return false;
}

bool mydb_connected(struct mydb *db, struct err *err) {
    if (db->doomed) {
        *err = db->doom;
        return false;
    }
    return !db->lost || connect_anew(db, err);
}

/* The server may have closed an idle connection: nothing is lost by asking a second time. */
static bool start(struct mydb *db, const char *sql, struct err *err) {
    if (!run_c(db, sql, err) && (!db->lost || !connect_anew(db, err) || !run_c(db, sql, err))) {
        return mydb_doom(db, err);
    }
    db->begun = true;
    return true;
}

bool mydb_ready(struct mydb *db, struct err *err) {
    return mydb_connected(db, err) && (!db->open || db->begun || start(db, MYDB_BEGIN, err));
}

static void close_db(struct db *base) {
    struct mydb *db = mydb_of(base);
    disconnect(db);
    db_base_done(base);
    free(db);
}

static bool open_db(const struct db_options *options, struct db **ret_db, struct err *err) {
    struct mydb *db = calloc(1, sizeof *db);
    CHECK(db != NULL);
    db_base_init(&db->base, &mydb_driver, options);
    db->target = *options->mysql;
    db->patient = options->patient;
    if (!connect(db, err)) {
        close_db(&db->base);
        return false;
    }
    *ret_db = &db->base;
    return true;
}

/* Nobody asked, so what there is to read is a farewell or the end. A firewall gives no such sign.
 */
static bool may_be_closed(const struct mydb *db) {
    struct pollfd socket = {.fd = (int)mysql_get_socket(db->raw), .events = POLLIN};
    return poll(&socket, 1, 0) != 0 || clock_mono_ms(&clock_real) - db->used_mono_ms > IDLE_MS;
}

static bool check_db(struct db *base, struct err *err) {
    struct mydb *db = mydb_of(base);
    CHECK(!db->open);
    if (!db->lost && may_be_closed(db) && mysql_ping(db->raw) != 0) {
        db->lost = true;
    }
    return mydb_ready(db, err);
}

/* ---- transactions ---- */

static bool is_open(const struct db *base) {
    return ((const struct mydb *)base)->open;
}

/* A writer's begins with its first statement, in the same packet. A snapshot is of now. */
static bool begin(struct db *base, struct err *err) {
    struct mydb *db = mydb_of(base);
    if (!mydb_connected(db, err) ||
        (base->read_only && !start(db, MYDB_BEGIN " WITH CONSISTENT SNAPSHOT", err))) {
        return false;
    }
    db->open = true;
    return true;
}

/* An answer that says for sure that nothing was kept; after any other nobody knows. */
static bool was_refused(const struct mydb *db, const struct err *err) {
    unsigned code = mysql_errno(db->raw);
    return !db->lost &&
           (db_may_retry(err) || code == ER_OPTION_PREVENTS_STATEMENT || code == ER_READ_ONLY_MODE);
}

static bool commit(struct db *base, struct err *err) {
    struct mydb *db = mydb_of(base);
    if (db->doomed) {
        *err = db->doom;
        return false;
    }
    if (!db->begun || run_c(db, "COMMIT", err)) {
        db->open = false;
        db->begun = false;
        return true;
    }
    struct err why = *err;
    return was_refused(db, err) ? false
                                : err_set(err, ERR_SYSTEM, "commit_unknown",
                                          "nobody knows whether it was kept: %s", why.text);
}

static void rollback(struct db *base) {
    struct mydb *db = mydb_of(base);
    struct err ignored = {0};
    bool begun = db->begun;
    db->doomed = false;
    db->open = false;
    db->begun = false;
    if (begun && !db->lost && !run_c(db, "ROLLBACK", &ignored)) {
        db->lost = true; /* a new connection is certainly outside of it */
    }
}

static bool exec(struct db *base, const char *sql, struct err *err) {
    struct mydb *db = mydb_of(base);
    return mydb_ready(db, err) && run_c(db, sql, err);
}

static void savepoint_undo(struct db *base) {
    struct mydb *db = mydb_of(base);
    struct err err = {0};
    if (!db->doomed && (!run_c(db, "ROLLBACK TO SAVEPOINT item", &err) ||
                        !run_c(db, "RELEASE SAVEPOINT item", &err))) {
        db->doomed = true;
        db->doom = err;
    }
}

static bool script(struct db *base, struct str sql, struct err *err) {
    struct mydb *db = mydb_of(base);
    struct str statement = {0};
    if (!mydb_ready(db, err)) {
        return false;
    }
    while (sql_next(&sql, &statement)) {
        if (!run(db, statement, err)) {
            return err_wrap(err, "%.60s", statement.ptr);
        }
    }
    return true;
}

/* ---- locks and clock ---- */

static bool lock(struct db *base, enum lock_level level, enum lock_mode mode, int64_t id,
                 struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(base, lock_sql(level, mode), &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id);
    return mydb_stmt_step(stmt, err) != DB_FAILED;
}

static bool tell_time(struct mydb *db, struct err *err) {
    int64_t now_ms = clock_utc_ms(db->base.clock);
    own_buf sql = {0};
    if (now_ms == db->told_ms) {
        return true;
    }
    buf_init(&sql, 256);
    buf_printf(&sql, "SET SESSION timestamp = %lld.%03d", (long long)(now_ms / 1000),
               (int)(now_ms % 1000));
    if (!mydb_ready(db, err) || !run(db, buf_str(&sql), err)) {
        return false;
    }
    db->told_ms = now_ms;
    return true;
}

/* Not UNIX_TIMESTAMP, which ends in 2038. */
static bool now(struct db *base, int64_t *ret_now_ms, struct err *err) {
    struct mydb *db = mydb_of(base);
    own(db_stmt) stmt = NULL;
    if ((base->clock != &clock_real && !tell_time(db, err)) ||
        !db_prepare(base, MYDB_CLOCK, &stmt, err) || mydb_stmt_step(stmt, err) == DB_FAILED) {
        return false;
    }
    *ret_now_ms = db_i64(stmt, 0);
    return true;
}

const struct db_driver mydb_driver = {
    .dialect = DIALECT_MYSQL,
    .open = open_db,
    .close = close_db,
    .check = check_db,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .is_open = is_open,
    .exec = exec,
    .savepoint_undo = savepoint_undo,
    .script = script,
    .prepare = mydb_stmt_make,
    .reuse = mydb_stmt_reuse,
    .finalize = mydb_stmt_end,
    .reset = mydb_stmt_again,
    .clear = mydb_stmt_clear,
    .bind_i64 = mydb_stmt_put_i64,
    .bind_bytes = mydb_stmt_put_bytes,
    .bind_null = mydb_stmt_put_null,
    .step = mydb_stmt_step,
    .packet = mydb_packet,
    .changes = mydb_stmt_changes,
    .i64 = mydb_stmt_i64,
    .bytes = mydb_stmt_bytes,
    .is_null = mydb_stmt_is_null,
    .lock = lock,
    .now = now,
    .clock_sql = MYDB_CLOCK,
};
