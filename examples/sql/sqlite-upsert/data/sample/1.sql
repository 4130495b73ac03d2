INSERT INTO stock VALUES ('nut', 5), ('bolt', 1);
INSERT INTO delivery VALUES ('nut', 2), ('gear', 3);
