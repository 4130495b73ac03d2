#ifndef STORE_MYDB_INTERNAL_H
#define STORE_MYDB_INTERNAL_H

#include "store/db_driver_internal.h"
#include "store/mydb_target.h"

/* What the files of the MySQL driver share. mysql.c has connection and transactions, mysql_stmt.c
 * the statements; nobody else sees libmariadb (struct st_mysql is its MYSQL).
 *
 * (1) A transaction that the server has given up (deadlock, lost connection) is `doomed`: each of
 *     its statements and its commit fails with the error that doomed it, until it is rolled back.
 *     Else what follows would run, and be kept, one by one.
 * (2) `generation` counts connections: statements prepared on an earlier one are prepared anew. */

struct mydb {
    struct db base;
    struct mydb_target target;
    bool patient;
    struct st_mysql *raw; /* NULL: never connected, or given up */
    int64_t generation;
    bool lost;  /* the connection: only a new one helps */
    bool open;  /* a transaction, doomed or not */
    bool begun; /* and the server knows: told together with its first statement */
    bool doomed;
    struct err doom;
    int64_t used_mono_ms;    /* when the server answered last */
    int64_t refused_mono_ms; /* when connecting failed last; 0: it did not */
    struct err refusal;
    int64_t packets_on; /* the generation whose connection takes several statements at once */
    int64_t told_ms;    /* of a clock of tests: what the session's time is */
};

static inline struct mydb *mydb_of(struct db *db) {
    return (struct mydb *)db;
}

/* Turns what the server or the library said into *err, and dooms or marks the connection as lost.
 * Returns false. */
bool mydb_fail(struct mydb *db, unsigned code, const char *text, const char *what, struct err *err);
/* False, with the error that doomed it, in a doomed transaction; outside of one, or before its
 * first statement, a lost connection is made anew. */
checked bool mydb_connected(struct mydb *db, struct err *err);
/* As mydb_connected, and the server knows of the transaction. */
checked bool mydb_ready(struct mydb *db, struct err *err);
/* The transaction fails from now on, and its commit. Returns false. */
bool mydb_doom(struct mydb *db, const struct err *err);

#define MYDB_BEGIN "START TRANSACTION"
#define MYDB_CLOCK                                                                                 \
    "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000"

/* Whole packets (mysql_packet.c). */
bool mydb_packet(struct db *db, struct str text, struct packet_answer *answers, int count,
                 struct err *err);

bool mydb_stmt_make(struct db *db, const char *sql, struct db_stmt **ret_stmt, struct err *err);
bool mydb_stmt_reuse(struct db_stmt *stmt, struct err *err);
void mydb_stmt_end(struct db_stmt *stmt);
void mydb_stmt_again(struct db_stmt *stmt);
void mydb_stmt_clear(struct db_stmt *stmt);
void mydb_stmt_put_i64(struct db_stmt *stmt, int index, int64_t value);
void mydb_stmt_put_bytes(struct db_stmt *stmt, int index, struct str bytes, enum db_bytes kind);
void mydb_stmt_put_null(struct db_stmt *stmt, int index);
enum db_step mydb_stmt_step(struct db_stmt *stmt, struct err *err);
int64_t mydb_stmt_changes(struct db_stmt *stmt);
int64_t mydb_stmt_i64(struct db_stmt *stmt, int column);
struct str mydb_stmt_bytes(struct db_stmt *stmt, int column, enum db_bytes kind);
bool mydb_stmt_is_null(struct db_stmt *stmt, int column);

#endif
