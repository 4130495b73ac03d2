SELECT c.name, COUNT(o.id), COALESCE(SUM(o.total), 0) FROM customer c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id, c.name;
