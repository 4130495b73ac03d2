#ifndef LOCAL_CHECK_RESULT_H
#define LOCAL_CHECK_RESULT_H

#include "base/buf.h"
#include "local/problem_data.h"
#include "package/package.h"
#include <stdio.h>

/* Bundled submissions, what was expected of them and what they got. */

struct check_result {
    struct str path;
    uint32_t expected;     /* PACKAGE_EXPECT bits; 0: the package does not say */
    enum verdict verdict;  /* NONE: not judged */
    enum verdict rejected; /* of the first rejected case, when the verdict is PARTIAL; else NONE */
    bool has_score;        /* points are promised as well: from, to */
    int64_t score_min_micro, score_max_micro;
    int64_t score_micro; /* what it got */
    int64_t cpu_ms;      /* of the slowest case */
    struct str message;  /* why it was not judged, or what the judging said */
    bool skipped;        /* its language is not on this machine */
    bool failed;         /* the system failed: nobody's verdict */
};

/* Judged, and as expected; what expects nothing agrees with everything. */
bool check_result_agrees(const struct check_result *result);
/* The verdict that stands for a set: the plainest of it. NONE for the empty set. */
enum verdict check_result_expected(uint32_t expected);
/* A table and a line that sums it up. */
void check_result_table(FILE *file, const struct check_result *results, size_t count, bool colours);
/* What else a check says of a problem. */
struct check_problem {
    struct str code;
    struct str error;                        /* not empty: it cannot be read */
    int64_t time_limit_ms;                   /* used for judging */
    bool time_limit_found;                   /* by Kattis' rule, because the package gives none */
    const struct problem_data_fault *faults; /* inputs that validators do not accept */
    int32_t fault_count;
    int32_t validated; /* inputs, by at least one validator */
};
/* Lines about inputs and time limits. */
void check_problem_table(FILE *file, const struct check_problem *problem);

/* {"submissions":[{"path","expected","permitted","verdict","agrees","message"}],"problems":[...],
 * ...} and a line feed. */
struct check_report {
    const struct check_result *results;
    size_t count;
    const struct check_problem *problems;
    int32_t problem_count;
};
checked bool check_report_json(const struct check_report *report, struct buf *into,
                               struct err *err);

#endif
