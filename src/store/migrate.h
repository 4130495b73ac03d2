#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include "store/db.h"

/* Brings a database to this program's schema. Migrations are files named by the UTC time at which
 * they were written, embedded at build time; each is applied once, in the order of their names, and
 * recorded with the SHA-256 of its text. On SQLite each is a transaction. MySQL commits each change
 * of a table by itself: there a migration that was cut off goes on at the statement where it ended,
 * and a lock of the database lets one program migrate at a time.
 *
 * Expand, then contract: a migration only adds (tables, columns with a default, indexes that are
 * not unique), so that the programs of the version before go on working beside it, and may start
 * on its schema. One that takes something away is called "..._contract_..." and ships a version
 * later; programs that do not know it refuse to start. tools/check_migrations.py holds it so. */

struct migration {
    const char *name; /* "20261130T1000_accounts_and_problems" */
    const char *sql;
};

extern const struct migration migrations[]; /* all of this program, ascending; ends with {0} */

/* Errors: ERR_CONFLICT "database_newer" when the database has a contract that `list` lacks;
 *         ERR_CONFLICT "migration_changed" when the text of an applied one is another;
 *         ERR_SYSTEM with the migration's name. */
checked bool migrate(struct db *db, const struct migration *list, int *ret_applied,
                     struct err *err);

#endif
