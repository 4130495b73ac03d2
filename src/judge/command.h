#ifndef JUDGE_COMMAND_H
#define JUDGE_COMMAND_H

#include "base/arena.h"
#include "language/language.h"

/* Command lines and the names in them. Private to the judge module. */

#define COMMAND_WORDS_MAX 500

struct command_words {
    const char *const *words;
    size_t count;
};

/* Words separated by white space; there is no quoting. In `arena`.
 * Errors: ERR_INVALID "bad_args" over COMMAND_WORDS_MAX words or with a NUL inside. */
checked bool command_split(struct str text, struct arena *arena, struct command_words *ret_words,
                           struct err *err);

/* What stands for the placeholders, and behind the command. */
struct command_fill {
    struct command_words sources;
    const char *entry;
    const char *prepared; /* folder; NULL: words that name it are left out */
    int64_t memory_mib;
    struct command_words extra;
};

/* A language's command with its placeholders filled, NULL-terminated, in `arena`.
 * Errors: ERR_INVALID "bad_args" over COMMAND_WORDS_MAX words. */
checked bool command_build(const struct language_command *command, const struct command_fill *fill,
                           struct arena *arena, const char *const **ret_argv, struct err *err);

/* May a submitted file be called so? Letters, digits and _ . + - only, so that no name is an option
 * or a response file to a compiler; begins with a letter, digit or _; at most 255 bytes. */
bool command_name_is_safe(struct str name);
/* The same for each part of a path with slashes between: files of a problem package. */
bool command_path_is_safe(struct str path);

#endif
