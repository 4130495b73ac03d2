#ifndef JUDGE_SQL_SERVER_H
#define JUDGE_SQL_SERVER_H

#include "judge/sql_link.h"
#include "judge/work.h"

/* The database server of one slot: a MariaDB of the slot's own, as a service in the box, or one
 * that is configured. An own one is discarded when something of it cannot be trusted any more, and
 * the next one starts while nobody waits. Private to the judge module.
 *
 * Invariants: (1) jobs of two slots never share an own server; (2) a server that stored code of a
 * student ran in sees no other job; (3) an own server's socket has no name in any file
 * system, and the server dies with the box. */

struct sql_pool;
struct sql_server;

struct sql_pool *sql_pool_create(const struct judge_sql *options);
void sql_pool_free(struct judge *judge, struct sql_pool *pool); /* accepts NULL */
const struct judge_sql *sql_pool_options(const struct sql_pool *pool);

/* The slot's server with an open connection of its administrator; starts one when there is none.
 * Errors: ERR_SYSTEM, FAULT_NODE; ERR_CANCELLED. */
checked bool sql_server_acquire(struct work *work, const struct language *language,
                                struct sql_server **ret_server, struct err *err);
struct sql_link *sql_server_admin(const struct sql_server *server);
/* Another connection, as `user`, NULL password and schema allowed. */
checked bool sql_server_connect(struct sql_server *server, const char *user, const char *password,
                                const char *schema, struct sql_link **ret_link, struct err *err);
bool sql_server_is_own(const struct sql_server *server);
/* Ends it. A configured one only loses its connection. *ret_memory (may be NULL): it had been ended
 * by its memory limit. */
void sql_server_retire(struct work *work, struct sql_server *server, bool *ret_memory);
/* After each job; one that is not trusted any more, or old, is replaced by a new one at once. */
void sql_server_release(struct work *work, struct sql_server *server, bool trusted);
/* Ends an own server of a slot without a job; its next job starts another. */
void sql_pool_rest(struct judge *judge, int slot);

#endif
