CREATE PROCEDURE transfer(source INT, target INT, amount INT)
BEGIN
    UPDATE account SET balance = balance;
END;
CREATE PROCEDURE endless() BEGIN WHILE 1 DO SELECT COUNT(*) INTO @a FROM account; END WHILE; END;
CALL endless();
