#ifndef JOB_FIXTURE_H
#define JOB_FIXTURE_H

/* What the tests of jobs, places and leases share: a job, and the locks under which it changes. */
#include "store/job_store.h"
#include "store_fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void fixture_begin(struct fixture *f) {
    if (!db_begin(f->db, &f->err)) {
        fail_msg("%s", f->err.text);
    }
}

static inline void fixture_commit(struct fixture *f) {
    if (!db_commit(f->db, &f->err)) {
        fail_msg("%s", f->err.text);
    }
}

static inline void fixture_lock(struct fixture *f, enum lock_level level, int64_t id) {
    assert_true(db_lock(f->db, level, LOCK_EXCLUSIVE, id, &f->err));
}

static inline void fixture_lock_job(struct fixture *f, int64_t id) {
    fixture_lock(f, LOCK_JOB, id);
}

/* The call before was refused by a unique key. */
static inline void fixture_was_duplicate(struct fixture *f) {
    assert_int_equal(f->err.kind, ERR_CONFLICT);
    assert_string_equal(f->err.code, "duplicate");
}

/* Waits in queue 3; its subject is the submission of the same number. */
static inline struct job queued_job(int64_t id) {
    return (struct job){
        .id = {id},
        .subject = SUBJECT_ALGO,
        .submission = {id},
        .generation = 1,
        .queue = {3},
        .priority = PRIORITY_PRACTICE,
        .order_key = id * 10,
        .state = JOB_QUEUED,
    };
}

static inline void fixture_insert_job(struct fixture *f, const struct job *job) {
    fixture_begin(f);
    if (!job_store_insert(f->db, job, START_MS, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    fixture_commit(f);
}

/* What a CHECK does can only be seen from outside the process. */
static inline bool fixture_aborts(struct fixture *f, void (*act)(struct fixture *f)) {
    pid_t child = fork();
    if (child == 0) {
        (void)close(STDERR_FILENO);
        act(f);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

#endif
