/* The program's commands, one row each, and finding the one that was typed. */
#include "base/command.h"
#include "bench/commands.h"
#include "cli/commands.h"
#include "local/commands.h"
#include "main/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {
    &command_up,
    &command_server,
    &command_node,
    &command_run,
    &command_problem_check,
    &command_problem_export,
    &command_problem_init,
    &command_problem_import,
    &command_problems,
    &command_submit,
    &command_status,
    &command_box,
    &command_box_doctor,
    &command_admin_reset_password,
    &command_admin_jobs,
    &command_admin_node,
    &command_admin_pool,
    &command_admin_queue,
    &command_admin_host_group,
    &command_admin_reconcile,
    &command_admin_rejudge,
    &command_admin_token,
    &command_bench,
    &command_migrate,
};

static void print_usage(FILE *out) {
    (void)fprintf(out, "usage: assize COMMAND [ARGUMENT...]\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        (void)fprintf(out, "  %-22s %s\n", commands[i]->name, commands[i]->summary);
    }
    (void)fprintf(out, "\n`assize COMMAND --help` tells more. `assize --version` prints %s.\n",
                  ASSIZE_VERSION);
}

/* How many arguments the name takes, 0 when it is another command. */
static int match(const char *name, int count, char **args) {
    char typed[64];
    const char *space = strchr(name, ' ');
    if (count < 1) {
        return 0;
    }
    if (space == NULL) {
        return strcmp(args[0], name) == 0 ? 1 : 0;
    }
    if (count < 2) {
        return 0;
    }
    (void)snprintf(typed, sizeof typed, "%.30s %.30s", args[0], args[1]);
    return strcmp(typed, name) == 0 ? 2 : 0;
}

/* "admin" alone, or with a second word that is none of its commands. */
static bool is_first_word(const char *word) {
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const char *space = strchr(commands[i]->name, ' ');
        if (space != NULL && strncmp(commands[i]->name, word, strlen(word)) == 0 &&
            commands[i]->name + strlen(word) == space) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv) {
    int count = argc - 1;
    char **args = argv + 1;
    if (count == 0) {
        print_usage(stderr);
        return EXIT_STATUS_USAGE;
    }
    if (strcmp(args[0], "--help") == 0 || strcmp(args[0], "-h") == 0 ||
        strcmp(args[0], "help") == 0) {
        print_usage(stdout);
        return EXIT_STATUS_OK;
    }
    if (strcmp(args[0], "--version") == 0) {
        (void)printf("assize %s\n", ASSIZE_VERSION);
        return EXIT_STATUS_OK;
    }
    /* Names of two words first: "box doctor" before "box". */
    for (int words = 2; words >= 1; words--) {
        for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
            if (match(commands[i]->name, count, args) == words) {
                return commands[i]->run(commands[i], count - words, args + words);
            }
        }
    }
    (void)fprintf(stderr, "assize: unknown command \"%s%s%s\"\n\n", args[0],
                  is_first_word(args[0]) && count > 1 ? " " : "",
                  is_first_word(args[0]) && count > 1 ? args[1] : "");
    print_usage(stderr);
    return EXIT_STATUS_USAGE;
}
