/* assize admin reconcile: is everything that was accepted in one piece? */
#include "base/limits.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/view.h"

#include <stdio.h>

static int run(const struct command *command, int count, char **args);

const struct command command_admin_reconcile = {
    "admin reconcile", "look whether all that was accepted is in one piece", run};

#define PATIENCE_MS (INT64_C(600) * 1000)

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "settled", .type = CONFIG_BOOL, .fallback = "no", .flag = "settled",
     .help = "nothing may wait or be judged any more"},
    {.name = "repair", .type = CONFIG_BOOL, .fallback = "no", .flag = "repair",
     .help = "mend what needs no decision, then look again"},
    {.name = "json", .type = CONFIG_BOOL, .fallback = "no", .flag = "json",
     .help = "print the report as one JSON object"},
    {0},
};
/* clang-format on */

static void print_ids(const struct json *ids) {
    struct err ignored = {0};
    for (size_t i = 0; i < jr_count(ids); i++) {
        int64_t id = 0;
        if (jr_item_i64(ids, i, INT64_MIN, INT64_MAX, &id, &ignored)) {
            (void)printf(" %lld", (long long)id);
        }
    }
}

static void print_finding(const struct json *finding) {
    struct err ignored = {0};
    bool repairable = false;
    (void)!jr_bool(finding, "repairable", &repairable, &ignored);
    (void)printf("%-4.*s %8lld  not so: " STR_FMT "%s\n", STR_ARG(cli_text(finding, "rule")),
                 (long long)cli_number(finding, "count"), STR_ARG(cli_text(finding, "text")),
                 repairable ? " (--repair mends it)" : "");
    if (jr_count(jr_get(finding, "ids")) > 0) {
        (void)printf("               " STR_FMT ":", STR_ARG(cli_text(finding, "object")));
        print_ids(jr_get(finding, "ids"));
        (void)printf("\n");
    }
}

static void print_table(const struct json *report, bool clean) {
    static const struct {
        const char *name;
        const char *shown;
    } counts[] = {{"submissions", "accepted submissions"},
                  {"judged", "with a verdict"},
                  {"waiting", "waiting or being judged"},
                  {"held", "held"},
                  {"systemErrors", "system errors"},
                  {"events", "events not worked off"},
                  {"repaired", "rows mended"}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        (void)printf("%8lld  %s\n", (long long)cli_number(report, counts[i].name), counts[i].shown);
    }
    const struct json *findings = jr_get(report, "findings");
    for (size_t i = 0; i < jr_count(findings); i++) {
        print_finding(jr_at(findings, i));
    }
    (void)printf("%s\n", clean ? "clean" : "NOT clean");
}

static int ask(const struct cli *cli, struct client *client) {
    own(json) report = NULL;
    struct err err = {0};
    own_buf raw;
    char body[64];
    bool clean = false;
    (void)snprintf(body, sizeof body, "{\"settled\":%s,\"repair\":%s}",
                   config_bool(cli->config, "settled") ? "true" : "false",
                   config_bool(cli->config, "repair") ? "true" : "false");
    buf_init(&raw, 4 * MIB);
    struct client_call call = {.method = HTTP_POST,
                               .path = "/api/v1/admin/reconcile",
                               .content_type = "application/json",
                               .body = str_from(body),
                               .timeout_ms = PATIENCE_MS,
                               .raw = &raw};
    if (!client_call(client, &call, &report, &err) || !jr_bool(report, "clean", &clean, &err)) {
        return cli_fail(&err);
    }
    if (config_bool(cli->config, "json")) {
        (void)printf(STR_FMT "\n", STR_ARG(buf_str(&raw)));
    } else {
        print_table(report, clean);
    }
    return clean ? EXIT_STATUS_OK : EXIT_STATUS_NEGATIVE;
}

static int run(const struct command *command, int count, char **args) {
    (void)command;
    struct cli cli;
    own(client) client = NULL;
    int status =
        cli_read(&cli, "assize admin reconcile [--settled] [--repair] [--json]", rows, count, args);
    if (status < 0 && cli.count > 0) {
        (void)fprintf(stderr, "assize admin reconcile: takes no arguments\n");
        status = EXIT_STATUS_USAGE;
    }
    if (status < 0 && !cli_connect(&cli, &client)) {
        status = EXIT_STATUS_FAILED;
    }
    if (status < 0) {
        status = ask(&cli, client);
    }
    cli_done(&cli);
    return status;
}
