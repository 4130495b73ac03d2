#ifndef BENCH_MARIADB_H
#define BENCH_MARIADB_H

#include "store/mydb_target.h"

#include <sys/types.h>

/* A MariaDB of a bench's own, below a folder, as production must have it: every commit and its
 * binary log flushed, row format with the minimal image. It ends with the bench. */

struct mariadb {
    char folder[300];
    char socket[100];          /* shorter than a socket's path may be */
    pid_t process;             /* 0: none runs */
    struct mydb_target target; /* an empty database in it */
};

/* Needs mariadbd and mariadb-install-db where the system installs them. What was made is the
 * caller's also after a failure: mariadb_stop. */
checked bool mariadb_start(struct mariadb *mariadb, const char *folder, struct err *err);
void mariadb_stop(struct mariadb *mariadb); /* fine when it never started; leaves the files */

#endif
