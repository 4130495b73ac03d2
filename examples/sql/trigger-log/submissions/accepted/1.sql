CREATE TRIGGER t BEFORE UPDATE ON account FOR EACH ROW
INSERT INTO change_log SELECT NEW.id, OLD.balance, NEW.balance FROM DUAL WHERE OLD.balance <> NEW.balance;
