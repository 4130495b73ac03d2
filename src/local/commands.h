#ifndef LOCAL_COMMANDS_H
#define LOCAL_COMMANDS_H

#include "base/command.h"

/* Commands that judge on this machine without a server. */
extern const struct command command_run;
extern const struct command command_problem_check;
extern const struct command command_problem_export;
extern const struct command command_problem_init;
extern const struct command command_box;
extern const struct command command_box_doctor;

#endif
