CREATE OR REPLACE VIEW spending (name, total) AS SELECT customer.name, SUM(orders.total) FROM orders JOIN customer ON customer.id = orders.customer GROUP BY customer.name;
