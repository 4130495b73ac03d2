/* Flags of local commands: one table each, help from the table. */
#include "local/arguments.h"

#include "base/command.h"
#include "base/limits.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool wants_help(int count, char **args) {
    for (int i = 0; i < count && strcmp(args[i], "--") != 0; i++) {
        if (strcmp(args[i], "--help") == 0 || strcmp(args[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static void print_help(const struct config *config, const char *usage) {
    own_buf text;
    buf_init(&text, 64 * KIB);
    config_help(config, &text);
    (void)printf("%s\n\n" STR_FMT, usage, STR_ARG(buf_str(&text)));
}

enum arguments_answer arguments_read(struct arguments *arguments, const char *usage,
                                     const struct config_row rows[], int count, char **args) {
    struct err err = {0};
    *arguments = (struct arguments){.config = config_create()};
    config_add(arguments->config, "Options", rows);
    if (wants_help(count, args)) {
        print_help(arguments->config, usage);
        return ARGUMENTS_HELP_SHOWN;
    }
    if (count > ARGUMENTS_MAX) {
        (void)fprintf(stderr, "assize: at most %d arguments\n", ARGUMENTS_MAX);
        return ARGUMENTS_BAD;
    }
    if (!config_read_env(arguments->config, (const char *const *)environ, &err) ||
        !config_read_args(arguments->config, count, (const char *const *)args, arguments->rest,
                          &arguments->count, &err)) {
        (void)fprintf(stderr, "assize: %s\n", err.text);
        return ARGUMENTS_BAD;
    }
    return ARGUMENTS_GO;
}

void arguments_done(struct arguments *arguments) {
    config_free(arguments->config);
    arguments->config = NULL;
}

int arguments_refuse(const char *command, const char *why) {
    (void)fprintf(stderr, "assize %s: %s; see assize %s --help\n", command, why, command);
    return EXIT_STATUS_USAGE;
}
