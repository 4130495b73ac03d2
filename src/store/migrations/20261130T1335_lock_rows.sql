-- What MySQL locks for a level of domain/lock.h whose own row may not exist yet (store/lock_sql.c).
-- SQLite's write transaction is its lock, so there it stays empty.

CREATE TABLE lock_row (
    kind @text(16) NOT NULL,
    id @i64 NOT NULL,
    PRIMARY KEY (kind, id)
) @clustered;
