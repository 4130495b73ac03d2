SELECT COUNT(*) FROM customer; SELECT name FROM customer WHERE city IS NULL;
