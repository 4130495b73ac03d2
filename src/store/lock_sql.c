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

/* A queue's owner, made as above; its row holds more than the key. */
#define MAKE_OWNER(value)                                                                          \
    "INSERT INTO queue_owner (id, term, owner) VALUES (" value ", 0, '') ON DUPLICATE KEY UPDATE " \
    "id = id"

static const char *const texts[LOCK_LEVEL_COUNT][2] = {
    [LOCK_USER] = BY_ID("`user`"),
    [LOCK_HOST_GROUP] = BY_ID("host_group"),
    [LOCK_NODE] = BY_ID("node"),
    [LOCK_QUEUE] = {[LOCK_SHARED] = MAKE_OWNER("?"), [LOCK_EXCLUSIVE] = MAKE_OWNER("?")},
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

#define MANY_BY_ID(table)                                                                          \
    { "SELECT id FROM " table " FORCE INDEX (PRIMARY) WHERE id IN (", ",", ")" }
#define MANY_BY_ROW(kind)                                                                          \
    {                                                                                              \
        "INSERT INTO lock_row (kind, id) VALUES ('" kind "', ", "), ('" kind "', ",                \
            ") ON DUPLICATE KEY UPDATE id = id"                                                    \
    }

static const struct lock_words words[LOCK_LEVEL_COUNT] = {
    [LOCK_USER] = MANY_BY_ID("`user`"),
    [LOCK_HOST_GROUP] = MANY_BY_ID("host_group"),
    [LOCK_NODE] = MANY_BY_ID("node"),
    [LOCK_QUEUE] = {"INSERT INTO queue_owner (id, term, owner) VALUES (", ", 0, ''), (",
                    ", 0, '') ON DUPLICATE KEY UPDATE id = id"},
    [LOCK_CONTEXT] = MANY_BY_ID("problem"),
    [LOCK_EXAM_ATTEMPT] = MANY_BY_ROW("attempt"),
    [LOCK_PRACTICE_ANSWER] = MANY_BY_ROW("answer"),
    [LOCK_USER_TURN] = MANY_BY_ROW("turn"),
    [LOCK_REJUDGING] = MANY_BY_ROW("rejudging"),
    [LOCK_SUBMISSION] = MANY_BY_ID("submission"),
    [LOCK_JOB] = MANY_BY_ID("job"),
    [LOCK_EVENT] = MANY_BY_ROW("event"),
    [LOCK_DERIVED] = MANY_BY_ROW("derived"),
};

struct lock_words lock_sql_words(enum lock_level level, enum lock_mode mode) {
    struct lock_words found = words[level];
    if (found.after[1] == '\0') { /* a SELECT */
        found.after = mode == LOCK_EXCLUSIVE ? ") FOR UPDATE" : ") LOCK IN SHARE MODE";
    }
    return found;
}
