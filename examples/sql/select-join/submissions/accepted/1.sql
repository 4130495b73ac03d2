SELECT name, (SELECT COUNT(*) FROM orders WHERE customer = c.id), (SELECT IFNULL(SUM(total), 0.0) FROM orders WHERE customer = c.id) FROM customer c;
