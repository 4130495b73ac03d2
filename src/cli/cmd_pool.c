/* assize admin pool: which pools are in service, and what new jobs run on. */
#include "base/limits.h"
#include "cli/ask.h"
#include "cli/commands.h"
#include "cli/view.h"
#include "data/json_write.h"

#include <stdio.h>
#include <string.h>

static int run(const struct command *command, int count, char **args);

const struct command command_admin_pool = {
    "admin pool", "list pools, take them out of service and back, name their runtime spec", run};

#define USAGE                                                                                      \
    "assize admin pool list | warnings\n"                                                          \
    "       assize admin pool hold | release POOL\n"                                               \
    "       assize admin pool set POOL --runtime-spec S"
#define PATH "/api/v1/admin/pools"

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "runtime_spec", .type = CONFIG_TEXT, .flag = "runtime-spec",
     .help = "what new jobs run on, as cpp-r3; gets a queue when it is new"},
    ASK_JSON_ROW,
    {0},
};
/* clang-format on */

/* A pool's queues together. */
static void print_pool(const struct json *pool) {
    const struct json *queues = jr_get(pool, "queues");
    int64_t waiting = 0;
    int64_t nodes = 0;
    int64_t slots = 0;
    int64_t busy = 0;
    for (size_t i = 0; i < jr_count(queues); i++) {
        waiting += cli_number(jr_at(queues, i), "waiting");
        nodes += cli_number(jr_at(queues, i), "nodes");
        slots += cli_number(jr_at(queues, i), "slots");
        busy += cli_number(jr_at(queues, i), "busySlots");
    }
    (void)printf("%-8.*s  %-10.*s  %-10s  %lld node%s  %lld/%lld  %lld waiting\n",
                 STR_ARG(cli_text(pool, "pool")), STR_ARG(cli_text(pool, "runtimeSpec")),
                 cli_flag(pool, "held") ? "held" : "in service", (long long)nodes,
                 nodes == 1 ? "" : "s", (long long)busy, (long long)slots, (long long)waiting);
}

static bool list(const struct ask *ask, const char *action, struct err *err) {
    bool warnings = strcmp(action, "warnings") == 0;
    return ask_list(ask, warnings ? "/api/v1/admin/pool-warnings" : PATH,
                    warnings ? cli_print_warning : print_pool, err);
}

/* Its revision, by the name that was typed. */
static bool find(const struct ask *ask, const char **ret_name, int64_t *ret_revision,
                 struct err *err) {
    own(json) list = NULL;
    if (!ask_named(ask, "pool", ret_name, err) || !ask_quietly(ask, PATH, &list, err)) {
        return false;
    }
    const struct json *items = jr_get(list, "items");
    for (size_t i = 0; i < jr_count(items); i++) {
        if (str_eq_c(cli_text(jr_at(items, i), "pool"), *ret_name)) {
            *ret_revision = cli_number(jr_at(items, i), "revision");
            return true;
        }
    }
    return err_set(err, ERR_MISSING, "no_pool", "there is no pool %s", *ret_name);
}

static bool change(const struct ask *ask, const char *action, struct err *err) {
    own(json) answer = NULL;
    own_buf body;
    struct jw json;
    const char *name = NULL;
    int64_t revision = 0;
    bool set = strcmp(action, "set") == 0;
    if (set && !config_is_set(ask->cli->config, "runtime_spec")) {
        return err_set(err, ERR_INVALID, "bad_argument", "set takes --runtime-spec SPEC");
    }
    if (!find(ask, &name, &revision, err)) {
        return false;
    }
    buf_init(&body, 4 * KIB);
    jw_init(&json, &body);
    jw_object_begin(&json);
    jw_put_i64(&json, "revision", revision);
    if (set) {
        jw_put_cstr(&json, "runtimeSpec", config_text(ask->cli->config, "runtime_spec"));
    } else {
        jw_put_bool(&json, "held", strcmp(action, "hold") == 0);
    }
    jw_object_end(&json);
    const char *path =
        arena_printf(ask->arena, PATH "/%s", client_escape(ask->arena, str_from(name)));
    if (!jw_finish(&json, "the request", err) ||
        !ask_call(ask, HTTP_PATCH, path, &body, &answer, err)) {
        return false;
    }
    if (!ask->json) {
        print_pool(answer);
    }
    return true;
}

static const struct ask_action actions[] = {{"list", list},   {"warnings", list},
                                            {"hold", change}, {"release", change},
                                            {"set", change},  {0}};

static int run(const struct command *command, int count, char **args) {
    return ask_run(&(struct ask_command){command->name, USAGE, rows, actions}, count, args);
}
