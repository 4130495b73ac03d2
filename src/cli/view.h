#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "cli/client.h"

/* Members for showing: empty, 0 or false when there are none. */
struct str cli_text(const struct json *object, const char *name);
int64_t cli_number(const struct json *object, const char *name);
bool cli_flag(const struct json *object, const char *name);

/* What does not fit together in the pools, as one line. */
void cli_print_warning(const struct json *warning);

/* A submission as lines for a terminal. */
void cli_print_submission(const struct json *submission);
/* Asks until it is judged, with a growing pause; prints each state once to standard error. The last
 * answer is the caller's to free. */
checked bool cli_wait_submission(struct client *client, int64_t submission,
                                 struct json **ret_submission, struct err *err);
/* 0 when accepted, 1 for any other verdict or none. */
int cli_verdict_status(const struct json *submission);

#endif
