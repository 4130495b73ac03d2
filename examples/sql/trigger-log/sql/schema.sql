CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(20) NOT NULL, balance INT NOT NULL);
CREATE TABLE change_log (account INT, old_balance INT, new_balance INT);
