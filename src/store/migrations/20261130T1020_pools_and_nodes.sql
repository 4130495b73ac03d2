-- Where jobs are judged.

CREATE TABLE pool (
    name @text(32) NOT NULL,
    runtime_spec @text(64) NOT NULL, -- the one that new jobs get
    held @i32 NOT NULL,
    PRIMARY KEY (name)
) @clustered;

CREATE TABLE queue (
    id @i64 NOT NULL,
    pool @text(32) NOT NULL,
    runtime_spec @text(64) NOT NULL,
    virtual_key @i64 NOT NULL, -- highest order key claimed, a little behind
    PRIMARY KEY (id),
    UNIQUE (pool, runtime_spec)
) @table;

CREATE TABLE host_group (
    id @i64 NOT NULL,
    name @text(64) NOT NULL,
    slots @i32 NOT NULL,
    revision @i64 NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (name)
) @table;

CREATE TABLE node (
    id @i64 NOT NULL,
    name @text(64) NOT NULL,
    queue_id @i64 NOT NULL,      -- never changes, as the host group
    host_group_id @i64 NOT NULL, -- 0: none
    slots @i32 NOT NULL,
    config @i32 NOT NULL,
    enable_when_ready @i32 NOT NULL,
    session_epoch @i64 NOT NULL,
    join_digest @bytes(32),
    join_until_ms @i64 NOT NULL,
    credential_digest @bytes(32),
    version @text(64) NOT NULL,
    languages @longtext NOT NULL, -- a line each: id, tab, version
    self_test_passed @i32 NOT NULL,
    self_test_detail @text(4096) NOT NULL,
    config_digest @text(64) NOT NULL,
    revision @i64 NOT NULL,
    created_ms @i64 NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (name),
    UNIQUE (join_digest),
    UNIQUE (credential_digest)
) @table;

CREATE TABLE node_beat (
    node_id @i64 NOT NULL,
    received_ms @i64 NOT NULL,
    session_epoch @i64 NOT NULL,
    busy_slots @i32 NOT NULL,
    load_permille @i64 NOT NULL,
    PRIMARY KEY (node_id)
) @table;

CREATE TABLE node_event (
    id @i64 NOT NULL,
    node_id @i64 NOT NULL,
    at_ms @i64 NOT NULL,
    event @text(64) NOT NULL, -- noun.verb
    job_id @i64 NOT NULL,     -- 0: none
    detail @text(1024) NOT NULL,
    PRIMARY KEY (id)
) @table;
CREATE INDEX node_event_by_node ON node_event (node_id, id);

CREATE TABLE clock_guard (
    id @i64 NOT NULL,
    highest_ms @i64 NOT NULL,
    PRIMARY KEY (id)
) @table;

CREATE TABLE maintenance_lease (
    name @text(32) NOT NULL,
    owner @text(256) NOT NULL,
    term @i64 NOT NULL,
    until_ms @i64 NOT NULL,
    PRIMARY KEY (name)
) @clustered;
