/* assize admin rejudge: judge anew, look at what would change, apply, undo. */
#include "base/limits.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/selection.h"
#include "cli/view.h"
#include "data/json_write.h"

#include <stdio.h>
#include <string.h>

static int run(const struct command *command, int count, char **args);

const struct command command_admin_rejudge = {
    "admin rejudge", "judge submissions anew, look at what would change, apply or undo it", run};

#define USAGE                                                                                      \
    "assize admin rejudge create [SUBMISSION...] [--problem N] ... [--count] [--reason TEXT]\n"    \
    "       assize admin rejudge list | show N | preview N [--change GAIN|LOSS|OTHER|SAME]\n"      \
    "       assize admin rejudge apply N | undo N | cancel N"
#define PATH "/api/v1/admin/rejudgings"

/* clang-format off */
static const struct config_row rows[] = {
    SELECTION_ROWS,
    {.name = "reason", .type = CONFIG_TEXT, .flag = "reason", .help = "why"},
    {.name = "count", .type = CONFIG_BOOL, .fallback = "no", .flag = "count",
     .help = "create: only tell how many there are"},
    {.name = "supersede", .type = CONFIG_BOOL, .fallback = "no", .flag = "supersede",
     .help = "create: what is being judged, too; else it is skipped"},
    {.name = "old-manifest", .type = CONFIG_BOOL, .fallback = "no", .flag = "old-manifest",
     .help = "create: with the test data it was handed in with"},
    {.name = "auto-apply", .type = CONFIG_BOOL, .fallback = "no", .flag = "auto-apply",
     .help = "create: apply when all are judged"},
    {.name = "change", .type = CONFIG_TEXT, .flag = "change",
     .help = "preview: only those who GAIN or LOSS, or OTHER, or SAME"},
    {.name = "json", .type = CONFIG_BOOL, .fallback = "no", .flag = "json",
     .help = "print the answers of the server as JSON, one a line"},
    {0},
};
/* clang-format on */

static void print_rejudging(const struct json *rejudging) {
    const struct json *counts = jr_get(rejudging, "counts");
    (void)printf("%6lld  %-10.*s  %lld submissions: %lld being judged, %lld judged, %lld applied, "
                 "%lld left out, %lld failed; %lld gain, %lld lose, %lld other  " STR_FMT "\n",
                 (long long)cli_number(rejudging, "id"), STR_ARG(cli_text(rejudging, "state")),
                 (long long)cli_number(counts, "items"), (long long)cli_number(counts, "judging"),
                 (long long)cli_number(counts, "judged"), (long long)cli_number(counts, "applied"),
                 (long long)cli_number(counts, "skipped"), (long long)cli_number(counts, "failed"),
                 (long long)cli_number(counts, "gains"), (long long)cli_number(counts, "losses"),
                 (long long)cli_number(counts, "others"), STR_ARG(cli_text(rejudging, "reason")));
}

static void print_item(const struct json *item) {
    struct str reason = cli_text(item, "reason");
    (void)printf(
        "%8lld  %-16.*s  %-16.*s  %-22.*s -> %-22.*s  %-5.*s  " STR_FMT "%s" STR_FMT "\n",
        (long long)cli_number(item, "submissionId"), STR_ARG(cli_text(item, "problemCode")),
        STR_ARG(cli_text(item, "username")), STR_ARG(cli_text(jr_get(item, "before"), "verdict")),
        STR_ARG(cli_text(jr_get(item, "after"), "verdict")), STR_ARG(cli_text(item, "change")),
        STR_ARG(cli_text(item, "state")), reason.len > 0 ? ": " : "", STR_ARG(reason));
}

typedef void print_fn(const struct json *value);

struct ask {
    enum http_method method;
    const char *path;
    struct str body;
    print_fn *print; /* of the answer, or of each of its items */
    struct str next; /* out */
};

