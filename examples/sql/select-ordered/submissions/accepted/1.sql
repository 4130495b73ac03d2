SELECT name, SUM(total) Spent FROM orders JOIN customer ON customer.id = customer WHERE YEAR(placed) = 2024 AND MONTH(placed) = 2 GROUP BY name ORDER BY 2 DESC, 1;
