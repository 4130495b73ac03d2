SELECT FROM name FROM employee;
