-- Proving nodes, and taking pools and queues out of service.

ALTER TABLE node ADD COLUMN base_url @text(512) NOT NULL DEFAULT ''; -- of its health address; '': not probed
ALTER TABLE node ADD COLUMN check_id @i64 NOT NULL DEFAULT 0;        -- the self-test it is to run; 0: none
ALTER TABLE node ADD COLUMN passed_digest @text(64) NOT NULL DEFAULT ''; -- what the last passed self-test was of
ALTER TABLE node ADD COLUMN speed_permille @i64 NOT NULL DEFAULT 0;  -- measured by it; 0: not
ALTER TABLE node ADD COLUMN out_reason @text(512) NOT NULL DEFAULT ''; -- why it took itself out; '': it did not

ALTER TABLE pool ADD COLUMN revision @i64 NOT NULL DEFAULT 1;
ALTER TABLE queue ADD COLUMN held @i32 NOT NULL DEFAULT 0;
ALTER TABLE queue ADD COLUMN revision @i64 NOT NULL DEFAULT 1;

-- Self-tests and connection checks. A self-test is bound to one session of one node.
CREATE TABLE node_check (
    id @i64 NOT NULL,
    node_id @i64 NOT NULL,
    kind @i32 NOT NULL,
    state @i32 NOT NULL,
    session_epoch @i64 NOT NULL, -- 0: a connection check
    config_digest @text(64) NOT NULL,
    actor_id @i64 NOT NULL, -- who asked for it; 0: the system, for a new session
    speed_permille @i64 NOT NULL,
    message @text(512) NOT NULL,
    created_ms @i64 NOT NULL,
    done_ms @i64 NOT NULL, -- 0: not yet
    detail @longtext NOT NULL, -- what was tried, as JSON
    PRIMARY KEY (id)
) @table;
CREATE INDEX node_check_by_node ON node_check (node_id, id);
