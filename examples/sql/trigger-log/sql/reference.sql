CREATE TRIGGER log_change AFTER UPDATE ON account FOR EACH ROW
BEGIN
    IF NOT OLD.balance <=> NEW.balance THEN
        INSERT INTO change_log VALUES (NEW.id, OLD.balance, NEW.balance);
    END IF;
END;
