SELECT city, name FROM (SELECT city, name, ROW_NUMBER() OVER (PARTITION BY city ORDER BY name) r FROM customer WHERE city IS NOT NULL) t WHERE r = 2;
