INSERT INTO orders VALUES (99, 1, '2024-05-05', 1.00);
SELECT name, total FROM spending;
