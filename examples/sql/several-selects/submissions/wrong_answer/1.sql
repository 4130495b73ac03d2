SELECT COUNT(*) FROM customer;
