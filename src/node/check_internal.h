#ifndef NODE_CHECK_INTERNAL_H
#define NODE_CHECK_INTERNAL_H

#include "node/check.h"

/* What the self-tests of programs (check.c) and of SQL (check_sql.c) have in common. */

#define CHECK_SPEED_MARK "assize-speed-ms: "
#define CHECK_TIME_MS 3000 /* of all but the endless one; slow machines pass, too */
#define CHECK_ENDLESS_MS 200
#define CHECK_MEMORY_KIB (64 * KIB)

/* What must come of one program. */
struct check_program {
    const char *word;
    enum verdict verdict;
    enum verdict or_else; /* also right; VERDICT_NONE: nothing */
};

struct check_run {
    const struct check_options *options;
    const struct language *language;
    struct arena *arena;
    struct str source; /* of the language's self-test */
    struct check_report *report;
    int64_t cpu_ms; /* of all measuring programs */
    int64_t reference_ms;
};

/* Adds a program to the report; the first that has not passed gives the report's message. */
void check_note(struct check_run *run, struct machine_program program);
/* Holds a result against what must come; "speed" also counts as a measurement. */
void check_note_case(struct check_run *run, const struct check_program *program,
                     const struct case_result *result);
/* What is not installed is no failure. False when the check was told to stop. */
checked bool check_note_error(struct check_run *run, const char *program, const struct err *why,
                              struct err *err);
/* Whether the self-test says that its language cannot show this program. */
bool check_lacks(struct str source, const char *word);

/* The programs of a language of SQL: run->source has a part for each. False: told to stop. */
checked bool check_sql(struct check_run *run, struct err *err);

#endif
