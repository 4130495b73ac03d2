CREATE VIEW spending AS SELECT c.name, SUM(o.total) AS total FROM customer c JOIN orders o ON o.customer = c.id GROUP BY c.id, c.name;
