SELECT * FROM employee; UPDATE employee SET salary = IF(salary < 60, salary * 1.1, salary);
