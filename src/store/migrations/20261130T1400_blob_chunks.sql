-- Files as rows, for servers that share no folder. A file is there when its head says so: chunks are
-- written first, in transactions of their own.
CREATE TABLE blob_head (
    sha256 @bytes(32) NOT NULL,
    bytes @i64 NOT NULL,
    stored_ms @i64 NOT NULL, -- last put or kept
    touches @i64 NOT NULL,   -- grows with each, so that an update always changes the row
    complete @i32 NOT NULL,
    PRIMARY KEY (sha256)
) @clustered;

CREATE TABLE blob_chunk (
    sha256 @bytes(32) NOT NULL,
    number @i32 NOT NULL, -- from 0
    data @blob NOT NULL,
    PRIMARY KEY (sha256, number)
) @clustered;
