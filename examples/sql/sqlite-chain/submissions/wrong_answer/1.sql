SELECT name, boss IS NOT NULL FROM employee;
