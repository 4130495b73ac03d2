CREATE PROCEDURE transfer(source INT, target INT, amount INT)
BEGIN
    IF (SELECT balance FROM account WHERE id = source) >= amount THEN
        UPDATE account SET balance = balance - amount WHERE id = source;
        UPDATE account SET balance = balance + amount WHERE id = target;
    END IF;
END;
