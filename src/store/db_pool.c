#include "store/db_pool.h"
#include "base/check.h"
#include "base/thread.h"
#include "store/mydb_target.h"

#include <stdlib.h>
#include <string.h>

struct db_pool {
    struct mutex mutex;
    struct cond returned;
    struct db_options options;
    char *path;
    char *shared_name;
    struct mydb_target mysql;
    int readers_max;
    int opened;
    int lent;
    struct db_reader *free;
};

static char *copy(const char *text) {
    char *copied = text != NULL ? strdup(text) : NULL;
    CHECK(text == NULL || copied != NULL);
    return copied;
}

static struct db_pool *create(const struct db_options *options, int readers_max, bool read_only) {
    CHECK(readers_max > 0);
    struct db_pool *pool = calloc(1, sizeof *pool);
    CHECK(pool != NULL);
    mutex_init(&pool->mutex);
    cond_init(&pool->returned);
    pool->path = copy(options->path);
    pool->shared_name = copy(options->shared_name);
    pool->options = *options;
    pool->options.path = pool->path;
    pool->options.shared_name = pool->shared_name;
    pool->options.read_only = read_only;
    if (options->mysql != NULL) {
        pool->mysql = *options->mysql;
        pool->options.mysql = &pool->mysql;
    }
    pool->readers_max = readers_max;
    return pool;
}

struct db_pool *db_pool_create(const struct db_options *options, int readers_max) {
    return create(options, readers_max, true);
}

struct db_pool *db_pool_create_writers(const struct db_options *options, int writers_max) {
    return create(options, writers_max, false);
}

void db_pool_free(struct db_pool *pool) {
    if (pool == NULL) {
        return;
    }
    CHECK(pool->lent == 0);
    while (pool->free != NULL) {
        struct db_reader *reader = pool->free;
        pool->free = reader->next;
        db_close(reader->db);
        free(reader);
    }
    cond_done(&pool->returned);
    mutex_done(&pool->mutex);
    free(pool->path);
    free(pool->shared_name);
    free(pool);
}

static bool open_reader(struct db_pool *pool, struct db_reader **ret_reader, struct err *err) {
    struct db *db = NULL;
    if (!db_open(&pool->options, &db, err)) {
        return false;
    }
    struct db_reader *reader = calloc(1, sizeof *reader);
    CHECK(reader != NULL);
    *reader = (struct db_reader){.db = db, .pool = pool};
    *ret_reader = reader;
    return true;
}

/* A free reader, or NULL with a place counted for a new one. */
static struct db_reader *wait_for_one(struct db_pool *pool) {
    mutex_lock(&pool->mutex);
    while (pool->free == NULL && pool->opened == pool->readers_max) {
        cond_wait(&pool->returned, &pool->mutex);
    }
    struct db_reader *reader = pool->free;
    if (reader != NULL) {
        pool->free = reader->next;
        reader->next = NULL;
    } else {
        pool->opened++;
    }
    pool->lent++;
    mutex_unlock(&pool->mutex);
    return reader;
}

static void give_back(struct db_pool *pool, struct db_reader *reader) {
    mutex_lock(&pool->mutex);
    pool->lent--;
    if (reader != NULL) {
        reader->next = pool->free;
        pool->free = reader;
    } else {
        pool->opened--;
    }
    cond_signal(&pool->returned);
    mutex_unlock(&pool->mutex);
}

bool db_pool_take(struct db_pool *pool, struct db_reader **ret_reader, struct err *err) {
    struct db_reader *reader = wait_for_one(pool);
    if (reader == NULL && !open_reader(pool, &reader, err)) {
        give_back(pool, NULL);
        return false;
    }
    if (!db_check(reader->db, err)) {
        give_back(pool, reader);
        return false;
    }
    *ret_reader = reader;
    return true;
}

void db_reader_release(struct db_reader *reader) {
    if (reader == NULL) {
        return;
    }
    db_rollback(reader->db);
    give_back(reader->pool, reader);
}
