-- What nodes have reported of running jobs, for viewers at other servers while no Redis carries it.
-- Nothing depends on it: a row may be old, or missing.
CREATE TABLE job_progress (
    submission_id @i64 NOT NULL,
    job_id @i64 NOT NULL,
    lease_epoch @i64 NOT NULL,
    sequence @i64 NOT NULL,
    at_ms @i64 NOT NULL,
    body @blob NOT NULL, -- app/progress_share.c
    PRIMARY KEY (submission_id)
) @clustered;
