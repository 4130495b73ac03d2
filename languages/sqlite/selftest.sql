-- assize-speed-ms: 200
-- assize-part: schema
CREATE TABLE t (a INTEGER PRIMARY KEY);
-- assize-part: data
INSERT INTO t VALUES (1), (2);
-- assize-part: answer
SELECT 3 AS total;
-- assize-part: accepted
SELECT SUM(a) FROM t;
-- assize-part: wrong
SELECT MAX(a) FROM t;
-- assize-part: writing
INSERT INTO t VALUES (7);
INSERT INTO t SELECT a + 10 FROM t WHERE a = 1;
-- assize-part: written
INSERT INTO t VALUES (11), (7);
-- assize-part: check
SELECT COUNT(*), SUM(a) FROM t;
-- assize-part: again
SELECT COUNT(*) + 1 FROM t;
-- assize-part: time
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n;
-- assize-part: memory
SELECT RANDOMBLOB(8000000), RANDOMBLOB(8000000), RANDOMBLOB(8000000), RANDOMBLOB(8000000),
       RANDOMBLOB(8000000), RANDOMBLOB(8000000), RANDOMBLOB(8000000), RANDOMBLOB(8000000);
-- assize-part: crash
SELECT missing FROM t;
-- assize-part: forbidden
ATTACH DATABASE '/etc/passwd' AS other;
-- assize-part: speed
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000)
SELECT 3 FROM (SELECT SUM(i * 12345 % 7) AS c FROM n);
