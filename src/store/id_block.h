#ifndef STORE_ID_BLOCK_H
#define STORE_ID_BLOCK_H

#include "store/db.h"

/* Ids come from blocks that a process reserves in the database before it uses the first of them, so
 * they are known before the row is written and never issued twice, whatever is rolled back. What a
 * crash leaves unused is lost; an orderly end gives it back. Thread-safe: the threads of a process
 * share their blocks, so that its ids are in the order in which they were taken. */

enum id_sequence {
    ID_SUBMISSION = 1,
    ID_JOB,
    ID_USER,
    ID_USER_SESSION,
    ID_PROBLEM,
    ID_NODE,
    ID_HOST_GROUP,
    ID_QUEUE,
    ID_AUDIT,
    ID_NODE_EVENT,
    ID_REJUDGING,
    ID_NODE_CHECK,
    ID_SEQUENCE_COUNT,
};

/* Between two calls of id_blocks_fill a thread takes at most this many ids of each sequence. */
#define ID_TAKE_MAX 512
#define ID_THREADS_MAX 2

struct id_blocks;

/* For so many threads, at most ID_THREADS_MAX. */
struct id_blocks *id_blocks_create(int threads);
void id_blocks_free(struct id_blocks *blocks); /* accepts NULL */
OWN_DEFINE(id_blocks, id_blocks_free)

/* Reserves more where fewer than ID_TAKE_MAX for each thread are left; no transaction may be open.
 * Cheap when nothing is missing. */
checked bool id_blocks_fill(struct id_blocks *blocks, struct db *db, struct err *err);
/* The next id; CHECKs that one is left. */
int64_t id_take(struct id_blocks *blocks, enum id_sequence sequence);
/* Gives the unused rest back where nobody reserved after us. Best effort. */
void id_blocks_return(struct id_blocks *blocks, struct db *db);

#endif
