#ifndef UNIT_DATA_CONFIG_ROWS_H
#define UNIT_DATA_CONFIG_ROWS_H

#include "data/config.h"

/* A table with a row of every type, for the tests of all config files. */
static const struct config_row server_rows[] = {
    {.name = "server.listen",
     .type = CONFIG_ADDRESS,
     .fallback = "127.0.0.1:8080",
     .flag = "listen",
     .help = "address of the web server"},
    {.name = "server.workers",
     .type = CONFIG_INT,
     .fallback = "4",
     .flag = "workers",
     .min = 1,
     .max = 64,
     .help = "threads"},
    {.name = "server.body-max",
     .type = CONFIG_SIZE,
     .fallback = "64KiB",
     .help = "largest request",
     .max = 1 << 30},
    {.name = "server.secret",
     .type = CONFIG_TEXT,
     .secret = true,
     .env = "OLD_SECRET",
     .help = "signs sessions"},
    {0},
};

static const struct config_row judge_rows[] = {
    {.name = "judge.pool",
     .type = CONFIG_TEXT,
     .fallback = "",
     .flag = "pool",
     .env = "JUDGE_POOL",
     .help = "pool that this node serves"},
    {.name = "judge.lease",
     .type = CONFIG_DURATION,
     .fallback = "1m",
     .flag = "lease",
     .min = 5000,
     .max = 600000,
     .help = "how long a lease lasts"},
    {.name = "log.level",
     .type = CONFIG_TEXT,
     .fallback = "info",
     .choices = "debug info warn error",
     .flag = "log-level",
     .help = "what is logged"},
    {.name = "verbose",
     .type = CONFIG_BOOL,
     .fallback = "false",
     .flag = "verbose",
     .help = "more"},
    {.name = "colour",
     .type = CONFIG_BOOL,
     .fallback = "true",
     .flag = "colour",
     .help = "colours"},
    {.name = "help", .type = CONFIG_BOOL, .fallback = "false", .flag = "help", .help = "this text"},
    {0},
};

static inline struct config *example_config(void) {
    struct config *config = config_create();
    config_add(config, "Server", server_rows);
    config_add(config, "Judge", judge_rows);
    return config;
}

#endif
