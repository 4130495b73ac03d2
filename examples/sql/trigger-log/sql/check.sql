UPDATE account SET balance = balance + 1 WHERE id = 1;
UPDATE account SET owner = 'x' WHERE id = 2;
SELECT account, old_balance, new_balance FROM change_log;
