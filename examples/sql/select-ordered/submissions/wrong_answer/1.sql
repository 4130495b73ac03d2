SELECT c.name, SUM(o.total) AS spent FROM customer c JOIN orders o ON o.customer = c.id WHERE o.placed BETWEEN '2024-02-01' AND '2024-02-29' GROUP BY c.id, c.name ORDER BY spent, c.name;
