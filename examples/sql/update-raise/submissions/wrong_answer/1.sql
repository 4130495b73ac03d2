UPDATE employee SET salary = salary * 1.1;
