#ifndef STORE_DB_DRIVER_INTERNAL_H
#define STORE_DB_DRIVER_INTERNAL_H

#include "store/db.h"
#include "store/db_fault.h"
#include "store/lock_order.h"

/* What stands behind db.h: one table of functions a driver. db.c keeps what is the same (order of
 * locks, planted faults, which statements are prepared); a driver keeps its connection behind a
 * struct that begins with `struct db`, its statement behind one that begins with `struct db_stmt`.
 *
 * A statement is prepared once a connection and found again by the address of its text. */

#define DB_CACHE_SLOTS 1024 /* a power of two, well above the number of statements */

struct db_stmt {
    struct db *db;
    const char *sql;
    bool cached;
    bool in_use;
    bool running; /* on a row: the next step is no new statement */
};

struct db {
    const struct db_driver *driver;
    const struct clock *clock;
    bool read_only;
    bool claims_owned;
    struct lock_order locks;
    struct db_stmt *cache[DB_CACHE_SLOTS];
    int cached;
    db_fault_fn *fault;
    void *fault_context;
    struct rows *rows; /* rows.h: what waits to be written */
};

enum db_bytes { DB_BYTES_TEXT, DB_BYTES_BLOB };

struct packet_answer {                               /* of one statement */
    void (*row)(void *context, struct db_stmt *row); /* NULL: rows are not wanted */
    void *context;
    int64_t changes; /* out */
};

struct db_driver {
    enum dialect dialect;
    bool (*open)(const struct db_options *options, struct db **ret_db, struct err *err);
    void (*close)(struct db *db); /* all statements are released before; frees db */
    bool (*check)(struct db *db, struct err *err); /* see db_check */

    bool (*begin)(struct db *db, struct err *err);
    bool (*commit)(struct db *db, struct err *err);
    void (*rollback)(struct db *db);
    bool (*is_open)(const struct db *db); /* a transaction that can still be committed */
    bool (*exec)(struct db *db, const char *sql, struct err *err);
    /* When it cannot be undone the transaction must not be committed any more. */
    void (*savepoint_undo)(struct db *db);
    bool (*script)(struct db *db, struct str sql, struct err *err);

    bool (*prepare)(struct db *db, const char *sql, struct db_stmt **ret_stmt, struct err *err);
    bool (*reuse)(struct db_stmt *stmt, struct err *err); /* one of the cache, before its use */
    void (*finalize)(struct db_stmt *stmt);               /* frees it */
    void (*reset)(struct db_stmt *stmt);
    void (*clear)(struct db_stmt *stmt); /* forgets what is bound: all NULL */
    void (*bind_i64)(struct db_stmt *stmt, int index, int64_t value);
    void (*bind_bytes)(struct db_stmt *stmt, int index, struct str bytes, enum db_bytes kind);
    void (*bind_null)(struct db_stmt *stmt, int index);
    enum db_step (*step)(struct db_stmt *stmt, struct err *err);
    int64_t (*changes)(struct db_stmt *stmt); /* of the last step */
    int64_t (*i64)(struct db_stmt *stmt, int column);
    struct str (*bytes)(struct db_stmt *stmt, int column, enum db_bytes kind);
    bool (*is_null)(struct db_stmt *stmt, int column);

    /* Several statements at once, answered in their order; NULL: rows go one by one. */
    bool (*packet)(struct db *db, struct str text, struct packet_answer *answers, int count,
                   struct err *err);

    bool (*lock)(struct db *db, enum lock_level level, enum lock_mode mode, int64_t id,
                 struct err *err);
    bool (*now)(struct db *db, int64_t *ret_now_ms, struct err *err);
    /* What `now` asks when nobody tells the connection the time; NULL: none. */
    const char *clock_sql;
};

extern const struct db_driver sqlite_driver;
extern const struct db_driver mydb_driver;

bool db_fault_passes(struct db *db, enum db_point point, const char *sql, struct err *err);

/* What each driver's open begins with, and its close ends with. */
void db_base_init(struct db *db, const struct db_driver *driver, const struct db_options *options);
void db_base_done(struct db *db);

#endif
