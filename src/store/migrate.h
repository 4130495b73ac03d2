#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include "store/db.h"

/* Brings a database to this program's schema. Migrations are files named by the UTC time at which
 * they were written, embedded at build time; each is applied once, in the order of their names, in
 * a transaction of its own, and recorded with the SHA-256 of its text. */

struct migration {
    const char *name; /* "20261130T1000_accounts_and_problems" */
    const char *sql;
};

extern const struct migration migrations[]; /* all of this program, ascending; ends with {0} */

/* Errors: ERR_CONFLICT "database_newer" when the database has one that `list` lacks;
 *         ERR_CONFLICT "migration_changed" when the text of an applied one is another;
 *         ERR_SYSTEM with the migration's name. */
checked bool migrate(struct db *db, const struct migration *list, int *ret_applied,
                     struct err *err);

#endif
