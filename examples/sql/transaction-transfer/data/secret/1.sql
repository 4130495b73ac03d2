INSERT INTO account VALUES (1, 'ann', 70), (2, 'bob', 0), (3, 'cid', 5);
