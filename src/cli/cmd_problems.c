/* assize problems */
#include "base/limits.h"
#include "cli/commands.h"
#include "cli/options.h"

#include <stdio.h>

static int run(const struct command *command, int count, char **args);

const struct command command_problems = {"problems", "list the problems of a server", run};

static void print_row(const struct json *item) {
    struct err err = {0};
    struct str code = {0};
    struct str title = {0};
    struct str mine = {0};
    int64_t id = 0;
    if (jr_i64(item, "id", 1, ID_MAX, &id, &err) && jr_str(item, "code", 256, &code, &err) &&
        jr_str(item, "title", 1024, &title, &err) &&
        jr_opt_str(item, "myStatus", 32, &mine, &err)) {
        (void)printf("%6lld  %-8s  %-20.*s  " STR_FMT "\n", (long long)id,
                     str_eq(mine, STR("ACCEPTED")) ? "solved"
                     : mine.len > 0                ? "tried"
                                                   : "",
                     STR_ARG(code), STR_ARG(title));
    }
}

static bool list(struct client *client, struct err *err) {
    char path[128] = "/api/v1/problems?limit=200";
    bool more = true;
    while (more) {
        own(json) page = NULL;
        struct str next = {0};
        struct client_call call = {.method = HTTP_GET, .path = path};
        if (!client_call(client, &call, &page, err)) {
            return false;
        }
        const struct json *items = jr_get(page, "items");
        for (size_t i = 0; i < jr_count(items); i++) {
            print_row(jr_at(items, i));
        }
        if (!jr_opt_str(page, "next", 64, &next, err)) {
            return false;
        }
        more = next.len > 0;
        (void)snprintf(path, sizeof path, "/api/v1/problems?limit=200&cursor=" STR_FMT,
                       STR_ARG(next));
    }
    return true;
}

static int run(const struct command *command, int count, char **args) {
    (void)command;
    struct cli cli;
    struct err err = {0};
    own(client) client = NULL;
    int status = cli_read(&cli, "assize problems [--server URL] [--user NAME]", NULL, count, args);
    if (status < 0 && !cli_connect(&cli, &client)) {
        status = EXIT_STATUS_FAILED;
    }
    if (status < 0) {
        status = list(client, &err) ? EXIT_STATUS_OK : cli_fail(&err);
    }
    cli_done(&cli);
    return status;
}
