#ifndef STORE_DIALECT_H
#define STORE_DIALECT_H

#include "base/buf.h"
#include "base/err.h"

/* Migrations are written once. What databases spell differently is a word with @ in front:
 *
 *     @i64 @i32          integers            @text(n)   up to n characters
 *     @bytes(n) @blob    bytes               @longtext  text without an index
 *     @table             after the columns: an ordinary table
 *     @clustered         after the columns: stored in the order of its primary key
 */

enum dialect { DIALECT_SQLITE = 1, DIALECT_MYSQL };

/* ERR_INVALID "bad_migration" naming a word that is not in the list. Text in quotes and comments is
 * treated like the rest: do not write @ there. */
checked bool dialect_expand(enum dialect dialect, struct str sql, struct buf *into,
                            struct err *err);

#endif
