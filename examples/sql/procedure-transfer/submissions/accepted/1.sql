DELIMITER //
CREATE PROCEDURE transfer(IN source INT, IN target INT, IN amount INT)
BEGIN
    DECLARE have INT;
    SELECT balance INTO have FROM account WHERE id = source;
    CASE WHEN have >= amount THEN
        UPDATE account SET balance = CASE id WHEN source THEN balance - amount ELSE balance + amount END
        WHERE id IN (source, target);
    ELSE
        BEGIN END;
    END CASE;
END //
DELIMITER ;
