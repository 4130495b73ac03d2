CREATE TABLE customer (
    id   INT PRIMARY KEY,
    name VARCHAR(40) NOT NULL,
    city VARCHAR(40)
);
CREATE TABLE orders (
    id       INT PRIMARY KEY,
    customer INT NOT NULL,
    placed   DATE NOT NULL,
    total    DECIMAL(10, 2) NOT NULL,
    FOREIGN KEY (customer) REFERENCES customer (id)
);
