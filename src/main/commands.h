#ifndef MAIN_COMMANDS_H
#define MAIN_COMMANDS_H

#include "base/command.h"

/* The commands that main/ itself has; local/ and cli/ have theirs. */
extern const struct command command_up;
extern const struct command command_server;
extern const struct command command_node;
extern const struct command command_migrate;
extern const struct command command_admin_reset_password;

#endif
