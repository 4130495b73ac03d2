#ifndef DOMAIN_LOCK_H
#define DOMAIN_LOCK_H

/* The one lock order (DESIGN section 5): level by level, ids ascending inside a level. Never
 * upgraded from shared to exclusive. db_lock CHECKs it on every driver. */
enum lock_level {
    LOCK_NONE,
    LOCK_USER, /* an account and its sessions; nothing else waits for these */
    LOCK_HOST_GROUP,
    LOCK_NODE,
    LOCK_QUEUE,   /* who claims of a queue, where locked rows cannot be skipped */
    LOCK_CONTEXT, /* problem, exam, contest */
    LOCK_EXAM_ATTEMPT,
    LOCK_PRACTICE_ANSWER,
    LOCK_USER_TURN,
    LOCK_REJUDGING,
    LOCK_SUBMISSION,
    LOCK_JOB, /* and its place row */
    LOCK_EVENT,
    LOCK_DERIVED,
    LOCK_LEVEL_COUNT,
};

enum lock_mode { LOCK_SHARED, LOCK_EXCLUSIVE };

#endif
