/* assize admin node: register nodes, prove them, take them in and out of service. */
#include "base/clock.h"
#include "base/limits.h"
#include "cli/commands.h"
#include "cli/options.h"
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
    {.name = "json", .type = CONFIG_BOOL, .fallback = "no", .flag = "json",
     .help = "print the answers of the server as JSON, one a line"},
    {0},
};
/* clang-format on */

struct ask {
    const struct cli *cli;
    struct client *client;
    struct arena *arena;
    bool json;
};

/* ---- the server ---- */

/* Prints the answer as it came with --json. */
static bool call(const struct ask *ask, enum http_method method, const char *path,
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
    if (ask->json) {
        (void)printf(STR_FMT "\n", STR_ARG(buf_str(&raw)));
    }
    return true;
}

static bool quietly(const struct ask *ask, const char *path, struct json **ret_answer,
                    struct err *err) {
    struct ask quiet = *ask;
    quiet.json = false;
    return call(&quiet, HTTP_GET, path, NULL, ret_answer, err);
}

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

/* ---- finding a node ---- */

static bool is_it(const struct json *node, const char *wanted) {
    char number[32];
    (void)snprintf(number, sizeof number, "%lld", (long long)cli_number(node, "id"));
    return str_eq_c(cli_text(node, "name"), wanted) || strcmp(number, wanted) == 0;
}

/* By number or name. */
static bool find(const struct ask *ask, int64_t *ret_id, int64_t *ret_revision, struct err *err) {
    own(json) list = NULL;
    const char *wanted = ask->cli->count == 2 ? ask->cli->arguments[1] : "";
    if (wanted[0] == '\0') {
        return err_set(err, ERR_INVALID, "bad_argument", "name one node, by its number or name");
    }
    if (!quietly(ask, PATH "?limit=200", &list, err)) {
        return false;
    }
    const struct json *items = jr_get(list, "items");
    for (size_t i = 0; i < jr_count(items); i++) {
        if (is_it(jr_at(items, i), wanted)) {
            *ret_id = cli_number(jr_at(items, i), "id");
            *ret_revision = cli_number(jr_at(items, i), "revision");
            return true;
        }
    }
    return err_set(err, ERR_MISSING, "no_judger", "there is no node %s", wanted);
}

/* ---- the actions ---- */

static bool list(const struct ask *ask, const char *action, struct err *err) {
    own(json) answer = NULL;
    bool warnings = strcmp(action, "warnings") == 0;
    const char *path = warnings ? "/api/v1/admin/pool-warnings" : PATH "?limit=200";
    if (!call(ask, HTTP_GET, path, NULL, &answer, err)) {
        return false;
    }
    const struct json *items = jr_get(answer, "items");
    for (size_t i = 0; !ask->json && i < jr_count(items); i++) {
        const struct json *item = jr_at(items, i);
        if (!warnings) {
            print_node(item);
        } else {
            (void)printf("%-16.*s  %-8.*s  %-16.*s  " STR_FMT "\n", STR_ARG(cli_text(item, "code")),
                         STR_ARG(cli_text(item, "pool")), STR_ARG(cli_text(item, "subject")),
                         STR_ARG(cli_text(item, "detail")));
        }
    }
    return true;
}

