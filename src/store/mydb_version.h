#ifndef STORE_MYDB_VERSION_H
#define STORE_MYDB_VERSION_H

#include "base/err.h"
#include "base/str.h"

/* `text` is what the server says of itself: "8.0.36", "5.5.5-10.11.6-MariaDB-1", "8.0.11-TiDB-v8".
 * MariaDB from 10.6 on, MySQL from 8.0.19 on (SKIP LOCKED, and tables of VALUES: packet.c). The
 * number of another engine says nothing about MySQL's: it is left to the self-test.
 * Errors: ERR_INVALID "database_refused" with what was found and what is needed. */
checked bool mydb_version_check(struct str text, struct err *err);

#endif
