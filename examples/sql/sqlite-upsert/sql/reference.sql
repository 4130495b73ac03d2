INSERT INTO stock SELECT item, SUM(amount) FROM delivery WHERE true GROUP BY item ON CONFLICT (item) DO UPDATE SET amount = amount + excluded.amount; DELETE FROM delivery;
