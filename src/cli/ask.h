#ifndef CLI_ASK_H
#define CLI_ASK_H

#include "base/command.h"
#include "cli/options.h"
#include "data/json_write.h"

/* What the `assize admin` commands share: a word that says what to do, one connection, answers as
 * they came with --json, and objects that are named by number or name. */

struct ask {
    const struct cli *cli;
    struct client *client;
    struct arena *arena;
    bool json;
};

/* The row that makes --json an option; the helpers below obey it. */
#define ASK_JSON_ROW                                                                               \
    {                                                                                              \
        .name = "json", .type = CONFIG_BOOL, .fallback = "no", .flag = "json",                     \
        .help = "print the answers of the server as JSON, one a line"                              \
    }

/* One answer. It is printed as it came with --json; without a body the answer is NULL. */
checked bool ask_call(const struct ask *ask, enum http_method method, const char *path,
                      const struct buf *body, struct json **ret_answer, struct err *err);
/* A read that is not printed. */
checked bool ask_quietly(const struct ask *ask, const char *path, struct json **ret_answer,
                         struct err *err);
/* Every page of a list; without --json `show` prints each item. */
checked bool ask_list(const struct ask *ask, const char *path,
                      void (*show)(const struct json *item), struct err *err);
/* The second argument. Errors: ERR_INVALID "bad_argument" when it is not there, or a third is. */
checked bool ask_named(const struct ask *ask, const char *what, const char **ret_name,
                       struct err *err);
/* Whether the item's `id` or its member `name` is what was typed. */
bool ask_is(const struct json *item, const char *name, const char *wanted);
struct ask_object {
    int64_t id;
    int64_t revision;
};
struct ask_kind {
    const char *path; /* of its list */
    const char *name; /* member of an item that people type */
    const char *what; /* "node" */
    const char *code; /* "no_judger" */
};
/* The object that the second argument names, on any page of its list. */
checked bool ask_find(const struct ask *ask, const struct ask_kind *kind,
                      struct ask_object *ret_object, struct err *err);
/* Adds the setting if it was given; "none" takes a value away. */
void ask_put_given(struct jw *json, const struct cli *cli, const char *setting, const char *name);

struct ask_action {
    const char *name;
    bool (*run)(const struct ask *ask, const char *action, struct err *err);
};
/* Reads the options, finds the action that the first argument names in `actions` (ended by one
 * without name), connects and runs it; the exit status. */
struct ask_command {
    const char *name; /* "admin pool" */
    const char *usage;
    const struct config_row *rows;
    const struct ask_action *actions;
};
int ask_run(const struct ask_command *command, int count, char **args);

#endif
