SELECT city, MAX(name) FROM customer WHERE city IS NOT NULL GROUP BY city;
