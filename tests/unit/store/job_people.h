#ifndef JOB_PEOPLE_H
#define JOB_PEOPLE_H

/* Two users, two problems and five submissions with their jobs 10 to 50, as SQL. */
#include "job_fixture.h"

/* Submission 1 waits, 2 is held, 3 was accepted, 4 failed by its problem's fault, 5 is deleted. */
static const char *const people_and_jobs[] = {
    "INSERT INTO `user` VALUES (1, 'ann', 'ann', 'Ann', 1, '', 0, 1, 0, 0), "
    "(2, 'bob', 'bob', 'Bob', 1, '', 0, 1, 0, 0)",
    "INSERT INTO problem SELECT i, 'p' || i, '', '', x'aa', 1, 1, 1, 1, 1, 3, '', 1, 0, 0 FROM "
    "(SELECT 1 AS i UNION ALL SELECT 2) AS n",
    "INSERT INTO submission SELECT i, 1, 1 + (i > 3), 1 + (i = 4), x'bb', CASE WHEN i = 1 THEN "
    "'c' ELSE 'cpp' END, 1, 0, 1, i * 10, CASE WHEN i IN (3, 4) THEN i * 10 ELSE 0 END, "
    "i IN (3, 4), CASE i WHEN 3 THEN 1 WHEN 4 THEN 10 ELSE 0 END, 7 * (i = 3), 0, 3, 0, 0, NULL, "
    "NULL, 'trace', i * 1000, CASE WHEN i IN (3, 4) THEN 9 ELSE 0 END, i = 5 FROM (SELECT 1 AS i "
    "UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5) AS n",
    "INSERT INTO job SELECT id * 10, 1, id, 1, 3, 1, id, CASE WHEN id = 2 THEN 9007199254740991 "
    "ELSE 0 END, CASE id WHEN 3 THEN 3 WHEN 4 THEN 4 ELSE 1 END, id IN (3, 4), id IN (3, 4), 0, "
    "0, 0, NULL, 2 * (id = 4), CASE WHEN id = 4 THEN 'checker_crashed' ELSE '' END, '', id * 1000, "
    "0 FROM submission",
    "INSERT INTO job_body SELECT id, 'p', 's', 'c', " ZEROS ", " ZEROS ", 0, 1, 1, 1, 1, '' "
    "FROM job",
    "INSERT INTO job_ready VALUES (3, 1, 1, 10)",
    "INSERT INTO job_delayed VALUES (9007199254740991, 20, 2)",
    "INSERT INTO job_hold VALUES (20, 1, 'new tests come', 1, 5)",
};

static inline void plant_people(struct fixture *f) {
    for (size_t i = 0; i < sizeof people_and_jobs / sizeof people_and_jobs[0]; i++) {
        fixture_exec(f, f->db, people_and_jobs[i]);
    }
}

#endif
