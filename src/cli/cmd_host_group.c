/* assize admin host-group: machines that several nodes share, and their slots. */
#include "base/limits.h"
#include "cli/ask.h"
#include "cli/commands.h"
#include "cli/view.h"
#include "data/json_write.h"

#include <stdio.h>
#include <string.h>

static int run(const struct command *command, int count, char **args);

const struct command command_admin_host_group = {
    "admin host-group", "list and make host groups, set how many jobs their machines run", run};

#define USAGE                                                                                      \
    "assize admin host-group list\n"                                                               \
    "       assize admin host-group create | set GROUP --slots N"
#define PATH "/api/v1/admin/host-groups"

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "slots", .type = CONFIG_INT, .fallback = "0", .flag = "slots", .max = HOST_SLOTS_MAX,
     .help = "jobs at a time, of all its nodes together; fewer let running jobs finish"},
    ASK_JSON_ROW,
    {0},
};
/* clang-format on */

static const struct ask_kind groups = {
    .path = PATH, .name = "name", .what = "host group", .code = "no_host_group"};

static void print_group(const struct json *group) {
    int64_t nodes = cli_number(group, "nodes");
    (void)printf("%6lld  %-20.*s  %lld node%s  %lld/%lld\n", (long long)cli_number(group, "id"),
                 STR_ARG(cli_text(group, "name")), (long long)nodes, nodes == 1 ? "" : "s",
                 (long long)cli_number(group, "busySlots"), (long long)cli_number(group, "slots"));
}

static bool list(const struct ask *ask, const char *action, struct err *err) {
    (void)action;
    return ask_list(ask, PATH, print_group, err);
}

static bool write_group(const struct ask *ask, const char *action, struct err *err) {
    own(json) answer = NULL;
    own_buf body;
    struct jw json;
    struct ask_object group = {0};
    const char *name = NULL;
    bool create = strcmp(action, "create") == 0;
    int64_t slots = config_i64(ask->cli->config, "slots");
    if (slots < 1) {
        return err_set(err, ERR_INVALID, "bad_argument", "%s takes --slots N, at least 1", action);
    }
    if (!ask_named(ask, "host group", &name, err) ||
        (!create && !ask_find(ask, &groups, &group, err))) {
        return false;
    }
    buf_init(&body, 4 * KIB);
    jw_init(&json, &body);
    jw_object_begin(&json);
    if (create) {
        jw_put_cstr(&json, "name", name);
    } else {
        jw_put_i64(&json, "revision", group.revision);
    }
    jw_put_i64(&json, "slots", slots);
    jw_object_end(&json);
    const char *path = create ? PATH : arena_printf(ask->arena, PATH "/%lld", (long long)group.id);
    if (!jw_finish(&json, "the request", err) ||
        !ask_call(ask, create ? HTTP_POST : HTTP_PATCH, path, &body, &answer, err)) {
        return false;
    }
    if (!ask->json) {
        print_group(answer);
    }
    return true;
}

static const struct ask_action actions[] = {
    {"list", list}, {"create", write_group}, {"set", write_group}, {0}};

static int run(const struct command *command, int count, char **args) {
    return ask_run(&(struct ask_command){command->name, USAGE, rows, actions}, count, args);
}
