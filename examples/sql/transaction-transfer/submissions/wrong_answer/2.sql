UPDATE account SET balance = balance - 30 WHERE id = 1;
