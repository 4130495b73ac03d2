/* assize admin jobs: find jobs, look at one, put them back, hold, release, move or end them. */
#include "base/limits.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/selection.h"
#include "cli/view.h"
#include "data/json_write.h"

#include <stdio.h>
#include <string.h>

static int run(const struct command *command, int count, char **args);

const struct command command_admin_jobs = {
    "admin jobs", "find jobs, put them back, hold, release, move or end them", run};

#define USAGE                                                                                      \
    "assize admin jobs list | show SUBMISSION | requeue | hold | release | move | cancel "         \
    "[SUBMISSION...]\n"                                                                            \
    "       [--problem N] [--of-user N] [--language ID] [--verdict V] [--fault F] [--state S]\n"   \
    "       [--held] [--from TIME] [--to TIME] [--all] [--reason TEXT] [--json]\n"                 \
    "       move: --runtime-spec SPEC"

/* clang-format off */
static const struct config_row rows[] = {
    SELECTION_ROWS,
    {.name = "reason", .type = CONFIG_TEXT, .flag = "reason",
     .help = "why; shown to those who wait, and in the audit log"},
    {.name = "runtime_spec", .type = CONFIG_TEXT, .flag = "runtime-spec",
     .help = "move: the runtime spec of the same pool that judges the waiting ones"},
    {.name = "json", .type = CONFIG_BOOL, .fallback = "no", .flag = "json",
     .help = "print the answers of the server as JSON, one a line"},
    {0},
};
/* clang-format on */

static void print_job(const struct json *job) {
    const struct json *fault = jr_get(job, "fault");
    struct str why = cli_text(jr_get(job, "reason"), "text");
    struct str verdict = cli_text(job, "verdict");
    (void)printf("%8lld  %-9.*s  %-16.*s  %-16.*s  %-8.*s  gen %lld  " STR_FMT "%s" STR_FMT "\n",
                 (long long)cli_number(job, "submissionId"), STR_ARG(cli_text(job, "state")),
                 STR_ARG(cli_text(job, "problemCode")), STR_ARG(cli_text(job, "username")),
                 STR_ARG(cli_text(job, "language")), (long long)cli_number(job, "generation"),
                 STR_ARG(why.len > 0 ? why : verdict), fault != NULL ? "  " : "",
                 STR_ARG(cli_text(fault, "code")));
}

static bool list(const struct cli *cli, struct client *client, struct err *err) {
    own(arena) arena = arena_create(1 * MIB);
    struct str cursor = {0};
    do {
        own(json) page = NULL;
        own_buf raw;
        buf_init(&raw, 64 * MIB);
        struct client_call call = {
            .method = HTTP_GET,
            .path = arena_printf(arena, "/api/v1/admin/jobs?limit=200%s%s" STR_FMT,
                                 selection_query_text(cli->config, arena),
                                 cursor.len > 0 ? "&cursor=" : "", STR_ARG(cursor)),
            .raw = &raw};
        if (!client_call(client, &call, &page, err)) {
            return false;
        }
        const struct json *items = jr_get(page, "items");
        for (size_t i = 0; !config_bool(cli->config, "json") && i < jr_count(items); i++) {
            print_job(jr_at(items, i));
        }
        if (config_bool(cli->config, "json")) {
            (void)printf(STR_FMT "\n", STR_ARG(buf_str(&raw)));
        }
        cursor = arena_str(arena, cli_text(page, "next"));
    } while (cursor.len > 0);
    return true;
}

static void print_judging(const struct json *judging) {
    (void)printf("  generation %lld  job %lld  " STR_FMT "  " STR_FMT "%s  " STR_FMT "\n",
                 (long long)cli_number(judging, "generation"),
                 (long long)cli_number(judging, "jobId"), STR_ARG(cli_text(judging, "state")),
                 STR_ARG(cli_text(judging, "verdict")),
                 cli_flag(judging, "effective") ? " (counts)" : "",
                 STR_ARG(cli_text(jr_get(judging, "fault"), "code")));
}

