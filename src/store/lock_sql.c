#include "store/lock_sql.h"

/* LOCK IN SHARE MODE, because MariaDB has no FOR SHARE. */
#define BY_ID(table)                                                                               \
    {                                                                                              \
        [LOCK_SHARED] = "SELECT id FROM " table " WHERE id = ? LOCK IN SHARE MODE",                \
        [LOCK_EXCLUSIVE] = "SELECT id FROM " table " WHERE id = ? FOR UPDATE",                     \
    }

/* What is locked before its row exists, or has none: a row made for it. One statement, so that two
 * that come first wait for each other; shared would save nothing here. */
#define MAKE(kind)                                                                                 \
    "INSERT INTO lock_row (kind, id) VALUES ('" kind "', ?) ON DUPLICATE KEY UPDATE id = id"
#define BY_ROW(kind)                                                                               \
    { [LOCK_SHARED] = MAKE(kind), [LOCK_EXCLUSIVE] = MAKE(kind) }

static const char *const texts[LOCK_LEVEL_COUNT][2] = {
    [LOCK_USER] = BY_ID("`user`"),
    [LOCK_HOST_GROUP] = BY_ID("host_group"),
    [LOCK_NODE] = BY_ID("node"),
    [LOCK_CONTEXT] = BY_ID("problem"),
    [LOCK_EXAM_ATTEMPT] = BY_ROW("attempt"),
    [LOCK_PRACTICE_ANSWER] = BY_ROW("answer"),
    [LOCK_USER_TURN] = BY_ROW("turn"),
    [LOCK_REJUDGING] = BY_ROW("rejudging"),
    [LOCK_SUBMISSION] = BY_ID("submission"),
    [LOCK_JOB] = BY_ID("job"),
    [LOCK_EVENT] = BY_ROW("event"),
    [LOCK_DERIVED] = BY_ROW("derived"),
};

const char *lock_sql(enum lock_level level, enum lock_mode mode) {
    return texts[level][mode];
}
