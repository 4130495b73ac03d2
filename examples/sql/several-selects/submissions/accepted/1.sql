-- two answers; both are compared
SELECT COUNT(id) FROM customer;
SELECT name FROM customer WHERE city <=> NULL;
