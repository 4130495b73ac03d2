SELECT * FROM account;
