-- Which nodes failed an open job, so that another one tries it; and when no server could write, so
-- that leases which ran out meanwhile cost no attempt.

CREATE TABLE job_avoid (
    job_id @i64 NOT NULL,
    node_id @i64 NOT NULL,
    at_ms @i64 NOT NULL, -- of the last time
    PRIMARY KEY (job_id, node_id)
) @clustered;

ALTER TABLE clock_guard ADD COLUMN outage_from_ms @i64 NOT NULL DEFAULT 0;
ALTER TABLE clock_guard ADD COLUMN outage_until_ms @i64 NOT NULL DEFAULT 0; -- 0: none was seen
