/* What the commands for administrators share. */
#include "cli/ask.h"
#include "base/limits.h"
#include "cli/view.h"

#include <stdio.h>
#include <string.h>

bool ask_call(const struct ask *ask, enum http_method method, const char *path,
              const struct buf *body, struct json **ret_answer, struct err *err) {
    own_buf raw;
    buf_init(&raw, 16 * MIB);
    struct client_call call = {.method = method,
                               .path = path,
                               .content_type = body != NULL ? "application/json" : NULL,
                               .body = body != NULL ? buf_str(body) : (struct str){0},
                               .raw = &raw};
    if (!client_call(ask->client, &call, ret_answer, err)) {
        return false;
    }
    if (ask->json && buf_str(&raw).len > 0) {
        (void)printf(STR_FMT "\n", STR_ARG(buf_str(&raw)));
    }
    return true;
}

bool ask_quietly(const struct ask *ask, const char *path, struct json **ret_answer,
                 struct err *err) {
    struct ask quiet = *ask;
    quiet.json = false;
    return ask_call(&quiet, HTTP_GET, path, NULL, ret_answer, err);
}

/* The address of the page after the one that answered, NULL after the last. */
static const char *next_page(const struct ask *ask, const char *path, const struct json *page) {
    struct str cursor = cli_text(page, "next");
    if (cursor.len == 0) {
        return NULL;
    }
    return arena_printf(ask->arena, "%s%ccursor=%s", path, strchr(path, '?') != NULL ? '&' : '?',
                        client_escape(ask->arena, cursor));
}

bool ask_list(const struct ask *ask, const char *path, void (*show)(const struct json *item),
              struct err *err) {
    const char *next = path;
    while (next != NULL) {
        own(json) page = NULL;
        if (!ask_call(ask, HTTP_GET, next, NULL, &page, err)) {
            return false;
        }
        const struct json *items = jr_get(page, "items");
        for (size_t i = 0; !ask->json && i < jr_count(items); i++) {
            show(jr_at(items, i));
        }
        next = next_page(ask, path, page);
    }
    return true;
}

bool ask_named(const struct ask *ask, const char *what, const char **ret_name, struct err *err) {
    if (ask->cli->count != 2 || ask->cli->arguments[1][0] == '\0') {
        return err_set(err, ERR_INVALID, "bad_argument", "name one %s", what);
    }
    *ret_name = ask->cli->arguments[1];
    return true;
}

static bool has_number(const struct json *item, const char *wanted) {
    char number[32];
    (void)snprintf(number, sizeof number, "%lld", (long long)cli_number(item, "id"));
    return strcmp(number, wanted) == 0;
}

bool ask_is(const struct json *item, const char *name, const char *wanted) {
    return str_eq_c(cli_text(item, name), wanted) || has_number(item, wanted);
}

/* A number is one object's alone; a name may be several objects'. True: no need to look on. */
static bool look_at(const struct json *item, const struct ask_kind *kind, const char *wanted,
                    struct ask_object *object, int *named) {
    bool numbered = has_number(item, wanted);
    if (!numbered && !str_eq_c(cli_text(item, kind->name), wanted)) {
        return false;
    }
    *named = numbered ? 1 : *named + 1;
    object->id = cli_number(item, "id");
    object->revision = cli_number(item, "revision");
    return numbered;
}

bool ask_find(const struct ask *ask, const struct ask_kind *kind, struct ask_object *ret_object,
              struct err *err) {
    const char *wanted = NULL;
    const char *next = kind->path;
    int named = 0;
    if (!ask_named(ask, kind->what, &wanted, err)) {
        return false;
    }
    while (next != NULL) {
        own(json) page = NULL;
        if (!ask_quietly(ask, next, &page, err)) {
            return false;
        }
        const struct json *items = jr_get(page, "items");
        for (size_t i = 0; i < jr_count(items); i++) {
            if (look_at(jr_at(items, i), kind, wanted, ret_object, &named)) {
                return true;
            }
        }
        next = next_page(ask, kind->path, page);
    }
    if (named > 1) {
        return err_set(err, ERR_INVALID, "bad_argument",
                       "%d of them have the name %s: say the number of the %s", named, wanted,
                       kind->what);
    }
    return named == 1 ||
           err_set(err, ERR_MISSING, kind->code, "there is no %s %s", kind->what, wanted);
}

void ask_put_given(struct jw *json, const struct cli *cli, const char *setting, const char *name) {
    if (config_is_set(cli->config, setting)) {
        const char *text = config_text(cli->config, setting);
        jw_put_cstr(json, name, strcmp(text, "none") == 0 ? "" : text);
    }
}

static const struct ask_action *find_action(const struct ask_command *command,
                                            const struct cli *cli) {
    for (const struct ask_action *one = command->actions; one->name != NULL; one++) {
        if (cli->count > 0 && strcmp(one->name, cli->arguments[0]) == 0) {
            return one;
        }
    }
    return NULL;
}

static int act(const struct ask_command *command, const struct cli *cli) {
    own(client) client = NULL;
    own(arena) arena = arena_create(4 * MIB);
    struct err err = {0};
    const struct ask_action *action = find_action(command, cli);
    if (action == NULL) {
        (void)fprintf(stderr, "assize %s: say what to do: see --help\n", command->name);
        return EXIT_STATUS_USAGE;
    }
    if (!cli_connect(cli, &client)) {
        return EXIT_STATUS_FAILED;
    }
    struct ask ask = {
        .cli = cli, .client = client, .arena = arena, .json = config_bool(cli->config, "json")};
    if (action->run(&ask, action->name, &err)) {
        return EXIT_STATUS_OK;
    }
    int status = cli_fail(&err);
    bool said_no = err.code != NULL && strcmp(err.code, "check_failed") == 0;
    bool typed_wrong = err.code != NULL && strcmp(err.code, "bad_argument") == 0;
    return said_no ? EXIT_STATUS_NEGATIVE : typed_wrong ? EXIT_STATUS_USAGE : status;
}

int ask_run(const struct ask_command *command, int count, char **args) {
    struct cli cli;
    int status = cli_read(&cli, command->usage, command->rows, count, args);
    if (status < 0) {
        status = act(command, &cli);
    }
    cli_done(&cli);
    return status;
}
