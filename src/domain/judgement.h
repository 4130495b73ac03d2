#ifndef DOMAIN_JUDGEMENT_H
#define DOMAIN_JUDGEMENT_H

#include "base/str.h"
#include "domain/verdict.h"

/* The outcome of one judging: what judge/ makes, node/ sends, app/ settles, everyone shows. Texts
 * live in the arena of whoever made the judgement. */
struct case_result {
    int32_t index; /* 0-based place in the manifest */
    struct str name;
    bool sample;
    enum verdict verdict;
    int64_t cpu_ms;
    int64_t wall_ms;
    int64_t memory_kib;
    bool twice; /* run again near the time limit; what did not count then: */
    int64_t other_cpu_ms;
    int64_t other_wall_ms;
    int64_t score_micro;
    /* At most CASE_MESSAGE_BYTES_MAX of valid UTF-8 each. */
    struct str message; /* for the student: never the answer of a secret case */
    struct str staff;   /* what a checker wrote for those who may see the answers */
};

struct compile_result {
    bool ran; /* false: the language has no compile step */
    bool ok;
    int64_t cpu_ms;
    int64_t wall_ms;
    int64_t memory_kib;
    struct str log; /* at most COMPILE_LOG_BYTES_MAX, valid UTF-8 */
};

struct judgement {
    enum verdict verdict;
    int64_t score_micro; /* of SCORE_FULL_MICRO for pass/fail problems */
    int32_t cases_passed;
    int32_t cases_total; /* in the manifest; `case_count` of them ran */
    struct compile_result compile;
    struct case_result *cases;
    int32_t case_count;
    struct str language;
    struct str language_version; /* exact compiler or interpreter version */
    struct str message;          /* for the student, may be empty */
};

#define SCORE_FULL_MICRO INT64_C(100000000) /* 100 points */

/* What is known while a job is being judged. */
enum judge_stage { JUDGE_STAGE_NONE, JUDGE_STAGE_COMPILING, JUDGE_STAGE_JUDGING };

#endif
