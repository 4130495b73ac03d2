INSERT INTO stock VALUES ('a', 1);
INSERT INTO delivery VALUES ('a', 1), ('a', 10), ('b', 7);
