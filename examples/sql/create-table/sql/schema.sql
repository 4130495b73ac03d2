CREATE TABLE unused (a INT);
