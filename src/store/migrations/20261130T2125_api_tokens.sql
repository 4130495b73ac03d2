-- Tokens of programs that speak for a user. The token itself is never stored.
CREATE TABLE api_token (
    id @i64 NOT NULL,
    user_id @i64 NOT NULL,
    name @text(64) NOT NULL,
    secret_digest @bytes(32) NOT NULL,
    scope @i32 NOT NULL, -- domain/api_token.h
    created_ms @i64 NOT NULL,
    expires_ms @i64 NOT NULL,
    revoked_ms @i64 NOT NULL, -- 0: live
    PRIMARY KEY (id),
    UNIQUE (secret_digest)
) @table;
CREATE INDEX api_token_by_user ON api_token (user_id, id);
