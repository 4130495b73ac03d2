INSERT INTO employee VALUES (1, 'Root', NULL, 90), (2, 'Ann', 1, 70), (3, 'Bob', 1, 70), (4, 'Cid', 2, 50.5);
