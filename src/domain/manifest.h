#ifndef DOMAIN_MANIFEST_H
#define DOMAIN_MANIFEST_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* An immutable version of a problem's test data, weights, groups, checker and limits. Its canonical
 * text (manifest_write) is a blob like any other, and the SHA-256 of that text is the manifest's
 * id. All fields of all problem kinds are in the form from the start, used or not, because adding
 * one later would change every digest. Text form: one line a fact, keyword first, fixed order, see
 * manifest_text.c.
 *
 * Invariants (manifest_check):
 * (1) names of cases are unique; group indices and dependencies point to earlier rows;
 * (2) limits are inside base/limits.h;
 * (3) manifest_write(manifest_read(t)) == t for each accepted t: one manifest, one digest. */

struct blob_ref {
    uint8_t sha256[32];
    int64_t bytes; /* -1: there is no such file */
};

enum problem_kind { /* bits */
                    PROBLEM_PASS_FAIL = 1,
                    PROBLEM_SCORING = 2,
                    PROBLEM_INTERACTIVE = 4,
                    PROBLEM_MULTI_PASS = 8,
                    PROBLEM_SUBMIT_ANSWER = 16,
                    PROBLEM_FUNCTION =
                        32, /* the submission is linked with a grader of the package */
                    PROBLEM_SQL = 64,
};

enum checker_kind {
    CHECKER_NONE,
    CHECKER_TOKENS, /* the ICPC default: white space separates, options below */
    CHECKER_LINES,  /* tokens per line */
    CHECKER_EXACT,
    CHECKER_UNORDERED_LINES,
    CHECKER_PROGRAM, /* `program` with `adapter` */
    CHECKER_KIND_COUNT,
};

/* How a checker or interactor program is called and what its answer means: judge/protocol.c has a
 * row for each. The problem says it, nothing is guessed from what a program prints. What is new
 * goes to the end. Source: docs/checker-protocols.md */
enum program_adapter {
    ADAPTER_NONE,
    ADAPTER_ICPC,
    ADAPTER_TESTLIB, /* stock: Polygon, and DMOJ's "bridged"; "points X" are points of the case */
    ADAPTER_HUSTOJ,  /* spj: input, answer, output */
    ADAPTER_HUSTOJ_TESTLIB, /* tpj: input, output, answer; "points X" is a share from 0 to 1 */
    ADAPTER_QDUOJ,
    ADAPTER_CMS,
    ADAPTER_LEMON,
    ADAPTER_SYZOJ,
    ADAPTER_HYDRO_TESTLIB, /* "points X": a share up to 1, per cent above it */
    ADAPTER_HUSTOJ_SCORE,  /* upj: as spj, and the exit status is per cent */
    ADAPTER_COUNT,
};

struct manifest_file {
    struct str name; /* plain relative path */
    struct blob_ref blob;
};

/* A program of the package: checker, interactor. */
struct manifest_program {
    struct str language; /* language id, or "script" for build/run scripts */
    enum program_adapter adapter;
    struct str entry; /* main file or class; may be empty */
    const struct manifest_file *files;
    int32_t file_count;
    struct str args; /* flags for every case, separated by one space */
};

struct manifest_checker {
    enum checker_kind kind;
    bool case_sensitive;
    bool space_sensitive;
    struct str float_absolute; /* canonical decimal text such as "1e-6"; empty: none */
    struct str float_relative;
    struct manifest_program program;
};

enum score_aggregation { AGGREGATE_PASS_FAIL = 1, AGGREGATE_SUM, AGGREGATE_MIN, AGGREGATE_MAX };

struct manifest_group {
    struct str name;
    int32_t parent; /* earlier index, or -1 */
    enum score_aggregation aggregation;
    int64_t score_micro; /* maximum */
    bool stop_on_reject;
    const int32_t *depends; /* earlier indices that must be accepted in full */
    int32_t depend_count;
    struct str checker_args;
};

