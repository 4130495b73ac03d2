-- What operators do to jobs: holds with their reason, faults of a problem's own files, and rejudgings.

ALTER TABLE submission ADD COLUMN deleted_ms @i64 NOT NULL DEFAULT 0; -- 0: there

-- Why a job waits without a due time, and since whom. The job_delayed row is the truth; this explains it.
CREATE TABLE job_hold (
    job_id @i64 NOT NULL,
    kind @i32 NOT NULL, -- 1 an operator, 2 the problem's own checker or data
    reason @text(256) NOT NULL,
    actor_id @i64 NOT NULL, -- 0: the system
    at_ms @i64 NOT NULL,
    PRIMARY KEY (job_id)
) @clustered;

-- Submissions whose judging ended in a fault of the problem, by the manifest that was used.
CREATE TABLE manifest_fault (
    manifest_id @bytes(32) NOT NULL,
    submission_id @i64 NOT NULL,
    at_ms @i64 NOT NULL,
    PRIMARY KEY (manifest_id, submission_id)
) @clustered;

-- A manifest with too many of them: its jobs are held until it is mended or let go.
CREATE TABLE manifest_hold (
    manifest_id @bytes(32) NOT NULL,
    problem_id @i64 NOT NULL,
    state @i32 NOT NULL, -- 1 holding, 2 held, 3 releasing
    cursor_id @i64 NOT NULL, -- submissions up to this one have been looked at
    code @text(64) NOT NULL, -- of the last fault
    detail @text(1024) NOT NULL,
    at_ms @i64 NOT NULL,
    PRIMARY KEY (manifest_id)
) @clustered;
CREATE INDEX manifest_hold_by_problem ON manifest_hold (problem_id);

CREATE TABLE rejudging (
    id @i64 NOT NULL,
    state @i32 NOT NULL,   -- domain/rejudging.h
    options @i32 NOT NULL, -- bits
    reason @text(256) NOT NULL,
    actor_id @i64 NOT NULL,  -- 0: the system
    cursor_id @i64 NOT NULL, -- the step that runs has done the submissions up to this one
    until_id @i64 NOT NULL,  -- submissions that came later are not meant
    problem_id @i64 NOT NULL, -- the selection; 0: any, as below
    user_id @i64 NOT NULL,
    language @text(32) NOT NULL,
    verdict @i32 NOT NULL,
    fault @i32 NOT NULL,
    job_state @i32 NOT NULL,
    origin_kind @i32 NOT NULL,
    origin_id @i64 NOT NULL,
    from_ms @i64 NOT NULL,
    to_ms @i64 NOT NULL,
    ids @longtext NOT NULL, -- ascending, separated by a space; empty: any
    created_ms @i64 NOT NULL,
    finished_ms @i64 NOT NULL, -- of the last step that was finished; 0: none
    revision @i64 NOT NULL,
    PRIMARY KEY (id)
) @table;
CREATE INDEX rejudging_by_state ON rejudging (state, id);

CREATE TABLE rejudging_item (
    rejudging_id @i64 NOT NULL,
    submission_id @i64 NOT NULL,
    state @i32 NOT NULL,  -- domain/rejudging.h
    reason @i32 NOT NULL, -- why it was left out
    job_id @i64 NOT NULL, -- the new judging; 0: left out
    old_job_id @i64 NOT NULL, -- what counted before; 0: nothing
    old_verdict @i32 NOT NULL,
    old_score_micro @i64 NOT NULL,
    old_cases_passed @i32 NOT NULL,
    old_cases_total @i32 NOT NULL,
    old_cpu_ms @i64 NOT NULL,
    old_memory_kib @i64 NOT NULL,
    old_judged_ms @i64 NOT NULL,
    new_verdict @i32 NOT NULL,
    new_score_micro @i64 NOT NULL,
    new_cases_passed @i32 NOT NULL,
    new_cases_total @i32 NOT NULL,
    new_cpu_ms @i64 NOT NULL,
    new_memory_kib @i64 NOT NULL,
    new_judged_ms @i64 NOT NULL,
    PRIMARY KEY (rejudging_id, submission_id)
) @clustered;
CREATE INDEX rejudging_item_by_state ON rejudging_item (rejudging_id, state, submission_id);
CREATE INDEX rejudging_item_by_job ON rejudging_item (job_id);
CREATE INDEX rejudging_item_by_submission ON rejudging_item (submission_id);
