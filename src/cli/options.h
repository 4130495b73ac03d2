#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/client.h"
#include "data/config.h"

/* --server and --user: the same for each command, from flags or the
 * environment (ASSIZE_SERVER, ASSIZE_USER, ASSIZE_PASSWORD, ASSIZE_TOKEN, ASSIZE_TOKEN_FILE). */
extern const struct config_row cli_rows[];

#define CLI_ARGUMENTS_MAX 32

struct cli {
    struct config *config;
    const char *arguments[CLI_ARGUMENTS_MAX]; /* what is no option */
    int count;
};

/* Reads flags and environment; `extra` are the command's own rows or NULL. -1: go on; else the exit
 * status to end with, after help or a message was printed. */
int cli_read(struct cli *cli, const char *usage, const struct config_row *extra, int count,
             char **args);
void cli_done(struct cli *cli);
/* With the API token, or signs in; asks for the password on a terminal when none is set. Prints
 * what is wrong. */
checked bool cli_connect(const struct cli *cli, struct client **ret_client);
/* Prints "assize: <text>" and returns the exit status for the error. */
int cli_fail(const struct err *err);

#endif
