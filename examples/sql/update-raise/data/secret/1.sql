INSERT INTO employee VALUES (1, 'Root', NULL, 900), (5, 'Eve', 1, 10), (6, 'Fay', 5, 10), (7, 'Gus', 6, 20), (8, 'Hal', 1, NULL);
