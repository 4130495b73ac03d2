WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i + 1 FROM n WHERE i < 990)
SELECT COUNT(*), SUM(a.i * b.i + c.i), MAX(d.i) FROM n a, n b, n c, n d WHERE a.i + b.i * c.i > d.i;
