#ifndef JUDGE_COMPARE_H
#define JUDGE_COMPARE_H

#include "base/buf.h"
#include "domain/manifest.h"

/* The built-in checkers: a submission's output against the expected answer. Streaming, in constant
 * memory, whatever the lengths. Private to
 * the judge module and the bench that measures it.
 *
 * Tokens (the default of the ICPC package format): runs of white space separate; numbers are
 * compared as numbers only when a tolerance is given, and then wherever the answer has one, within
 * the absolute OR the relative tolerance; NaN equals NaN, infinities by sign. Letters are A-Z and
 * a-z: nothing else has a case. A NUL is a byte like others. Tokens beyond 4 KiB are never numbers.
 * Lines: as tokens, but line breaks must fall between the same tokens; blank lines at the end are
 * ignored.
 * Unordered lines: the same lines, each with its tokens in order; blank lines are ignored.
 * Source: research on package formats, "compare rules in use". */

struct compare_rules {
    enum checker_kind kind; /* not CHECKER_PROGRAM */
    bool case_sensitive;
    bool space_sensitive;
    bool has_absolute;
    bool has_relative;
    long double absolute;
    long double relative;
};

enum compare_why {
    COMPARE_EQUAL,
    COMPARE_NO_OUTPUT, /* nothing but white space, where the answer has something */
    COMPARE_TOKEN,     /* another token than expected */
    COMPARE_NUMBER,    /* a number that is too far away, or no number */
    COMPARE_MISSING,   /* the output ends too early */
    COMPARE_EXTRA,     /* the output goes on behind the answer's end */
    COMPARE_SPACE,     /* white space or line breaks differ */
    COMPARE_SET,       /* not the same set of lines */
};

#define COMPARE_EXCERPT_BYTES_MAX 48

struct compare_result {
    enum compare_why why;
    int64_t offset;  /* of the difference in the output */
    int64_t line;    /* 1 is the first */
    int64_t token;   /* in its line, 1 is the first */
    bool only_space; /* ignoring white space there would be no difference */
    char expected[COMPARE_EXCERPT_BYTES_MAX];
    size_t expected_bytes; /* of the whole token; the excerpt holds its beginning */
    char got[COMPARE_EXCERPT_BYTES_MAX];
    size_t got_bytes;
};

/* Rules of a manifest's checker. `args`, if not empty, replaces its options by the words of the
 * ICPC default validator: case_sensitive, space_change_sensitive, float_tolerance X,
 * float_absolute_tolerance X, float_relative_tolerance X.
 * Errors: ERR_SYSTEM with FAULT_PROBLEM for words or numbers it does not know. */
checked bool compare_rules_read(const struct manifest_checker *checker, struct str args,
                                struct compare_rules *ret_rules, struct err *err);

/* Both descriptors are borrowed plain files, read from their start; their offsets stay.
 * Errors: ERR_SYSTEM with FAULT_NODE when reading failed. */
checked bool compare_files(const struct compare_rules *rules, int output_fd, int answer_fd,
                           struct compare_result *ret_result, struct err *err);

/* One sentence for the student. What was expected and what came is told only when `show`. */
void compare_message(const struct compare_result *result, bool show, struct buf *into);

#endif
