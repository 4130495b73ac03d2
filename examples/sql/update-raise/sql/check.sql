SELECT id, salary FROM employee;
