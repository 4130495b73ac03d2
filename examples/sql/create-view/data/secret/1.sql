INSERT INTO customer VALUES (1, 'Ada', 'London'), (2, 'Bo', NULL), (3, 'Chen', 'Beijing'), (4, 'Dee', 'London');
INSERT INTO orders VALUES (1, 2, '2023-12-31', 100.10), (2, 4, '2024-02-01', 5.50), (3, 4, '2024-02-29', 5.50),
    (4, 3, '2024-03-01', 0.00), (5, 2, '2024-02-10', 12.00);
