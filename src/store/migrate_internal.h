#ifndef STORE_MIGRATE_INTERNAL_H
#define STORE_MIGRATE_INTERNAL_H

#include "store/migrate.h"

/* What migrations need on MySQL, where each change of a table commits by itself. */

struct migrate_lock {
    struct db *db; /* NULL: nothing taken */
};

/* One program at a time, for as long as the connection lives; waits for the other. On SQLite each
 * migration's transaction is enough, so nothing is taken. */
checked bool migrate_lock_take(struct db *db, struct migrate_lock *lock, struct err *err);
void migrate_lock_release(struct migrate_lock *lock);

typedef bool migrate_record_fn(struct db *db, const struct migration *migration, struct err *err);

/* Statement by statement, noting each in schema_migration_step, so that a program that was killed
 * in between, or a database that was, goes on where it ended. The statement that ran but was not
 * noted is recognised by what the database says to it. Counts *applied and calls `record` at the
 * end. */
checked bool migrate_stepwise(struct db *db, const struct migration *migration,
                              migrate_record_fn *record, int *applied, struct err *err);

#endif
