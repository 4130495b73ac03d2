-- Who claimed of a queue last, where rows that are locked cannot be skipped (src/app/claim_owned.c).

CREATE TABLE queue_owner (
    id @i64 NOT NULL, -- the queue
    term @i64 NOT NULL, -- of the ownership: one more with each claim that found jobs
    owner @text(64) NOT NULL,
    PRIMARY KEY (id)
) @clustered;
