#ifndef PACKAGE_SCORING_INTERNAL_H
#define PACKAGE_SCORING_INTERNAL_H

#include "domain/scoring.h"
#include "package/reader_internal.h"

/* Groups of a scoring problem on their way into the manifest: a tree of the data's folders. Points
 * are micro-points. */

#define POINT_DIGITS 6

/* What a folder's file says, or the nearest folder's above it. */
struct score_settings {
    bool has_accept;
    int64_t accept_micro; /* of each accepted case */
    bool has_range;
    int64_t range_micro; /* the most; SCORE_MICRO_MAX: no limit */
    enum score_aggregation aggregation;
    bool average;       /* the sum, divided by how many they are */
    bool ignore_sample; /* the root's */
    bool stop;          /* at the first rejected one */
    bool has_max;
    int64_t max_micro; /* 2025-09 */
    bool unbounded;
    struct str needs; /* groups that must be passed first, as words */
};

struct score_node {
    struct str folder; /* below data/: "", "sample", "secret/a" */
    int32_t parent;    /* -1: the root, which is the problem itself */
    struct score_settings set;
    bool once;          /* legacy, as DOMjudge has it: accept_score is the group's, not a case's */
    int64_t case_micro; /* of each case directly inside */
    int64_t cap_micro;
    /* scoring_points */
    int32_t cases;
    int32_t parts;       /* cases and groups directly inside */
    int64_t whole_micro; /* the most it can give */
    int64_t score_micro; /* what it counts for in the end */
};

#define SCORE_NODES_MAX (MANIFEST_GROUPS_MAX + 1)
struct score_tree {
    struct package_reader *reader;
    struct score_node *nodes; /* parents first */
    int32_t count;
    int32_t *node_of; /* for each case; -1: it does not count */
};

/* scoring_points.c: from what cases are worth to groups and the problem, exactly: averages are
 * split by largest remainder. Writes scores of cases and groups into the manifest.
 * Errors: more than SCORE_MICRO_MAX. */
checked bool scoring_points(struct score_tree *tree, struct err *err);

#endif
