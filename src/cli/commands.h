#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/command.h"

/* Commands that talk to a server for a person at a terminal. */
extern const struct command command_problem_import;
extern const struct command command_problems;
extern const struct command command_submit;
extern const struct command command_status;
extern const struct command command_admin_reconcile;
extern const struct command command_admin_jobs;
extern const struct command command_admin_node;
extern const struct command command_admin_rejudge;

#endif
