#include "store/id_block.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/thread.h"

#include <stdlib.h>

struct id_range {
    int64_t next;
    int64_t end; /* first id that is not ours */
};

struct id_ranges {
    struct id_range of[ID_SEQUENCE_COUNT];
};

struct id_blocks {
    struct mutex mutex; /* guards the ranges */
    int64_t low;        /* fewer ids than these are too few */
    struct id_ranges ranges;
};

/* clang-format off */
static const struct sequence {
    const char *name;
    int64_t block;
} sequences[ID_SEQUENCE_COUNT] = {
    [ID_SUBMISSION]   = {"submission",   4096},
    [ID_JOB]          = {"job",          4096},
    [ID_USER]         = {"user",         1024},
    [ID_USER_SESSION] = {"user_session", 1024},
    [ID_PROBLEM]      = {"problem",      1024},
    [ID_NODE]         = {"node",         1024},
    [ID_HOST_GROUP]   = {"host_group",   1024},
    [ID_QUEUE]        = {"queue",        1024},
    [ID_AUDIT]        = {"audit",        4096},
    [ID_NODE_EVENT]   = {"node_event",   4096},
    [ID_REJUDGING]    = {"rejudging",    1024},
    [ID_NODE_CHECK]   = {"node_check",   1024},
};
/* clang-format on */

struct id_blocks *id_blocks_create(int threads) {
    CHECK(threads > 0 && threads <= ID_THREADS_MAX);
    struct id_blocks *blocks = calloc(1, sizeof *blocks);
    CHECK(blocks != NULL);
    for (int i = 1; i < ID_SEQUENCE_COUNT; i++) {
        CHECK(sequences[i].block >= (int64_t)ID_THREADS_MAX * ID_TAKE_MAX);
    }
    mutex_init(&blocks->mutex);
    blocks->low = (int64_t)threads * ID_TAKE_MAX;
    return blocks;
}

void id_blocks_free(struct id_blocks *blocks) {
    if (blocks != NULL) {
        mutex_done(&blocks->mutex);
        free(blocks);
    }
}

static bool read_next(struct db *db, const char *name, int64_t *ret_next, bool *ret_found,
                      struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT next_value FROM id_block WHERE name = ? /*! FOR UPDATE */", &stmt,
                    err)) {
        return false;
    }
    db_bind_text(stmt, 1, str_from(name));
    enum db_step step = db_step(stmt, err);
    *ret_found = step == DB_ROW;
    *ret_next = step == DB_ROW ? db_i64(stmt, 0) : 1;
    return step != DB_FAILED;
}

static bool write_next(struct db *db, const char *name, int64_t next, bool found, struct err *err) {
    own(db_stmt) stmt = NULL;
    const char *sql = found ? "UPDATE id_block SET next_value = ? WHERE name = ?"
                            : "INSERT INTO id_block (next_value, name) VALUES (?, ?)";
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, next);
    db_bind_text(stmt, 2, str_from(name));
    if (db_run_one(stmt, err)) {
        return true;
    }
    /* Another server made the row at the same moment: the next time it is found. */
    return err->kind == ERR_CONFLICT
               ? err_set(err, ERR_BUSY, "database_busy", "another server reserves %s ids", name)
               : false;
}

/* A block that continues ours makes it longer; else the rest of ours is dropped. */
static bool reserve(struct db *db, enum id_sequence sequence, struct id_range *range,
                    struct err *err) {
    int64_t next = 0;
    bool found = false;
    const struct sequence *row = &sequences[sequence];
    if (!read_next(db, row->name, &next, &found, err)) {
        return false;
    }
    if (next > ID_MAX - row->block) {
        return err_set(err, ERR_SYSTEM, "ids_used_up", "no %s ids are left", row->name);
    }
    if (!write_next(db, row->name, next + row->block, found, err)) {
        return false;
    }
    range->next = next == range->end && range->end > 0 ? range->next : next;
    range->end = next + row->block;
    return true;
}

static bool is_low(const struct id_blocks *blocks, int sequence) {
    const struct id_range *range = &blocks->ranges.of[sequence];
    return range->end - range->next < blocks->low;
}

static bool fill(struct id_blocks *blocks, struct db *db, struct err *err) {
    struct id_ranges filled = blocks->ranges;
    bool low = false;
    for (int i = 1; i < ID_SEQUENCE_COUNT; i++) {
        low = low || is_low(blocks, i);
    }
    if (!low) {
        return true;
    }
    if (!db_begin(db, err)) {
        return err_wrap(err, "reserve ids");
    }
    for (int i = 1; i < ID_SEQUENCE_COUNT; i++) {
        if (is_low(blocks, i) && !reserve(db, (enum id_sequence)i, &filled.of[i], err)) {
            db_rollback(db);
            return err_wrap(err, "reserve ids");
        }
    }
    if (!db_commit(db, err)) { /* made or not: these ids are not used, so nothing can clash */
        db_rollback(db);
        return err_wrap(err, "reserve ids");
    }
    blocks->ranges = filled;
    return true;
}

/* Under the mutex to the end: whoever waits for it holds no lock of id_block. */
bool id_blocks_fill(struct id_blocks *blocks, struct db *db, struct err *err) {
    mutex_lock(&blocks->mutex);
    bool good = fill(blocks, db, err);
    mutex_unlock(&blocks->mutex);
    return good;
}

int64_t id_take(struct id_blocks *blocks, enum id_sequence sequence) {
    CHECK(sequence > 0 && sequence < ID_SEQUENCE_COUNT);
    mutex_lock(&blocks->mutex);
    struct id_range *range = &blocks->ranges.of[sequence];
    CHECK(range->next > 0 && range->next < range->end);
    int64_t id = range->next++;
    mutex_unlock(&blocks->mutex);
    return id;
}

static bool give_back(struct db *db, const struct id_blocks *blocks, struct err *err) {
    for (int i = 1; i < ID_SEQUENCE_COUNT; i++) {
        const struct id_range *range = &blocks->ranges.of[i];
        own(db_stmt) stmt = NULL;
        if (!db_prepare(db, "UPDATE id_block SET next_value = ? WHERE name = ? AND next_value = ?",
                        &stmt, err)) {
            return false;
        }
        db_bind_i64(stmt, 1, range->next);
        db_bind_text(stmt, 2, str_from(sequences[i].name));
        db_bind_i64(stmt, 3, range->end);
        if (range->end > range->next && !db_run(stmt, NULL, err)) {
            return false;
        }
    }
    return true;
}

void id_blocks_return(struct id_blocks *blocks, struct db *db) {
    struct err ignored = {0};
    mutex_lock(&blocks->mutex);
    if (db_begin(db, &ignored) && (!give_back(db, blocks, &ignored) || !db_commit(db, &ignored))) {
        db_rollback(db);
    }
    blocks->ranges = (struct id_ranges){0};
    mutex_unlock(&blocks->mutex);
}
