CREATE PROCEDURE transfer(source INT, target INT, amount INT)
BEGIN
    UPDATE account SET balance = balance - amount WHERE id = source;
    UPDATE account SET balance = balance + amount WHERE id = target;
END;
