/* assize admin token: tokens that programs use instead of a password. */
#include "base/file.h"
#include "base/limits.h"
#include "cli/ask.h"
#include "cli/commands.h"
#include "cli/view.h"
#include "data/json_write.h"

#include <stdio.h>
#include <string.h>

static int run(const struct command *command, int count, char **args);

const struct command command_admin_token = {
    "admin token", "make, list and revoke API tokens, for programs instead of a password", run};

#define USAGE                                                                                      \
    "assize admin token create NAME [--scope read|write] [--days N] [--out FILE]\n"                \
    "       assize admin token list\n"                                                             \
    "       assize admin token revoke TOKEN      (its number or name)"
#define PATH "/api/v1/tokens"
#define TOKEN_MODE 0600

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "scope", .type = CONFIG_TEXT, .fallback = "read", .flag = "scope", .choices = "read write",
     .help = "read changes nothing; write may all that you may, but make tokens"},
    {.name = "days", .type = CONFIG_INT, .fallback = "90", .flag = "days", .min = 1, .max = 366,
     .help = "how long it is good"},
    {.name = "out", .type = CONFIG_TEXT, .flag = "out",
     .help = "file to write it into, for --token-file, instead of printing it"},
    ASK_JSON_ROW,
    {0},
};
/* clang-format on */

static const struct ask_kind tokens = {
    .path = PATH, .name = "name", .what = "API token", .code = "no_token"};

static void print_token(const struct json *token) {
    (void)printf("%6lld  %-24.*s  %-5.*s  until " STR_FMT "\n", (long long)cli_number(token, "id"),
                 STR_ARG(cli_text(token, "name")), STR_ARG(cli_text(token, "scope")),
                 STR_ARG(cli_text(token, "expiresAt")));
}

static bool list(const struct ask *ask, const char *action, struct err *err) {
    (void)action;
    return ask_list(ask, PATH, print_token, err);
}

static bool keep(const struct ask *ask, const struct json *answer, const char *path,
                 struct err *err) {
    const char *line = arena_printf(ask->arena, STR_FMT "\n", STR_ARG(cli_text(answer, "secret")));
    if (!file_save_atomic(path, str_from(line), TOKEN_MODE, err)) {
        return err_wrap(err, "the token was made, and is lost: revoke it");
    }
    print_token(jr_get(answer, "token"));
    return true;
}

static bool create(const struct ask *ask, const char *action, struct err *err) {
    own(json) answer = NULL;
    own_buf body;
    struct jw json;
    struct ask quiet = *ask;
    const char *name = NULL;
    const char *out = config_text(ask->cli->config, "out");
    (void)action;
    if (!ask_named(ask, "API token to make", &name, err)) {
        return false;
    }
    buf_init(&body, 4 * KIB);
    jw_init(&json, &body);
    jw_object_begin(&json);
    jw_put_cstr(&json, "name", name);
    jw_put_cstr(&json, "scope", config_text(ask->cli->config, "scope"));
    jw_put_i64(&json, "days", config_i64(ask->cli->config, "days"));
    jw_object_end(&json);
    quiet.json = ask->json && out[0] == '\0';
    if (!jw_finish(&json, "the request", err) ||
        !ask_call(&quiet, HTTP_POST, PATH, &body, &answer, err)) {
        return false;
    }
    if (out[0] != '\0') {
        return keep(ask, answer, out, err);
    }
    if (!ask->json) {
        (void)printf("token, shown only now, good until " STR_FMT ": " STR_FMT "\n",
                     STR_ARG(cli_text(jr_get(answer, "token"), "expiresAt")),
                     STR_ARG(cli_text(answer, "secret")));
    }
    return true;
}

static bool revoke(const struct ask *ask, const char *action, struct err *err) {
    own(json) answer = NULL;
    struct ask_object token = {0};
    (void)action;
    return ask_find(ask, &tokens, &token, err) &&
           ask_call(ask, HTTP_DELETE, arena_printf(ask->arena, PATH "/%lld", (long long)token.id),
                    NULL, &answer, err);
}

static const struct ask_action actions[] = {
    {"list", list}, {"create", create}, {"revoke", revoke}, {0}};

static int run(const struct command *command, int count, char **args) {
    return ask_run(&(struct ask_command){command->name, USAGE, rows, actions}, count, args);
}
