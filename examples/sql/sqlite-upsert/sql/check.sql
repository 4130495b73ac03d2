SELECT item, amount FROM stock;
SELECT COUNT(*) FROM delivery;