static void put_given(struct jw *json, const struct cli *cli, const char *setting,
                      const char *name) {
    if (config_is_set(cli->config, setting)) {
        const char *text = config_text(cli->config, setting);
        jw_put_cstr(json, name, strcmp(text, "none") == 0 ? "" : text);
    }
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
    put_given(&json, cli, "pool", "pool");
    jw_put_i64(&json, "slots", slots > 0 ? slots : 1);
    put_given(&json, cli, "runtime_spec", "runtimeSpec");
    put_given(&json, cli, "host_group", "hostGroup");
    put_given(&json, cli, "base_url", "baseUrl");
    jw_object_end(&json);
    if (!jw_finish(&json, "the request", err) || !call(ask, HTTP_POST, PATH, &body, &answer, err)) {
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
    int64_t id = 0;
    int64_t revision = 0;
    (void)action;
    if (!find(ask, &id, &revision, err) ||
        !call(ask, HTTP_GET, arena_printf(ask->arena, PATH "/%lld", (long long)id), NULL, &node,
              err) ||
        !call(ask, HTTP_GET, arena_printf(ask->arena, PATH "/%lld/checks", (long long)id), NULL,
              &checks, err)) {
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
        if (!quietly(ask, path, &checks, err)) {
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
    int64_t id = 0;
    int64_t revision = 0;
    bool probe = strcmp(action, "probe") == 0;
    if (!find(ask, &id, &revision, err)) {
        return false;
    }
    buf_init(&body, 256);
    (void)buf_printf(&body, "{\"kind\":\"%s\"}", probe ? "CONNECTION" : "SELF_TEST");
    return call(ask, HTTP_POST, arena_printf(ask->arena, PATH "/%lld/checks", (long long)id), &body,
                &answer, err) &&
           (ask->json || await_check(ask, id, cli_number(answer, "id"), err));
}

static bool configure(const struct ask *ask, const char *action, struct err *err) {
    static const struct {
        const char *action;
        const char *state;
    } states[] = {{"enable", "ENABLED"}, {"drain", "DRAINING"}, {"disable", "DISABLED"}};
    own(json) answer = NULL;
    own_buf body;
    struct jw json;
    int64_t id = 0;
    int64_t revision = 0;
    if (!find(ask, &id, &revision, err)) {
        return false;
    }
    buf_init(&body, 4 * KIB);
    jw_init(&json, &body);
    jw_object_begin(&json);
    jw_put_i64(&json, "revision", revision);
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        if (strcmp(states[i].action, action) == 0) {
            jw_put_cstr(&json, "configState", states[i].state);
        }
    }
    if (config_i64(ask->cli->config, "slots") > 0) {
        jw_put_i64(&json, "slots", config_i64(ask->cli->config, "slots"));
    }
    put_given(&json, ask->cli, "base_url", "baseUrl");
    jw_object_end(&json);
    if (!jw_finish(&json, "the request", err) ||
        !call(ask, HTTP_PATCH, arena_printf(ask->arena, PATH "/%lld", (long long)id), &body,
              &answer, err)) {
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
    int64_t id = 0;
    int64_t revision = 0;
    if (!find(ask, &id, &revision, err)) {
        return false;
    }
    buf_init(&body, 256);
    (void)buf_printf(&body, "{\"revision\":%lld}", (long long)revision);
    if (!call(ask, HTTP_POST, arena_printf(ask->arena, PATH "/%lld/%s", (long long)id, action),
              &body, &answer, err)) {
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
static const struct {
    const char *name;
    bool (*run)(const struct ask *ask, const char *action, struct err *err);
} actions[] = {
    {"list", list},         {"warnings", list},     {"register", register_node}, {"show", show},
    {"check", check},       {"probe", check},       {"enable", configure},       {"drain", configure},
    {"disable", configure}, {"set", configure},     {"rotate", change_access},   {"revoke", change_access},
};
/* clang-format on */

static int act(const struct cli *cli) {
    own(client) client = NULL;
    own(arena) arena = arena_create(4 * MIB);
    struct err err = {0};
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (cli->count == 0 || strcmp(actions[i].name, cli->arguments[0]) != 0) {
            continue;
        }
        if (!cli_connect(cli, &client)) {
            return EXIT_STATUS_FAILED;
        }
        struct ask ask = {
            .cli = cli, .client = client, .arena = arena, .json = config_bool(cli->config, "json")};
        if (actions[i].run(&ask, actions[i].name, &err)) {
            return EXIT_STATUS_OK;
        }
        int status = cli_fail(&err);
        bool said_no = err.code != NULL && strcmp(err.code, "check_failed") == 0;
        bool typed_wrong = err.code != NULL && strcmp(err.code, "bad_argument") == 0;
        return said_no ? EXIT_STATUS_NEGATIVE : typed_wrong ? EXIT_STATUS_USAGE : status;
    }
    (void)fprintf(stderr, "assize admin node: say what to do: see --help\n");
    return EXIT_STATUS_USAGE;
}

static int run(const struct command *command, int count, char **args) {
    (void)command;
    struct cli cli;
    int status = cli_read(&cli, USAGE, rows, count, args);
    if (status < 0) {
        status = act(&cli);
    }
    cli_done(&cli);
    return status;
}
