CREATE VIEW spendings AS SELECT 1 AS name, 2 AS total;
