-- Accounts, problems and their files. Types are the words of store/dialect.h, which each database spells
-- in its own way. Ids come from application blocks (id_block); times are UTC milliseconds.

CREATE TABLE id_block (
    name @text(32) NOT NULL,
    next_value @i64 NOT NULL,
    PRIMARY KEY (name)
) @clustered;

CREATE TABLE setting (
    name @text(64) NOT NULL,
    text @text(4096) NOT NULL,
    updated_ms @i64 NOT NULL,
    PRIMARY KEY (name)
) @clustered;

CREATE TABLE `user` (
    id @i64 NOT NULL,
    username @text(64) NOT NULL,
    username_key @text(128) NOT NULL, -- folded: unique without case
    display_name @text(128) NOT NULL,
    role @i32 NOT NULL,
    password_hash @text(256) NOT NULL,
    disabled @i32 NOT NULL,
    revision @i64 NOT NULL,
    created_ms @i64 NOT NULL,
    password_changed_ms @i64 NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (username_key)
) @table;

CREATE TABLE user_session (
    id @i64 NOT NULL,
    user_id @i64 NOT NULL,
    secret_digest @bytes(32) NOT NULL,
    created_ms @i64 NOT NULL,
    seen_ms @i64 NOT NULL,
    expires_ms @i64 NOT NULL,
    revoked_ms @i64 NOT NULL, -- 0: live
    PRIMARY KEY (id),
    UNIQUE (secret_digest)
) @table;
CREATE INDEX user_session_by_user ON user_session (user_id);

CREATE TABLE server_key (
    kid @text(32) NOT NULL,
    secret @bytes(64) NOT NULL,
    created_ms @i64 NOT NULL,
    signs_until_ms @i64 NOT NULL,
    accepted_until_ms @i64 NOT NULL,
    PRIMARY KEY (kid)
) @clustered;

CREATE TABLE audit_log (
    id @i64 NOT NULL,
    at_ms @i64 NOT NULL,
    actor_kind @i32 NOT NULL,
    actor_id @i64 NOT NULL,
    action @text(64) NOT NULL, -- noun.verb
    object_kind @text(32) NOT NULL,
    object_id @i64 NOT NULL,
    detail @text(1024) NOT NULL,
    trace_id @text(64) NOT NULL,
    PRIMARY KEY (id)
) @table;
CREATE INDEX audit_log_by_object ON audit_log (object_kind, object_id);

CREATE TABLE blob_file (
    sha256 @bytes(32) NOT NULL,
    bytes @i64 NOT NULL,
    created_ms @i64 NOT NULL,
    PRIMARY KEY (sha256)
) @clustered;

CREATE TABLE problem (
    id @i64 NOT NULL,
    code @text(64) NOT NULL,
    titles @longtext NOT NULL, -- a line each: language, tab, title
    search_text @longtext NOT NULL, -- code and titles, folded
    manifest_id @bytes(32) NOT NULL,
    time_limit_ms @i64 NOT NULL,
    memory_limit_kib @i64 NOT NULL,
    output_limit_kib @i64 NOT NULL,
    code_limit_kib @i64 NOT NULL,
    job_total_ms @i64 NOT NULL,
    cases_total @i32 NOT NULL,
    languages @text(2048) NOT NULL, -- allowed ids separated by a space; empty: all
    revision @i64 NOT NULL,
    created_ms @i64 NOT NULL,
    updated_ms @i64 NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (code)
) @table;

CREATE TABLE manifest (
    id @bytes(32) NOT NULL, -- SHA-256 of its canonical text, which is a blob of that name
    bytes @i64 NOT NULL,
    created_ms @i64 NOT NULL,
    PRIMARY KEY (id)
) @clustered;

CREATE TABLE problem_manifest (
    problem_id @i64 NOT NULL,
    version @i64 NOT NULL,
    manifest_id @bytes(32) NOT NULL,
    created_ms @i64 NOT NULL,
    PRIMARY KEY (problem_id, version)
) @clustered;

CREATE TABLE problem_statement (
    problem_id @i64 NOT NULL,
    language @text(16) NOT NULL,
    format @text(16) NOT NULL,
    body @blob NOT NULL, -- empty when it is a file
    file_name @text(512) NOT NULL,
    PRIMARY KEY (problem_id, language, format)
) @clustered;

-- What is shown as examples; the files of sample cases may differ from it.
CREATE TABLE problem_sample (
    problem_id @i64 NOT NULL,
    place @i32 NOT NULL,
    name @text(512) NOT NULL,
    input @blob NOT NULL,
    answer @blob NOT NULL,
    PRIMARY KEY (problem_id, place)
) @clustered;

CREATE TABLE problem_file (
    problem_id @i64 NOT NULL,
    name @text(512) NOT NULL,
    sha256 @bytes(32) NOT NULL,
    bytes @i64 NOT NULL,
    PRIMARY KEY (problem_id, name)
) @clustered;

CREATE TABLE idempotency_key (
    user_id @i64 NOT NULL,
    request_key @text(128) NOT NULL,
    action @text(64) NOT NULL,
    body_digest @bytes(32) NOT NULL,
    answer_id @i64 NOT NULL,
    created_ms @i64 NOT NULL,
    PRIMARY KEY (user_id, request_key)
) @clustered;
