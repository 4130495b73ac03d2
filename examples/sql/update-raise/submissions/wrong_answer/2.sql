UPDATE employee SET salary = 11 WHERE salary < 60;
