#ifndef STORE_DB_H
#define STORE_DB_H

#include "base/clock.h"
#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "domain/lock.h"
#include "store/dialect.h"

#include <stdatomic.h>

/* One connection to the database, used by one thread at a time. SQLite or MySQL and MariaDB stand
 * behind it, with the same migrations and the same store tests. Only SQL that all accept: no
 * RETURNING, no AUTOINCREMENT, no UPSERT dialects, times and ids as bound 64-bit integers.
 *
 * A transaction that writes begins by db_begin, takes its locks by db_lock in the one order, then
 * reads the clock by db_now, and only then decides (docs/decisions: leases). */

struct db;
struct db_stmt;

struct mydb_target;

/* What the connections that share it have sent: for benchmarks and tests. */
struct db_meter {
    atomic_llong statements; /* one about many rows counts once */
    atomic_llong trips;      /* to the database and back; begin and commit left out */
};

/* How jobs are claimed (docs/decisions/0018-claims-without-skip-locked.md). */
enum db_claims {
    DB_CLAIMS_AUTO,    /* the self-test decides (MySQL); SQLite: by its one writer */
    DB_CLAIMS_SKIPPED, /* SKIP LOCKED */
    DB_CLAIMS_OWNED,   /* one owner a queue */
};

struct db_options {
    const char *path;        /* file, or ":memory:" with `shared_name` for several connections */
    const char *shared_name; /* names an in-memory database; NULL for files */
    const struct mydb_target *mysql; /* store/mydb_target.h, copied; NULL: SQLite */
    /* What db_now reads on SQLite. On MySQL the database's own clock counts; only a clock that is
     * not clock_real (tests) is told to the connection first. */
    const struct clock *clock;
    bool read_only;         /* for readers: a snapshot each transaction */
    struct db_meter *meter; /* borrowed; NULL: nobody counts */
    /* Locked rows cannot be skipped here: see db_claims_owned. */
    bool claims_owned;
    bool patient; /* for migrations: MySQL may take as long as it likes for a statement */
};

/* SQLite: WAL, synchronous=FULL, foreign keys on; a new file is readable by its owner alone. MySQL:
 * utf8mb4, UTC, strict, READ COMMITTED (readers: REPEATABLE READ, read only), each verified.
 * Errors: "database_unavailable", ERR_SYSTEM with the path, ERR_BUSY with the address;
 *         ERR_INVALID "database_refused" when user, password or a setting is wrong. */
checked bool db_open(const struct db_options *options, struct db **ret_db, struct err *err);
void db_close(struct db *db); /* rolls back what is open; accepts NULL */
OWN_DEFINE(db, db_close)

enum dialect db_dialect(const struct db *db);
/* Nothing sent to this database may say SKIP LOCKED: who claims of a queue owns it
 * (queue_owner_store.h). Any database can be used so. */
bool db_claims_owned(const struct db *db);
/* The whole transaction may be tried again: a deadlock, a lock's time-out, a busy file. */
bool db_may_retry(const struct err *err);
/* The database cannot be reached or written at all now: its disk is full, it only reads. */
bool db_is_unavailable(const struct err *err);
/* What a statement of db_script was to make is there already, a row too, or what it was to remove
 * is gone. */
bool db_says_done(const struct err *err);
/* For a connection that was idle: makes it anew when the database has closed it. Cheap when it was
 * used a moment ago; no transaction may be open. */
checked bool db_check(struct db *db, struct err *err);

/* Starts a write transaction (BEGIN IMMEDIATE), or on a read-only connection a snapshot. A
 * connection that was lost is made anew here. */
checked bool db_begin(struct db *db, struct err *err);
/* ERR_SYSTEM "commit_unknown" when nobody can tell whether it was made: read back before answering.
 * A transaction that the database has given up meanwhile (a deadlock) fails again with that error.
 */
checked bool db_commit(struct db *db, struct err *err);
void db_rollback(struct db *db); /* fine when nothing is open */

/* Part of a transaction that can be undone alone, so that one bad item of a batch harms no other.
 */
checked bool db_savepoint(struct db *db, struct err *err);
checked bool db_savepoint_keep(struct db *db, struct err *err);
void db_savepoint_undo(struct db *db);

/* Takes the statement from the connection's cache or prepares it. `sql` must have static storage.
 */
checked bool db_prepare(struct db *db, const char *sql, struct db_stmt **ret_stmt, struct err *err);
void db_stmt_release(struct db_stmt *stmt); /* back to the cache; accepts NULL */
OWN_DEFINE(db_stmt, db_stmt_release)

void db_bind_i64(struct db_stmt *stmt, int index, int64_t value);     /* index from 1 */
void db_bind_text(struct db_stmt *stmt, int index, struct str text);  /* copied */
void db_bind_blob(struct db_stmt *stmt, int index, struct str bytes); /* copied */
void db_bind_null(struct db_stmt *stmt, int index);
void db_bind_sha256(struct db_stmt *stmt, int index, const uint8_t sha256[32]);

enum db_step { DB_ROW, DB_DONE, DB_FAILED };

/* ERR_CONFLICT "duplicate" when a unique key refused the row; ERR_BUSY "database_busy" (try again)
 * or "database_unavailable" (db_is_unavailable); else ERR_SYSTEM "database_failed". */
checked enum db_step db_step(struct db_stmt *stmt, struct err *err);
/* For statements that give no row: steps once, CHECKs that none came; *ret_changes may be NULL. */
checked bool db_run(struct db_stmt *stmt, int64_t *ret_changes, struct err *err);
/* As db_run, and CHECKs that exactly one row changed: for rows that this transaction has locked. */
checked bool db_run_one(struct db_stmt *stmt, struct err *err);
/* Steps once: is there a row? The statement stays on it. */
checked bool db_find(struct db_stmt *stmt, bool *ret_found, struct err *err);
/* Ready for other values of the same statement; bound values stay. db_run does it by itself. */
void db_reset(struct db_stmt *stmt);

int64_t db_i64(struct db_stmt *stmt, int column);     /* from 0; NULL reads as 0 */
struct str db_text(struct db_stmt *stmt, int column); /* valid until the next step */
struct str db_blob(struct db_stmt *stmt, int column);
bool db_is_null(struct db_stmt *stmt, int column);
/* False, and zeros, when the column does not hold 32 bytes (NULL). */
bool db_sha256(struct db_stmt *stmt, int column, uint8_t ret_sha256[32]);

/* For migrations: several statements at once, in the words of the database. On MySQL each that
 * changes a table commits by itself. */
checked bool db_script(struct db *db, struct str sql, struct err *err);

/* Locks a row of a level for the running transaction. CHECKs that levels and ids ascend, that
 * shared is not upgraded, and that a transaction is open. The same lock again is fine. On SQLite
 * the write transaction is the lock, so only the order is held. On MySQL the row of lock_sql.h is
 * locked; a row that is not there locks nothing. */
checked bool db_lock(struct db *db, enum lock_level level, enum lock_mode mode, int64_t id,
                     struct err *err);
/* UTC milliseconds of the database's clock, read by a statement of its own after the locks. CHECKs
 * that the transaction takes no lock afterwards. */
checked bool db_now(struct db *db, int64_t *ret_now_ms, struct err *err);
/* True when this transaction holds the lock: for CHECKs in what changes the row. */
bool db_has_lock(const struct db *db, enum lock_level level, enum lock_mode mode, int64_t id);

#endif
