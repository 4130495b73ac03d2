WITH RECURSIVE w AS (SELECT id, id AS start, boss, 0 AS d FROM employee UNION ALL SELECT e.id, w.start, e.boss, d + 1 FROM w JOIN employee e ON e.id = w.boss)
SELECT (SELECT name FROM employee WHERE id = start), MAX(d) FROM w GROUP BY start;
