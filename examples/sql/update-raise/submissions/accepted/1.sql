UPDATE employee SET salary = salary + salary / 10 WHERE salary < 60;
