SELECT nmae, 1, 1 FROM customer;
