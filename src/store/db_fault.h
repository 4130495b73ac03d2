#ifndef STORE_DB_FAULT_H
#define STORE_DB_FAULT_H

#include "store/db.h"

/* For tests and the simulator: makes a connection fail between any two statements, as a real one
 * does. Never set in production. */
enum db_point {
    DB_POINT_BEGIN = 1,
    DB_POINT_STEP,      /* before a statement's step */
    DB_POINT_COMMIT,    /* before the commit: failing here rolls back */
    DB_POINT_COMMITTED, /* after it: failing here loses the acknowledgement only */
};

/* Returns false, with *err set, to make the call fail. `sql` is NULL unless at DB_POINT_STEP. */
typedef bool db_fault_fn(void *context, enum db_point point, const char *sql, struct err *err);

void db_set_fault(struct db *db, db_fault_fn *fault, void *context); /* NULL: none */

#endif
