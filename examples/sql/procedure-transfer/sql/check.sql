CALL transfer(1, 2, 30);
CALL transfer(2, 1, 45);
SELECT id, balance FROM account;
