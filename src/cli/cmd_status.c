/* assize status SUBMISSION */
#include "base/limits.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/view.h"

#include <stdio.h>

static int run(const struct command *command, int count, char **args);

const struct command command_status = {"status", "show a submission, and wait for its verdict",
                                       run};

static int run(const struct command *command, int count, char **args) {
    (void)command;
    struct cli cli;
    struct err err = {0};
    int64_t id = 0;
    own(client) client = NULL;
    own(json) submission = NULL;
    int status =
        cli_read(&cli, "assize status SUBMISSION [--server URL] [--user NAME]", NULL, count, args);
    if (status < 0 &&
        (cli.count != 1 || !str_to_i64(str_from(cli.arguments[0]), 1, ID_MAX, &id, &err))) {
        (void)fprintf(stderr, "assize status: give the number of one submission\n");
        status = EXIT_STATUS_USAGE;
    }
    if (status < 0 && !cli_connect(&cli, &client)) {
        status = EXIT_STATUS_FAILED;
    }
    if (status < 0 && !cli_wait_submission(client, id, &submission, &err)) {
        status = cli_fail(&err);
    }
    if (status < 0) {
        cli_print_submission(submission);
        status = cli_verdict_status(submission);
    }
    cli_done(&cli);
    return status;
}
