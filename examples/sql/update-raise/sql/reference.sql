UPDATE employee SET salary = salary * 1.1 WHERE salary < 60;
