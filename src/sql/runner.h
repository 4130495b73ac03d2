#ifndef SQL_RUNNER_H
#define SQL_RUNNER_H

/* Between the judge and the program that runs SQLite in the box:
 *
 *     assize-sqlite ROWS BYTES MEMORY
 *
 * reads the files setup, statements and check of its folder, each statement ended by a NUL, and
 * prints the results of the check, or of the statements when there is no check, in the form of
 * sql/result.h. */

#define SQL_RUNNER_NAME "assize-sqlite"

enum sql_runner_status {
    SQL_RUNNER_DONE = 0,
    SQL_RUNNER_USAGE = 20,
    SQL_RUNNER_SETUP,   /* schema or data do not run */
    SQL_RUNNER_REFUSED, /* a statement does not; its words begin with "syntax: " when they hold no
                           data */
    SQL_RUNNER_CHECK,
    SQL_RUNNER_LARGE, /* more rows or bytes than allowed */
    SQL_RUNNER_MEMORY,
};

#endif
