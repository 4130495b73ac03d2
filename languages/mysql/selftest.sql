-- assize-speed-ms: 200
-- assize-part: schema
CREATE TABLE t (a INT PRIMARY KEY);
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
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
SELECT COUNT(*) FROM n x, n y, n z, n u WHERE (x.i + y.i + z.i + u.i) % 7 = 1;
-- assize-part: memory
SELECT LENGTH(@a := REPEAT(SPACE(10000), 1500)), LENGTH(@b := CONCAT(@a, '')), LENGTH(@c := CONCAT(@a, '')),
       LENGTH(@d := CONCAT(@a, '')), LENGTH(@e := CONCAT(@a, '')), LENGTH(@f := CONCAT(@a, '')),
       LENGTH(@g := CONCAT(@a, '')), LENGTH(@h := CONCAT(@a, '')), LENGTH(@i := CONCAT(@a, '')),
       LENGTH(@j := CONCAT(@a, '')) FROM t;
-- assize-part: crash
SELECT missing FROM t;
-- assize-part: forbidden
SELECT COUNT(*) FROM mysql.user;
-- assize-part: speed
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
SELECT 3 FROM (SELECT COUNT(*) AS c FROM n x, n y, t WHERE (x.i * y.i + t.a) % 7 = 3) AS work;
