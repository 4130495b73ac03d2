#ifndef LOCAL_ARGUMENTS_H
#define LOCAL_ARGUMENTS_H

#include "data/config.h"

/* Flags and other arguments of a local command. */

#define ARGUMENTS_MAX 256

struct arguments {
    struct config *config;
    const char *rest[ARGUMENTS_MAX]; /* what is no flag */
    int count;
};

enum arguments_answer { ARGUMENTS_GO, ARGUMENTS_HELP_SHOWN, ARGUMENTS_BAD };

/* Reads `args` by `rows`; on --help prints `usage` and the rows. Mistakes are told on standard
 * error. The caller ends it by arguments_done whatever the answer. */
enum arguments_answer arguments_read(struct arguments *arguments, const char *usage,
                                     const struct config_row rows[], int count, char **args);
void arguments_done(struct arguments *arguments);
/* Prints why and where help is; returns EXIT_STATUS_USAGE. */
int arguments_refuse(const char *command, const char *why);

#endif
