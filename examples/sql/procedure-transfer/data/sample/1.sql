INSERT INTO account VALUES (1, 'ann', 100), (2, 'bob', 20);
