#ifndef STORE_LOCK_SQL_H
#define STORE_LOCK_SQL_H

#include "domain/lock.h"

/* How db_lock locks on MySQL: a statement with one parameter, the id. Static texts, so that a
 * connection prepares each once. Levels whose rows may not exist yet when they are locked use a row
 * of lock_row. */
const char *lock_sql(enum lock_level level, enum lock_mode mode);
/* The same for several ids: `before`, the ids with `between` them, `after`. Only by the primary
 * key: a scan of a small table would lock every row of it. */
struct lock_words {
    const char *before;
    const char *between;
    const char *after;
};
struct lock_words lock_sql_words(enum lock_level level, enum lock_mode mode);

#endif
