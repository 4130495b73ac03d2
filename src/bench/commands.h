#ifndef BENCH_COMMANDS_H
#define BENCH_COMMANDS_H

#include "base/command.h"

extern const struct command command_bench;

#endif