static bool show(const struct cli *cli, struct client *client, struct err *err) {
    own(arena) arena = arena_create(1 * MIB);
    own(json) answer = NULL;
    own_buf raw;
    int64_t id = 0;
    buf_init(&raw, 4 * MIB);
    if (cli->count != 2 || !str_to_i64(str_from(cli->arguments[1]), 1, ID_MAX, &id, err)) {
        return err_set(err, ERR_INVALID, "bad_argument", "show takes the number of one submission");
    }
    struct client_call call = {
        .method = HTTP_GET,
        .path = arena_printf(arena, "/api/v1/admin/submissions/%lld/judgings", (long long)id),
        .raw = &raw};
    if (!client_call(client, &call, &answer, err)) {
        return false;
    }
    if (config_bool(cli->config, "json")) {
        (void)printf(STR_FMT "\n", STR_ARG(buf_str(&raw)));
        return true;
    }
    print_job(jr_get(answer, "current"));
    const struct json *judgings = jr_get(answer, "judgings");
    for (size_t i = 0; i < jr_count(judgings); i++) {
        print_judging(jr_at(judgings, i));
    }
    return true;
}

static void print_skipped(const struct json *answer) {
    const struct json *skipped = jr_get(answer, "skipped");
    for (size_t i = 0; i < jr_count(skipped); i++) {
        const struct json *row = jr_at(skipped, i);
        (void)printf("  left out: submission %lld: " STR_FMT "\n",
                     (long long)cli_number(row, "submissionId"), STR_ARG(cli_text(row, "code")));
    }
}

static bool write_change(const struct cli *cli, const char *action, struct str cursor,
                         struct buf *body, struct err *err) {
    struct jw json;
    jw_init(&json, body);
    jw_object_begin(&json);
    jw_put_cstr(&json, "action", action);
    jw_put_cstr(&json, "reason", config_text(cli->config, "reason"));
    if (config_is_set(cli->config, "runtime_spec")) {
        jw_put_cstr(&json, "runtimeSpec", config_text(cli->config, "runtime_spec"));
    }
    if (cursor.len > 0) {
        jw_put_str(&json, "cursor", cursor);
    }
    if (!selection_write(&json, cli, 1, err)) {
        return false;
    }
    jw_object_end(&json);
    return jw_finish(&json, "the request", err);
}

static bool change(const struct cli *cli, struct client *client, const char *action,
                   struct err *err) {
    own(arena) arena = arena_create(1 * MIB);
    struct str cursor = {0};
    int64_t changed = 0;
    int64_t skipped = 0;
    do {
        own(json) answer = NULL;
        own_buf body;
        buf_init(&body, 32 * KIB);
        if (!write_change(cli, action, cursor, &body, err)) {
            return false;
        }
        struct client_call call = {.method = HTTP_POST,
                                   .path = "/api/v1/admin/jobs/changes",
                                   .content_type = "application/json",
                                   .body = buf_str(&body),
                                   .timeout_ms = 600000};
        if (!client_call(client, &call, &answer, err)) {
            return false;
        }
        changed += cli_number(answer, "changed");
        skipped += cli_number(answer, "skippedCount");
        print_skipped(answer);
        cursor = arena_str(arena, cli_text(answer, "next"));
    } while (cursor.len > 0);
    (void)printf("%lld changed, %lld left out\n", (long long)changed, (long long)skipped);
    return true;
}

static const char *action_of(const char *word) {
    static const struct {
        const char *word;
        const char *action;
    } actions[] = {{"requeue", "REQUEUE"},
                   {"hold", "HOLD"},
                   {"release", "RELEASE"},
                   {"move", "MOVE"},
                   {"cancel", "CANCEL"}};
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(actions[i].word, word) == 0) {
            return actions[i].action;
        }
    }
    return NULL;
}

static int do_word(const struct cli *cli, struct client *client) {
    struct err err = {0};
    const char *word = cli->arguments[0];
    const char *action = action_of(word);
    bool ok = action != NULL              ? change(cli, client, action, &err)
              : strcmp(word, "show") == 0 ? show(cli, client, &err)
                                          : list(cli, client, &err);
    if (ok) {
        return EXIT_STATUS_OK;
    }
    int status = cli_fail(&err);
    return err.code != NULL && strcmp(err.code, "bad_argument") == 0 ? EXIT_STATUS_USAGE : status;
}

static int run(const struct command *command, int count, char **args) {
    (void)command;
    struct cli cli;
    own(client) client = NULL;
    int status = cli_read(&cli, USAGE, rows, count, args);
    const char *word = status < 0 && cli.count > 0 ? cli.arguments[0] : "";
    if (status < 0 && strcmp(word, "list") != 0 && strcmp(word, "show") != 0 &&
        action_of(word) == NULL) {
        (void)fprintf(stderr, "usage: %s\n", USAGE);
        status = EXIT_STATUS_USAGE;
    }
    if (status < 0 && !cli_connect(&cli, &client)) {
        status = EXIT_STATUS_FAILED;
    }
    if (status < 0) {
        status = do_word(&cli, client);
    }
    cli_done(&cli);
    return status;
}
