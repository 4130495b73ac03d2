INSERT INTO customer VALUES (1, 'Ada', 'London'), (2, 'Bo', NULL), (3, 'Chen', 'Beijing');
INSERT INTO orders VALUES (1, 1, '2024-01-05', 20.00), (2, 1, '2024-02-01', 5.50), (3, 3, '2024-02-03', 7.25);
