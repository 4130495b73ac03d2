#ifndef CLI_SELECTION_H
#define CLI_SELECTION_H

#include "cli/options.h"
#include "data/json_write.h"

/* Which submissions a command means: flags, and numbers as arguments. */

/* clang-format off */
#define SELECTION_ROWS                                                                             \
    {.name = "problem", .type = CONFIG_TEXT, .flag = "problem", .help = "number of a problem"},    \
    {.name = "of-user", .type = CONFIG_TEXT, .flag = "of-user", .help = "number of a user"},       \
    {.name = "language", .type = CONFIG_TEXT, .flag = "language", .help = "language id"},          \
    {.name = "verdict", .type = CONFIG_TEXT, .flag = "verdict",                                    \
     .help = "what counts now, as WRONG_ANSWER"},                                                  \
    {.name = "fault", .type = CONFIG_TEXT, .flag = "fault",                                        \
     .help = "of the last failure: NODE, PROBLEM or JOB"},                                         \
    {.name = "state", .type = CONFIG_TEXT, .flag = "state",                                        \
     .help = "of the job: QUEUED, RUNNING, COMPLETED, FAILED or CANCELLED"},                       \
    {.name = "held", .type = CONFIG_BOOL, .fallback = "no", .flag = "held",                        \
     .help = "only jobs that are held"},                                                           \
    {.name = "from", .type = CONFIG_TEXT, .flag = "from",                                          \
     .help = "handed in at or after, as 2026-11-30T08:00:00Z"},                                    \
    {.name = "to", .type = CONFIG_TEXT, .flag = "to", .help = "and before"},                       \
    {.name = "all", .type = CONFIG_BOOL, .fallback = "no", .flag = "all",                          \
     .help = "everything: needed when nothing else is said"}
/* clang-format on */

/* "&problemId=3&held=true": for a list's address. */
const char *selection_query_text(const struct config *config, struct arena *arena);
/* The member "selection": the flags, and the arguments from `first` on as submissions. Errors:
 * ERR_INVALID "bad_argument" for what is no number. */
checked bool selection_write(struct jw *json, const struct cli *cli, int first, struct err *err);

#endif
