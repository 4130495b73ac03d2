CREATE TABLE employee (
    id     INTEGER PRIMARY KEY,
    name   VARCHAR(40) NOT NULL,
    boss   INTEGER,
    salary DECIMAL(10, 2)
);
