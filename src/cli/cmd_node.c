/* assize admin node: register nodes, prove them, take them in and out of service. */
#include "base/clock.h"
#include "base/limits.h"
#include "cli/ask.h"
#include "cli/commands.h"
#include "cli/view.h"
#include "data/json_write.h"

#include <stdio.h>
#include <string.h>

static int run(const struct command *command, int count, char **args);

const struct command command_admin_node = {
    "admin node", "register judge nodes, check, enable, drain, disable and revoke them", run};

#define USAGE                                                                                      \
    "assize admin node list | warnings\n"                                                          \
    "       assize admin node register NAME --pool POOL [--slots N] [--runtime-spec S] "           \
    "[--host-group G] [--base-url URL]\n"                                                          \
    "       assize admin node show | check | probe | enable | drain | disable | rotate | revoke "  \
    "NODE\n"                                                                                       \
    "       assize admin node set NODE [--slots N] [--base-url URL]"
#define PATH "/api/v1/admin/judgers"
#define CHECK_WAIT_MS 600000
#define CHECK_PAUSE_MS 500

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "pool", .type = CONFIG_TEXT, .flag = "pool", .help = "pool of a new node"},
    {.name = "slots", .type = CONFIG_INT, .fallback = "0", .flag = "slots", .max = NODE_SLOTS_MAX,
     .help = "jobs at a time; of a new node 1 when it is not said"},
    {.name = "runtime_spec", .type = CONFIG_TEXT, .flag = "runtime-spec",
     .help = "runtime spec of a new node; default: the pool's"},
    {.name = "host_group", .type = CONFIG_TEXT, .flag = "host-group",
     .help = "machine whose slots a new node shares"},
    {.name = "base_url", .type = CONFIG_TEXT, .flag = "base-url",
     .help = "https://HOST[:PORT] of its health address; \"none\" takes it away"},
    ASK_JSON_ROW,
    {0},
};
/* clang-format on */

/* ---- showing ---- */

static void print_node(const struct json *node) {
    struct str message = cli_text(node, "message");
    (void)printf("%6lld  %-20.*s  %-8.*s  %-10.*s  %-9.*s  %-10.*s  %lld/%lld%s" STR_FMT "\n",
                 (long long)cli_number(node, "id"), STR_ARG(cli_text(node, "name")),
                 STR_ARG(cli_text(node, "pool")), STR_ARG(cli_text(node, "runtimeSpec")),
                 STR_ARG(cli_text(node, "configState")), STR_ARG(cli_text(node, "observedState")),
                 (long long)cli_number(node, "busySlots"), (long long)cli_number(node, "slots"),
                 message.len > 0 ? "  " : "", STR_ARG(message));
}

static void print_step(const struct json *step) {
    struct err ignored = {0};
    bool passed = false;
    struct str language = cli_text(step, "language");
    (void)!jr_bool(step, "passed", &passed, &ignored);
    (void)printf("    %-6s  " STR_FMT "%s" STR_FMT "  " STR_FMT "\n", passed ? "ok" : "FAILED",
                 STR_ARG(language), language.len > 0 ? " " : "", STR_ARG(cli_text(step, "step")),
                 STR_ARG(cli_text(step, "text")));
}

static void print_check(const struct json *check) {
    struct str message = cli_text(check, "message");
    const struct json *steps = jr_get(check, "steps");
    (void)printf("  check %lld  " STR_FMT "  " STR_FMT "%s" STR_FMT "\n",
                 (long long)cli_number(check, "id"), STR_ARG(cli_text(check, "kind")),
                 STR_ARG(cli_text(check, "state")), message.len > 0 ? "  " : "", STR_ARG(message));
    for (size_t i = 0; i < jr_count(steps); i++) {
        print_step(jr_at(steps, i));
    }
    if (cli_number(check, "speedPermille") > 0) {
        (void)printf("    speed   %lld.%03lld times the reference machine's CPU time\n",
                     (long long)(cli_number(check, "speedPermille") / 1000),
                     (long long)(cli_number(check, "speedPermille") % 1000));
    }
}

static void print_code(const struct json *answer) {
    const struct json *node = jr_get(answer, "judger");
    (void)printf("node %lld, pool " STR_FMT "\njoin code, shown only now, good until " STR_FMT
                 ": " STR_FMT "\n",
                 (long long)cli_number(node, "id"), STR_ARG(cli_text(node, "pool")),
                 STR_ARG(cli_text(answer, "joinCodeExpiresAt")),
                 STR_ARG(cli_text(answer, "joinCode")));
}

static const struct ask_kind nodes = {
    .path = PATH "?limit=200", .name = "name", .what = "node", .code = "no_judger"};

/* ---- the actions ---- */

static bool list(const struct ask *ask, const char *action, struct err *err) {
    bool warnings = strcmp(action, "warnings") == 0;
    return ask_list(ask, warnings ? "/api/v1/admin/pool-warnings" : nodes.path,
                    warnings ? cli_print_warning : print_node, err);
}

static bool register_node(const struct ask *ask, const char *action, struct err *err) {
    own(json) answer = NULL;
    own_buf body;
    struct jw json;
    const struct cli *cli = ask->cli;
    int64_t slots = config_i64(cli->config, "slots");
    (void)action;
    if (cli->count != 2 || !config_is_set(cli->config, "pool")) {
        return err_set(err, ERR_INVALID, "bad_argument",
                       "register takes one name, and --pool POOL");
    }
    buf_init(&body, 4 * KIB);
    jw_init(&json, &body);
    jw_object_begin(&json);
    jw_put_cstr(&json, "name", cli->arguments[1]);
    ask_put_given(&json, cli, "pool", "pool");
    jw_put_i64(&json, "slots", slots > 0 ? slots : 1);
    ask_put_given(&json, cli, "runtime_spec", "runtimeSpec");
    ask_put_given(&json, cli, "host_group", "hostGroup");
    ask_put_given(&json, cli, "base_url", "baseUrl");
    jw_object_end(&json);
    if (!jw_finish(&json, "the request", err) ||
        !ask_call(ask, HTTP_POST, PATH, &body, &answer, err)) {
        return false;
    }
    if (!ask->json) {
        print_code(answer);
    }
    return true;
}

