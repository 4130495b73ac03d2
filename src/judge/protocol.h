#ifndef JUDGE_PROTOCOL_H
#define JUDGE_PROTOCOL_H

#include "base/arena.h"
#include "domain/manifest.h"
#include "domain/ratio.h"
#include "domain/verdict.h"
#include "judge/outcome.h"

/* The calling conventions of checkers, one row each, and what an answer in each means. Nothing is
 * run here. A convention is chosen by the problem (enum program_adapter), never guessed; whatever
 * is not an answer in it is the problem's fault. Private to the judge module.
 * Source: docs/checker-protocols.md */

#define PROTOCOL_OUTPUTS_MAX 4
#define PROTOCOL_WORDS_MAX 8

enum protocol_stdin { PROTOCOL_READS_NOTHING, PROTOCOL_READS_INPUT, PROTOCOL_READS_OUTPUT };

/* What a checker's run left behind, cleaned (judge/text.h). */
struct protocol_said {
    int exit_code;
    struct str out;                         /* the beginning of standard output */
    struct str errors;                      /* of standard error */
    struct str files[PROTOCOL_OUTPUTS_MAX]; /* as in `outputs`; ptr NULL: there is none */
    int64_t full_points; /* what "{full}" stood for; 0 where the protocol has none */
};

/* What it means, whatever the convention. */
enum checker_says {
    CHECKER_SAYS_YES,
    CHECKER_SAYS_NO,
    CHECKER_SAYS_BAD_FORMAT,
    CHECKER_SAYS_SHARE,  /* `value` of the case's maximum, 0 to 1 */
    CHECKER_SAYS_POINTS, /* `value` points, 0 to the case's maximum */
};

struct checker_answer {
    enum checker_says says;
    bool accepted; /* a share or points below the maximum are no rejection, not even none */
    struct ratio value;
    struct str staff;   /* what the checker wrote for those who made the problem */
    struct str student; /* what the convention lets the contestant read; may be empty */
};

/* Errors: ERR_SYSTEM with FAULT_PROBLEM, the end of a sentence that begins with "the checker". */
typedef bool protocol_read_fn(const struct protocol_said *said, struct arena *arena,
                              struct checker_answer *ret_answer, struct err *err);

struct protocol {
    /* Behind the program's name; NULL-terminated. "{flags}" are the case's flags, "{full}" a number
     * that stands for the full score. */
    const char *args[PROTOCOL_WORDS_MAX];
    enum protocol_stdin reads;
    /* Names in the work folder; NULL: not put there. */
    const char *input;
    const char *answer;
    const char *output;
    const char *source;                            /* the contestant's source */
    const char *outputs[PROTOCOL_OUTPUTS_MAX + 1]; /* files it may leave; NULL-terminated */
    protocol_read_fn *read;
};

const struct protocol *protocol_of(enum program_adapter adapter); /* not ADAPTER_NONE */

/* Whether the run of a checker or interactor ended by itself, within its limits, by some exit
 * status. Else *ret_why says how, as the end of a sentence that begins with its name. */
bool protocol_ended(const struct box_result *result, const struct run_limits *limits,
                    struct outcome *ret_why);

/* The readers of the rows. */
protocol_read_fn protocol_read_icpc;    /* protocol_icpc.c */
protocol_read_fn protocol_read_testlib; /* protocol_testlib.c */
protocol_read_fn protocol_read_hydro_testlib;
protocol_read_fn protocol_read_hustoj_testlib;
protocol_read_fn protocol_read_hustoj; /* protocol_judges.c */
protocol_read_fn protocol_read_hustoj_score;
protocol_read_fn protocol_read_qduoj;
protocol_read_fn protocol_read_cms;
protocol_read_fn protocol_read_lemon;
protocol_read_fn protocol_read_syzoj;

/* FAULT_PROBLEM "checker_broken". Returns false. */
bool protocol_broken(struct err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool protocol_bad_status(struct err *err, const struct protocol_said *said, const char *allowed);

#endif
