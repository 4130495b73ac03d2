CREATE VIEW spending AS SELECT c.name, COALESCE(SUM(o.total), 0) AS total FROM customer c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id, c.name;
