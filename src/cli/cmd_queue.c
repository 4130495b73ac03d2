/* assize admin queue: the queues of the pools, one for each runtime spec. */
#include "base/limits.h"
#include "cli/ask.h"
#include "cli/commands.h"
#include "cli/view.h"
#include "data/json_write.h"

#include <stdio.h>
#include <string.h>

static int run(const struct command *command, int count, char **args);

const struct command command_admin_queue = {
    "admin queue", "list the queues of the pools, take them out of service and back", run};

#define USAGE                                                                                      \
    "assize admin queue list\n"                                                                    \
    "       assize admin queue hold | release QUEUE       (its number, or POOL/RUNTIME-SPEC)"
#define NAME_BYTES 160

/* clang-format off */
static const struct config_row rows[] = {
    ASK_JSON_ROW,
    {0},
};
/* clang-format on */

static void print_queue(const struct json *pool, const struct json *queue) {
    char name[NAME_BYTES];
    const char *state = cli_flag(queue, "held")  ? "held"
                        : cli_flag(pool, "held") ? "pool held"
                                                 : "in service";
    (void)snprintf(name, sizeof name, STR_FMT "/" STR_FMT, STR_ARG(cli_text(pool, "pool")),
                   STR_ARG(cli_text(queue, "runtimeSpec")));
    (void)printf("%6lld  %-20s  %-10s  %lld node%s  %lld/%lld  %lld waiting%s\n",
                 (long long)cli_number(queue, "id"), name, state,
                 (long long)cli_number(queue, "nodes"), cli_number(queue, "nodes") == 1 ? "" : "s",
                 (long long)cli_number(queue, "busySlots"), (long long)cli_number(queue, "slots"),
                 (long long)cli_number(queue, "waiting"),
                 cli_flag(queue, "current") ? "  new jobs go here" : "");
}

static void print_pool(const struct json *pool) {
    const struct json *queues = jr_get(pool, "queues");
    for (size_t i = 0; i < jr_count(queues); i++) {
        print_queue(pool, jr_at(queues, i));
    }
}

static bool list(const struct ask *ask, const char *action, struct err *err) {
    (void)action;
    return ask_list(ask, "/api/v1/admin/pools", print_pool, err);
}

static bool is_queue(const struct json *pool, const struct json *queue, const char *wanted) {
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, STR_FMT "/" STR_FMT, STR_ARG(cli_text(pool, "pool")),
                   STR_ARG(cli_text(queue, "runtimeSpec")));
    return strcmp(name, wanted) == 0 || ask_is(queue, "id", wanted);
}

static bool find(const struct ask *ask, struct ask_object *ret_queue, struct err *err) {
    own(json) list = NULL;
    const char *wanted = NULL;
    if (!ask_named(ask, "queue, by its number or as POOL/RUNTIME-SPEC", &wanted, err) ||
        !ask_quietly(ask, "/api/v1/admin/pools", &list, err)) {
        return false;
    }
    const struct json *pools = jr_get(list, "items");
    for (size_t p = 0; p < jr_count(pools); p++) {
        const struct json *queues = jr_get(jr_at(pools, p), "queues");
        for (size_t q = 0; q < jr_count(queues); q++) {
            const struct json *queue = jr_at(queues, q);
            if (is_queue(jr_at(pools, p), queue, wanted)) {
                *ret_queue =
                    (struct ask_object){cli_number(queue, "id"), cli_number(queue, "revision")};
                return true;
            }
        }
    }
    return err_set(err, ERR_MISSING, "no_queue", "there is no queue %s", wanted);
}

static bool change(const struct ask *ask, const char *action, struct err *err) {
    own(json) answer = NULL;
    own_buf body;
    struct ask_object queue = {0};
    if (!find(ask, &queue, err)) {
        return false;
    }
    buf_init(&body, 256);
    (void)buf_printf(&body, "{\"revision\":%lld,\"held\":%s}", (long long)queue.revision,
                     strcmp(action, "hold") == 0 ? "true" : "false");
    if (!ask_call(ask, HTTP_PATCH,
                  arena_printf(ask->arena, "/api/v1/admin/queues/%lld", (long long)queue.id), &body,
                  &answer, err)) {
        return false;
    }
    if (!ask->json) {
        print_pool(answer);
    }
    return true;
}

static const struct ask_action actions[] = {
    {"list", list}, {"hold", change}, {"release", change}, {0}};

static int run(const struct command *command, int count, char **args) {
    return ask_run(&(struct ask_command){command->name, USAGE, rows, actions}, count, args);
}
