WITH s AS (SELECT customer, COUNT(*) n, SUM(total) t FROM orders GROUP BY customer)
SELECT name, IFNULL(n, 0), IFNULL(t, 0) FROM customer LEFT JOIN s ON s.customer = id ORDER BY name DESC;