struct manifest_case {
    struct str name; /* "sample/1", "secret/group1/02" */
    bool sample;
    int32_t group; /* index or -1 */
    struct blob_ref input;
    struct blob_ref answer;
    int64_t score_micro;               /* maximum of this case; 0 in pass/fail problems */
    int64_t time_limit_ms;             /* 0: the problem's */
    int64_t memory_limit_kib;          /* 0: the problem's */
    struct str args;                   /* for the submission */
    struct str checker_args;           /* replaces the program's args when not empty */
    const struct manifest_file *files; /* put beside the program */
    int32_t file_count;
};

struct manifest_include {
    struct str language; /* id, or "default" */
    struct manifest_file file;
};

struct manifest_language_limit {
    struct str language;
    int64_t time_permille; /* 1000: as given */
    int64_t memory_permille;
};

struct manifest_limits {
    int64_t time_ms;
    int64_t memory_kib;
    int64_t output_kib;
    int64_t code_kib;
    int64_t compile_time_ms;
    int64_t compile_memory_kib;
    int64_t validation_time_ms;
    int64_t validation_memory_kib;
    int64_t validation_output_kib;
    int32_t validation_passes;
    int64_t job_total_ms; /* a claimed job is stopped after this */
    const struct manifest_language_limit *languages;
    int32_t language_count;
};

struct manifest_sql {
    struct str dialect; /* "mysql", "sqlite" */
    struct blob_ref ddl;
    struct blob_ref seed;
    int64_t seed_version;
    struct blob_ref reference; /* the reference answer */
    struct blob_ref check;     /* statements whose results are compared after DML */
    bool ordered;
    bool column_names;
    struct str statements; /* allowed first keywords, separated by one space */
    int64_t rows_max;
    int64_t result_bytes_max;
};

struct manifest {
    uint32_t kinds; /* enum problem_kind bits */
    struct manifest_limits limits;
    struct manifest_checker checker;
    struct manifest_program interactor; /* language empty: none */
    enum score_aggregation aggregation;
    int64_t score_micro; /* maximum of the whole problem */
    bool score_maximize;
    bool run_all_cases;    /* pass/fail problems too: else stop at the first rejected one */
    struct str input_file; /* file input/output by name; empty: standard streams */
    struct str output_file;
    struct str languages; /* allowed ids separated by one space; empty: all */
    const struct manifest_group *groups;
    int32_t group_count;
    const struct manifest_case *cases;
    int32_t case_count;
    const struct manifest_include *includes;
    int32_t include_count;
    struct manifest_sql sql; /* dialect empty: none */
};

/* A pass/fail problem with default limits and the default checker, no cases. */
void manifest_defaults(struct manifest *manifest);
/* ERR_INVALID "bad_manifest" naming the first broken invariant. */
checked bool manifest_check(const struct manifest *manifest, struct err *err);
/* Appends the canonical text. CHECKs manifest_check. ERR_TOO_LARGE over the buffer's maximum. */
checked bool manifest_write(const struct manifest *manifest, struct buf *into, struct err *err);
/* Reads what manifest_write wrote; anything else, also merely uncanonical, is ERR_INVALID
 * "bad_manifest" with its line. Everything in *ret_manifest lives in `arena`. */
checked bool manifest_read(struct str text, struct arena *arena, struct manifest *ret_manifest,
                           struct err *err);

typedef void manifest_blob_fn(void *context, const struct blob_ref *blob);
/* Calls `visit` for each file that the manifest names: what a node may fetch, what collection must
 * keep. */
void manifest_each_blob(const struct manifest *manifest, manifest_blob_fn *visit, void *context);

/* Limits for one language and case, multipliers applied, inside base/limits.h. `case_index` may be
 * -1. */
int64_t manifest_time_ms(const struct manifest *manifest, int32_t case_index, struct str language);
int64_t manifest_memory_kib(const struct manifest *manifest, int32_t case_index,
                            struct str language);

#endif