static bool show(const struct ask *ask, const char *action, struct err *err) {
    own(json) node = NULL;
    own(json) checks = NULL;
    struct ask_object named = {0};
    (void)action;
    if (!ask_find(ask, &nodes, &named, err) ||
        !ask_call(ask, HTTP_GET, arena_printf(ask->arena, PATH "/%lld", (long long)named.id), NULL,
                  &node, err) ||
        !ask_call(ask, HTTP_GET, arena_printf(ask->arena, PATH "/%lld/checks", (long long)named.id),
                  NULL, &checks, err)) {
        return false;
    }
    const struct json *items = jr_get(checks, "items");
    if (!ask->json) {
        print_node(node);
    }
    for (size_t i = 0; !ask->json && i < jr_count(items) && i < 3; i++) {
        print_check(jr_at(items, i));
    }
    return true;
}

/* The newest check of the number, once the node has answered it. */
static bool await_check(const struct ask *ask, int64_t node, int64_t check, struct err *err) {
    const char *path = arena_printf(ask->arena, PATH "/%lld/checks", (long long)node);
    for (int64_t waited_ms = 0; waited_ms < CHECK_WAIT_MS; waited_ms += CHECK_PAUSE_MS) {
        own(json) checks = NULL;
        if (!ask_quietly(ask, path, &checks, err)) {
            return false;
        }
        const struct json *items = jr_get(checks, "items");
        for (size_t i = 0; i < jr_count(items); i++) {
            const struct json *item = jr_at(items, i);
            struct str state = cli_text(item, "state");
            if (cli_number(item, "id") == check && !str_eq(state, STR("WAITING"))) {
                print_check(item);
                return str_eq(state, STR("PASSED")) ||
                       err_set(err, ERR_CONFLICT, "check_failed", "the check did not pass");
            }
        }
        clock_sleep_ms(&clock_real, CHECK_PAUSE_MS);
    }
    return err_set(err, ERR_DEADLINE, "timeout", "the node has not answered");
}

static bool check(const struct ask *ask, const char *action, struct err *err) {
    own(json) answer = NULL;
    own_buf body;
    struct ask_object named = {0};
    bool probe = strcmp(action, "probe") == 0;
    if (!ask_find(ask, &nodes, &named, err)) {
        return false;
    }
    buf_init(&body, 256);
    (void)buf_printf(&body, "{\"kind\":\"%s\"}", probe ? "CONNECTION" : "SELF_TEST");
    return ask_call(ask, HTTP_POST,
                    arena_printf(ask->arena, PATH "/%lld/checks", (long long)named.id), &body,
                    &answer, err) &&
           (ask->json || await_check(ask, named.id, cli_number(answer, "id"), err));
}

static bool configure(const struct ask *ask, const char *action, struct err *err) {
    static const struct {
        const char *action;
        const char *state;
    } states[] = {{"enable", "ENABLED"}, {"drain", "DRAINING"}, {"disable", "DISABLED"}};
    own(json) answer = NULL;
    own_buf body;
    struct jw json;
    struct ask_object named = {0};
    if (!ask_find(ask, &nodes, &named, err)) {
        return false;
    }
    buf_init(&body, 4 * KIB);
    jw_init(&json, &body);
    jw_object_begin(&json);
    jw_put_i64(&json, "revision", named.revision);
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        if (strcmp(states[i].action, action) == 0) {
            jw_put_cstr(&json, "configState", states[i].state);
        }
    }
    if (config_i64(ask->cli->config, "slots") > 0) {
        jw_put_i64(&json, "slots", config_i64(ask->cli->config, "slots"));
    }
    ask_put_given(&json, ask->cli, "base_url", "baseUrl");
    jw_object_end(&json);
    if (!jw_finish(&json, "the request", err) ||
        !ask_call(ask, HTTP_PATCH, arena_printf(ask->arena, PATH "/%lld", (long long)named.id),
                  &body, &answer, err)) {
        return false;
    }
    if (!ask->json) {
        print_node(answer);
    }
    return true;
}

static bool change_access(const struct ask *ask, const char *action, struct err *err) {
    own(json) answer = NULL;
    own_buf body;
    struct ask_object named = {0};
    if (!ask_find(ask, &nodes, &named, err)) {
        return false;
    }
    buf_init(&body, 256);
    (void)buf_printf(&body, "{\"revision\":%lld}", (long long)named.revision);
    if (!ask_call(ask, HTTP_POST,
                  arena_printf(ask->arena, PATH "/%lld/%s", (long long)named.id, action), &body,
                  &answer, err)) {
        return false;
    }
    if (ask->json) {
        return true;
    }
    if (strcmp(action, "rotate") == 0) {
        print_code(answer);
    } else {
        print_node(answer);
    }
    return true;
}

/* clang-format off */
static const struct ask_action actions[] = {
    {"list", list},         {"warnings", list},     {"register", register_node}, {"show", show},
    {"check", check},       {"probe", check},       {"enable", configure},       {"drain", configure},
    {"disable", configure}, {"set", configure},     {"rotate", change_access},   {"revoke", change_access},
    {0},
};
/* clang-format on */

static int run(const struct command *command, int count, char **args) {
    return ask_run(&(struct ask_command){command->name, USAGE, rows, actions}, count, args);
}
