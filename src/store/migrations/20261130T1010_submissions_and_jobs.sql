-- A submission's life (DESIGN sections 3 to 5). No foreign keys here: their hidden locks on the
-- parent would break the one lock order.

CREATE TABLE submission (
    id @i64 NOT NULL,
    kind @i32 NOT NULL,
    user_id @i64 NOT NULL,
    problem_id @i64 NOT NULL,
    manifest_id @bytes(32) NOT NULL,
    language @text(32) NOT NULL,
    origin_kind @i32 NOT NULL,
    origin_id @i64 NOT NULL,
    generation @i32 NOT NULL,
    current_job_id @i64 NOT NULL,   -- the only one that may settle
    effective_job_id @i64 NOT NULL, -- the one that counts; 0: none yet
    effective_rev @i64 NOT NULL,
    verdict @i32 NOT NULL, -- of the effective job; 0: none yet
    score_micro @i64 NOT NULL,
    cases_passed @i32 NOT NULL,
    cases_total @i32 NOT NULL,
    cpu_ms @i64 NOT NULL,
    memory_kib @i64 NOT NULL,
    request_key @text(128), -- NULL: none
    request_digest @bytes(32),
    trace_id @text(64) NOT NULL,
    created_ms @i64 NOT NULL,
    judged_ms @i64 NOT NULL, -- 0: not yet
    PRIMARY KEY (id),
    UNIQUE (user_id, request_key)
) @table;
CREATE INDEX submission_by_user ON submission (user_id, id);
CREATE INDEX submission_by_user_problem ON submission (user_id, problem_id, id);
CREATE INDEX submission_by_problem ON submission (problem_id, id);

CREATE TABLE submission_source (
    submission_id @i64 NOT NULL,
    sha256 @bytes(32) NOT NULL,
    bytes @i64 NOT NULL,
    encoding @i32 NOT NULL, -- 0 as it is, 1 zstd
    content @blob NOT NULL,
    PRIMARY KEY (submission_id)
) @table;

CREATE TABLE job (
    id @i64 NOT NULL,
    subject_kind @i32 NOT NULL,
    subject_id @i64 NOT NULL,
    generation @i32 NOT NULL,
    queue_id @i64 NOT NULL,
    priority @i32 NOT NULL,
    order_key @i64 NOT NULL,
    due_ms @i64 NOT NULL, -- 0 unless delayed: with it the place row's key is known
    state @i32 NOT NULL,
    attempts @i32 NOT NULL,
    lease_epoch @i64 NOT NULL, -- of the newest lease, as is the token
    lease_token @i64 NOT NULL,
    node_id @i64 NOT NULL,      -- that held the newest lease
    fault_node_id @i64 NOT NULL, -- whose attempt failed last
    result_digest @bytes(32),
    fault @i32 NOT NULL,
    fault_code @text(64) NOT NULL,
    fault_detail @text(1024) NOT NULL,
    created_ms @i64 NOT NULL,
    settled_ms @i64 NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (subject_kind, subject_id, generation)
) @table;

-- The snapshot: pins everything that judging needs. Written once.
CREATE TABLE job_body (
    job_id @i64 NOT NULL,
    pool @text(32) NOT NULL,
    runtime_spec @text(64) NOT NULL,
    language @text(32) NOT NULL,
    manifest_id @bytes(32) NOT NULL,
    source_sha256 @bytes(32) NOT NULL,
    source_bytes @i64 NOT NULL,
    time_limit_ms @i64 NOT NULL,
    memory_limit_kib @i64 NOT NULL,
    output_limit_kib @i64 NOT NULL,
    job_total_ms @i64 NOT NULL,
    trace_id @text(64) NOT NULL,
    PRIMARY KEY (job_id)
) @table;

CREATE TABLE job_result (
    job_id @i64 NOT NULL,
    encoding @i32 NOT NULL, -- 0 as it is, 1 zstd
    bytes @i64 NOT NULL,
    content @blob NOT NULL, -- app/judgement_text.c
    PRIMARY KEY (job_id)
) @table;

-- The place of an open job: exactly one of the next three.
CREATE TABLE job_ready (
    queue_id @i64 NOT NULL,
    priority @i32 NOT NULL,
    order_key @i64 NOT NULL,
    job_id @i64 NOT NULL,
    PRIMARY KEY (queue_id, priority, order_key, job_id)
) @clustered;

CREATE TABLE job_delayed (
    due_ms @i64 NOT NULL, -- DELAYED_HELD_MS: until somebody lets it go
    job_id @i64 NOT NULL,
    reason @i32 NOT NULL,
    PRIMARY KEY (due_ms, job_id)
) @clustered;

CREATE TABLE job_lease (
    job_id @i64 NOT NULL,
    node_id @i64 NOT NULL,
    host_group_id @i64 NOT NULL, -- 0: none
    session_epoch @i64 NOT NULL,
    lease_epoch @i64 NOT NULL,
    lease_token @i64 NOT NULL,
    claim_key @i64 NOT NULL,
    lease_until_ms @i64 NOT NULL,
    stop_at_ms @i64 NOT NULL,
    claimed_ms @i64 NOT NULL,
    revoked @i32 NOT NULL,
    PRIMARY KEY (job_id)
) @table;
CREATE INDEX job_lease_by_until ON job_lease (lease_until_ms);
CREATE INDEX job_lease_by_node ON job_lease (node_id);
CREATE INDEX job_lease_by_host_group ON job_lease (host_group_id);

-- Outbox: what a changed effective job makes others recompute. Removed when done.
CREATE TABLE settlement_event (
    job_id @i64 NOT NULL,
    event_type @i32 NOT NULL,
    effective_rev @i64 NOT NULL,
    subject_id @i64 NOT NULL,
    next_ms @i64 NOT NULL,
    attempts @i32 NOT NULL,
    PRIMARY KEY (job_id, event_type, effective_rev)
) @clustered;
CREATE INDEX settlement_event_by_next ON settlement_event (next_ms, job_id);

-- Derived: recomputed from submission, never added to.
CREATE TABLE user_problem (
    user_id @i64 NOT NULL,
    problem_id @i64 NOT NULL,
    best_verdict @i32 NOT NULL,
    best_score_micro @i64 NOT NULL,
    best_submission_id @i64 NOT NULL,
    PRIMARY KEY (user_id, problem_id)
) @clustered;

CREATE TABLE user_turn (
    queue_id @i64 NOT NULL,
    user_id @i64 NOT NULL,
    last_key @i64 NOT NULL,
    PRIMARY KEY (queue_id, user_id)
) @clustered;
