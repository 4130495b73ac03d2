BEGIN;
UPDATE stock SET amount = amount + (SELECT IFNULL(SUM(amount), 0) FROM delivery d WHERE d.item = stock.item);
INSERT INTO stock SELECT item, SUM(amount) FROM delivery WHERE item NOT IN (SELECT item FROM stock) GROUP BY item;
DELETE FROM delivery;
COMMIT;
