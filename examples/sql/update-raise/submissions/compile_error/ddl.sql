TRUNCATE employee;