static bool ask_server(const struct cli *cli, struct client *client, struct ask *ask,
                       struct arena *arena, struct err *err) {
    own(json) answer = NULL;
    own_buf raw;
    buf_init(&raw, 64 * MIB);
    struct client_call call = {.method = ask->method,
                               .path = ask->path,
                               .content_type = ask->body.len > 0 ? "application/json" : NULL,
                               .body = ask->body,
                               .raw = &raw};
    if (!client_call(client, &call, &answer, err)) {
        return false;
    }
    const struct json *items = jr_get(answer, "items");
    if (config_bool(cli->config, "json")) {
        (void)printf(STR_FMT "\n", STR_ARG(buf_str(&raw)));
    } else if (jr_get(answer, "count") != NULL) {
        (void)printf("%lld submissions\n", (long long)cli_number(answer, "count"));
    } else if (items == NULL) {
        ask->print(answer);
    }
    for (size_t i = 0; !config_bool(cli->config, "json") && i < jr_count(items); i++) {
        ask->print(jr_at(items, i));
    }
    ask->next = arena_str(arena, cli_text(answer, "next"));
    return true;
}

static bool create(const struct cli *cli, struct client *client, struct arena *arena,
                   struct err *err) {
    own_buf body;
    struct jw json;
    buf_init(&body, 32 * KIB);
    jw_init(&json, &body);
    jw_object_begin(&json);
    jw_put_cstr(&json, "reason", config_text(cli->config, "reason"));
    jw_put_bool(&json, "supersede", config_bool(cli->config, "supersede"));
    jw_put_bool(&json, "oldManifest", config_bool(cli->config, "old-manifest"));
    jw_put_bool(&json, "autoApply", config_bool(cli->config, "auto-apply"));
    jw_put_bool(&json, "countOnly", config_bool(cli->config, "count"));
    if (!selection_write(&json, cli, 1, err)) {
        return false;
    }
    jw_object_end(&json);
    if (!jw_finish(&json, "the request", err)) {
        return false;
    }
    struct ask ask = {
        .method = HTTP_POST, .path = PATH, .body = buf_str(&body), .print = print_rejudging};
    return ask_server(cli, client, &ask, arena, err);
}

static bool pages(const struct cli *cli, struct client *client, const char *path, print_fn *print,
                  struct err *err) {
    own(arena) arena = arena_create(16 * MIB);
    struct ask ask = {.method = HTTP_GET, .print = print};
    do {
        ask.path = arena_printf(arena, "%s%s" STR_FMT, path, ask.next.len > 0 ? "&cursor=" : "",
                                STR_ARG(ask.next));
        if (!ask_server(cli, client, &ask, arena, err)) {
            return false;
        }
    } while (ask.next.len > 0);
    return true;
}

static bool one(const struct cli *cli, struct client *client, struct arena *arena,
                struct err *err) {
    const char *word = cli->arguments[0];
    int64_t id = 0;
    if (cli->count != 2 || !str_to_i64(str_from(cli->arguments[1]), 1, ID_MAX, &id, err)) {
        return err_set(err, ERR_INVALID, "bad_argument", "%s takes the number of one rejudging",
                       word);
    }
    if (strcmp(word, "preview") == 0) {
        const char *change = config_text(cli->config, "change");
        return pages(cli, client,
                     arena_printf(arena, PATH "/%lld/items?limit=200%s%s", (long long)id,
                                  change[0] != '\0' ? "&change=" : "",
                                  client_escape(arena, str_from(change))),
                     print_item, err);
    }
    bool show = strcmp(word, "show") == 0;
    struct ask ask = {.method = show ? HTTP_GET : HTTP_POST,
                      .path = arena_printf(arena, PATH "/%lld%s%s", (long long)id, show ? "" : "/",
                                           show ? "" : word),
                      .body = show ? (struct str){0} : STR("{}"),
                      .print = print_rejudging};
    return ask_server(cli, client, &ask, arena, err);
}

static bool is_word(const char *word) {
    static const char *const words[] = {"create", "list", "show",  "preview",
                                        "apply",  "undo", "cancel"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static int do_word(const struct cli *cli, struct client *client) {
    own(arena) arena = arena_create(1 * MIB);
    struct err err = {0};
    const char *word = cli->arguments[0];
    bool ok = strcmp(word, "create") == 0 ? create(cli, client, arena, &err)
              : strcmp(word, "list") == 0
                  ? pages(cli, client, PATH "?limit=200", print_rejudging, &err)
                  : one(cli, client, arena, &err);
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
    if (status < 0 && !is_word(cli.count > 0 ? cli.arguments[0] : "")) {
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
