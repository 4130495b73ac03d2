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
extern const struct command command_admin_token;
extern const struct command command_admin_pool;
extern const struct command command_admin_queue;
extern const struct command command_admin_host_group;

#endif
