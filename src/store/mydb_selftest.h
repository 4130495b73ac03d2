#ifndef STORE_MYDB_SELFTEST_H
#define STORE_MYDB_SELFTEST_H

#include "store/db.h"

/* Whether the MySQL database does what the queue relies on, asked at each start after the
 * migrations. Some engines that speak MySQL accept a word and do nothing for it (TiDB: SKIP
 * LOCKED), and a setting that loses acknowledged commits does not show until the machine loses
 * power. */

#define SELFTEST_WARNINGS_MAX 12

struct mydb_report {
    bool claims_owned; /* jobs are claimed by one owner a queue: rows are not skipped here */
    int count;
    char warnings[SELFTEST_WARNINGS_MAX][256];
};

struct mydb_needs {
    int connections; /* of all pools of this process */
    enum db_claims claims;
};

/* `ret_report`: what will work but not well, or not survive a crash, in words; it is there on
 * failure too.
 * Errors: ERR_INVALID "database_unfit": the isolation, row locks or SKIP LOCKED are not as needed,
 *         the version is too old, or there are fewer connections than this process may take. SKIP
 *         LOCKED that is not real is an error only with DB_CLAIMS_SKIPPED. */
checked bool mydb_selftest(const struct db_options *options, const struct mydb_needs *needs,
                           struct mydb_report *ret_report, struct err *err);

#endif
