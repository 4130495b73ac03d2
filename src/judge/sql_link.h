#ifndef JUDGE_SQL_LINK_H
#define JUDGE_SQL_LINK_H

#include "base/arena.h"
#include "base/err.h"
#include "judge/judge.h"
#include "sql/result.h"

/* A connection to a MariaDB or MySQL server that judges. No statement waits without a bound: behind
 * its deadline the connection is killed from another one, and behind that it is torn down. Private
 * to the judge module. */

struct sql_link;

checked bool sql_link_open(const struct judge_sql_server *target, struct sql_link **ret_link,
                           struct err *err);
void sql_link_close(struct sql_link *link); /* accepts NULL; ends what it was doing */
OWN_DEFINE(sql_link, sql_link_close)

/* Our own statements: short, without rows. ERR_SYSTEM with the server's words. */
checked bool sql_link_do(struct sql_link *link, const char *statement, struct err *err);
/* The same for one that gives at most one value; "" when there is none. At most 255 bytes. */
checked bool sql_link_ask(struct sql_link *link, const char *statement, char ret_text[256],
                          struct err *err);

enum sql_end {
    SQL_END_DONE,
    SQL_END_ERROR,    /* the server said no: code and text */
    SQL_END_TIME,     /* the deadline, or the server's own */
    SQL_END_LARGE,    /* more rows or bytes than allowed */
    SQL_END_LOST,     /* the connection broke */
    SQL_END_UNWANTED, /* nobody wants it any more */
};

#define SQL_TEXT_BYTES 400
struct sql_outcome {
    enum sql_end end;
    unsigned code;
    char text[SQL_TEXT_BYTES];
};

struct sql_ask {
    struct sql_link *killer;       /* kills the statement behind its deadline */
    int64_t deadline_ms;           /* of the monotonic clock */
    bool (*wanted)(void *context); /* asked five times a second */
    void *context;
    struct arena *arena;
    struct sql_tables *tables; /* results are added; NULL: they are dropped */
    struct sql_bounds *left;   /* what is left of the bounds */
};

/* Runs one statement. After anything but DONE and ERROR the link is of no more use. */
struct sql_outcome sql_link_run(struct sql_link *link, struct str statement,
                                const struct sql_ask *ask);

#endif
