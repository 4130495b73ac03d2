#ifndef STORE_DB_POOL_H
#define STORE_DB_POOL_H

#include "store/db.h"

/* Connections for reads, opened when first needed and lent to one thread at a time:
 *
 *     own(db_reader) reader = NULL;
 *     if (!db_pool_take(pool, &reader, err)) {
 *         return false;
 *     }
 *     ... reader->db ...
 *
 * Who finds all of them lent waits. Never take two at once: threads would wait for each other. */

struct db_pool;

struct db_reader {
    struct db *db;
    struct db_pool *pool;
    struct db_reader *next; /* the pool's */
};

struct db_pool *db_pool_create(const struct db_options *options, int readers_max);
/* Of connections that may write, for what is no use case of the writer's: files in chunks. */
struct db_pool *db_pool_create_writers(const struct db_options *options, int writers_max);
void db_pool_free(struct db_pool *pool); /* CHECKs that all came back; accepts NULL */
OWN_DEFINE(db_pool, db_pool_free)

/* Errors: as db_open. */
checked bool db_pool_take(struct db_pool *pool, struct db_reader **ret_reader, struct err *err);
void db_reader_release(struct db_reader *reader); /* ends an open snapshot; accepts NULL */
OWN_DEFINE(db_reader, db_reader_release)

#endif
