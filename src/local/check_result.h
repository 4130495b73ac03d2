#ifndef LOCAL_CHECK_RESULT_H
#define LOCAL_CHECK_RESULT_H

#include "base/buf.h"
#include "package/package.h"
#include <stdio.h>

/* Bundled submissions, what was expected of them and what they got. */

struct check_result {
    struct str path;
    uint32_t expected;    /* PACKAGE_EXPECT bits; 0: the package does not say */
    enum verdict verdict; /* NONE: not judged */
    int64_t cpu_ms;       /* of the slowest case */
    struct str message;   /* why it was not judged, or what the judging said */
    bool skipped;         /* its language is not on this machine */
    bool failed;          /* the system failed: nobody's verdict */
};

/* Judged, and as expected; what expects nothing agrees with everything. */
bool check_result_agrees(const struct check_result *result);
/* The verdict that stands for a set: the plainest of it. NONE for the empty set. */
enum verdict check_result_expected(uint32_t expected);
/* A table and a line that sums it up. */
void check_result_table(FILE *file, const struct check_result *results, size_t count, bool colours);
/* {"submissions":[{"path","expected","permitted","verdict","agrees","message"}],...} and a line
 * feed. */
checked bool check_result_json(const struct check_result *results, size_t count, struct buf *into,
                               struct err *err);

#endif
