BEGIN;
UPDATE account SET balance = balance + CASE id WHEN 1 THEN -30 ELSE 30 END WHERE id IN (1, 2);
COMMIT;
