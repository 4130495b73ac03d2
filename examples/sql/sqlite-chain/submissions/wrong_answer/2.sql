SELECT name, '0' FROM employee;
