SELECT c.name, COUNT(o.id), SUM(o.total) FROM customer c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id, c.name;
