-- Turns are kept for each priority of a queue: what one priority is given says nothing about the
-- others. queue.virtual_key and user_turn stay for servers of the version before; where users stood
-- is not carried over, it only matters while they have jobs waiting.

CREATE TABLE queue_lane (
    queue_id @i64 NOT NULL,
    priority @i32 NOT NULL,
    virtual_key @i64 NOT NULL, -- highest order key claimed, a little behind
    PRIMARY KEY (queue_id, priority)
) @clustered;
INSERT INTO queue_lane (queue_id, priority, virtual_key) SELECT id, 0, virtual_key FROM queue;
INSERT INTO queue_lane (queue_id, priority, virtual_key) SELECT id, 1, virtual_key FROM queue;
INSERT INTO queue_lane (queue_id, priority, virtual_key) SELECT id, 2, virtual_key FROM queue;

CREATE TABLE lane_turn (
    queue_id @i64 NOT NULL,
    priority @i32 NOT NULL,
    user_id @i64 NOT NULL,
    last_key @i64 NOT NULL,
    PRIMARY KEY (queue_id, priority, user_id)
) @clustered;
