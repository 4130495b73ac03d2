SELECT name FROM customer WHERE city IS NULL; SELECT COUNT(*) FROM customer;
