INSERT INTO course (id, name) VALUES (1, 'a'), (2, 'b');
INSERT IGNORE INTO course VALUES (3, 'a', 3), (1, 'c', 3);
INSERT INTO course VALUES (6, 'f', 10);
SELECT id, name, credits FROM course;
