#ifndef BASE_COMMAND_H
#define BASE_COMMAND_H

/* Commands of the program as a table: one const row each, in a file of its own. Help comes from the
 * row. */

enum exit_status {
    EXIT_STATUS_OK = 0,
    EXIT_STATUS_NEGATIVE = 1, /* it worked, and the answer is no: another verdict, a mismatch */
    EXIT_STATUS_USAGE = 2,
    EXIT_STATUS_FAILED = 3, /* the system failed, not the one who asked */
};

struct command {
    const char *name;    /* "run", or two words: "problem check" */
    const char *summary; /* one line, no full stop */
    /* Arguments after the command's name, `args[0]` being the first. Prints its own help for
     * --help. Returns an exit_status. */
    int (*run)(const struct command *command, int count, char **args);
};

#endif
